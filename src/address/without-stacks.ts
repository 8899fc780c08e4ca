/** Of V8: how many frames an error captures. Other engines ignore it, and in some programs it cannot be set. */
const LIMIT = "stackTraceLimit";

/**
 * The result of work whose errors say where they are in an input: capturing the stack is most of the cost of an error,
 * and of a million lines that are wrong nobody sees it. The work must not wait for anything.
 */
export function withoutStacks<Value>(work: () => Value): Value {
  const before: unknown = Reflect.get(Error, LIMIT);
  Reflect.set(Error, LIMIT, 0);
  try {
    return work();
  } finally {
    Reflect.set(Error, LIMIT, before);
  }
}
