/** Of V8: how many frames an error captures. Other engines have no such limit, and programs can freeze it. */
const ERRORS = Error as unknown as { stackTraceLimit?: number | undefined };
const isLimited =
  ERRORS.stackTraceLimit !== undefined && Reflect.set(ERRORS, "stackTraceLimit", ERRORS.stackTraceLimit);

/**
 * The result of work whose errors say where they are in an input: capturing the stack is most of the cost of an error,
 * and of a million lines that are wrong nobody sees it. The work must not wait for anything.
 */
export function withoutStacks<Value>(work: () => Value): Value {
  if (!isLimited) return work();
  const before = ERRORS.stackTraceLimit;
  ERRORS.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    ERRORS.stackTraceLimit = before;
  }
}
