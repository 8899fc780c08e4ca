/** The errors of each field. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Why the service rejected a request. Each interface of the service maps it to its own kind of response. */
export type ServiceErrorCode =
  /** Something in the request is invalid: `fields` says what. */
  | "invalid"
  | "not-text"
  /** The request is longer than allowed. */
  | "too-long"
  | "not-found"
  | "conflict"
  /** Rules would block what should not be blocked: `collateral` says what. */
  | "collateral"
  /** A new dataset would lose more of the old one than is allowed: `counts` has the numbers. */
  | "dataset-shrinks"
  /** The organisation has no active plan for it. */
  | "no-plan"
  /** May be retried after `retryAfter`. */
  | "too-many-requests"
  | "unavailable";

interface Details {
  readonly fields?: FieldErrors;
  readonly retryAfter?: number;
  readonly counts?: DatasetShrinkage;
  readonly collateral?: RefusedCollateral;
}

/** What refused rules would block and, if requested, what could be written instead. */
export interface RefusedCollateral {
  readonly hits: readonly object[];
  readonly carved: readonly string[] | undefined;
}

/** How many prefixes of the old dataset a new one would remove. */
export interface DatasetShrinkage {
  readonly totalPrefixes: number;
  readonly added: number;
  readonly removed: number;
  readonly kept: number;
  /** In percent, rounded up: the smallest `maxShrink` that would allow it. */
  readonly removedPercent: number;
  readonly maxShrink: number;
}

/** An error that the client may read: its message says what is wrong and how to fix it. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  /** With "invalid": at least one. */
  readonly fields: FieldErrors | undefined;
  /** Seconds after which it may be retried. */
  readonly retryAfter: number | undefined;
  readonly counts: DatasetShrinkage | undefined;
  readonly collateral: RefusedCollateral | undefined;

  constructor(code: ServiceErrorCode, message: string, { fields, retryAfter, counts, collateral }: Details = {}) {
    super(message);
    this.code = code;
    this.fields = fields;
    this.retryAfter = retryAfter;
    this.counts = counts;
    this.collateral = collateral;
  }
}

/** The error of invalid fields, at least one of them. */
export function invalid(fields: FieldErrors): ServiceError {
  const described = Object.entries(fields).map(([field, messages]) => `${field}: ${messages[0]}`);
  const more = described.length > MAX_DESCRIBED ? `; and ${described.length - MAX_DESCRIBED} more` : "";
  return new ServiceError("invalid", `${described.slice(0, MAX_DESCRIBED).join("; ")}${more}`, { fields });
}

const MAX_DESCRIBED = 3;

/** The error of too many requests. */
export function tooManyRequests(message: string, retryAfter: number): ServiceError {
  return new ServiceError("too-many-requests", `${message}; try again in ${retryAfter} s`, { retryAfter });
}
