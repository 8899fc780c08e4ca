import { StoreError, type StoreErrorCode } from "../store-error.ts";

/**
 * SQLSTATE classes and codes of a server that shuts down, starts up, accepts no further connection, or has ended one
 * that was idle in a transaction.
 */
const OUTAGES = /^(?:08|57P0[1-5]|53300|25P03)/;
/** Transactions that collided, and lock timeouts: a retry may succeed. */
const COLLISIONS = /^(?:40001|40P01|55P03|57014)/;

/**
 * Whether the database, or the connection to it, is unavailable. The outcome of a commit in progress is then unknown.
 */
export function isOutage(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined ? isConnectionError(error) : OUTAGES.test(state);
}

export function isRetriable(error: unknown): boolean {
  return isOutage(error) || COLLISIONS.test(stateOf(error) ?? "");
}

/** SQLSTATE classes and codes of a failing database, and the remedy for each. The first that matches wins. */
const FAILURES: readonly (readonly [states: RegExp, code: StoreErrorCode, what: string, cure: string])[] = [
  [/^53100/, "unavailable", "the database's disk is full", "free some space on its server"],
  [/^53(?!300)/, "unavailable", "the database has run out of a resource", "check its server's log"],
  [/^25006/, "unavailable", "the database is read-only", "check that DATABASE_URL names the primary server"],
  [
    /^(?:28|3D|42501)/,
    "unavailable",
    "the database rejects the service's connection",
    "check the user, the password and the name in DATABASE_URL",
  ],
  // A start makes all tables: whatever is missing later has been dropped, or is being restored.
  [
    /^(?:3F|42P01|42704|42P10)/,
    "unavailable",
    "the database does not have the service's tables",
    "if it is being restored, wait until that has ended; otherwise restore a backup",
  ],
  [/^(?:XX00[12])/, "corrupt", "the database is corrupt", "restore a backup"],
  [/^(?:58|XX|F0)/, "unavailable", "the database fails", "check its server's log"],
];

/** Errors of a database that is unavailable, full, read-only or failing. Others are returned unchanged. */
export function asStoreError(cause: unknown): unknown {
  const { message = String(cause) } = cause as { message?: string };
  if (isRetriable(cause))
    return new StoreError(
      "unavailable",
      `the database cannot be reached: ${message}; check DATABASE_URL and the server`,
      { mayPass: true, cause },
    );
  const state = stateOf(cause);
  const [, code, what, cure] = FAILURES.find(([states]) => state !== undefined && states.test(state)) ?? [];
  return code === undefined
    ? cause
    : new StoreError(code, `${what}: ${message} (SQLSTATE ${state}); ${cure}`, { cause });
}

/** PostgreSQL's SQLSTATE; undefined if it sent none. */
function stateOf(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}

/** pg gives these no code of their own. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  const isSocketError =
    "syscall" in error ||
    /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)/.test(String((error as { code?: unknown }).code));
  return (
    isSocketError ||
    /connection (?:terminated|ended)|timeout (?:exceeded|expired)|read timeout|not queryable|server closed/i.test(
      error.message,
    )
  );
}
