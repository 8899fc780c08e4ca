/**
 * The result of work whose errors say where they are in an input: capturing the stack is most of the cost of an error,
 * and of a million lines that are wrong nobody sees it. The work must not wait for anything.
 */
export function withoutStacks<Value>(work: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
