/** SQLSTATE classes and codes of a server that goes away, comes up, or has no room for one more connection. */
const OUTAGES = /^(?:08|57P0[1-5]|53)/;
/** Of transactions that stood in each other's way, and of waiting too long for a lock: the same again may succeed. */
const COLLISIONS = /^(?:40001|40P01|55P03|57014)/;

/** Whether the database, or the way to it, is away. Nothing is known then of a commit that was under way. */
export function isOutage(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined ? isConnectionError(error) : OUTAGES.test(state);
}

export function isRetriable(error: unknown): boolean {
  return isOutage(error) || COLLISIONS.test(stateOf(error) ?? "");
}

/** What PostgreSQL says is wrong; none where it said nothing. */
function stateOf(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}

/** pg gives these no code of their own. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  const isSocketError = "syscall" in error || /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)/.test(String((error as { code?: unknown }).code));
  return isSocketError || /connection (?:terminated|ended)|timeout (?:exceeded|expired)|read timeout|not queryable|server closed/i.test(error.message);
}
