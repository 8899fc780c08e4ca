/** By field, what is wrong with it. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Why the service did not do what it was asked to. Each way into the service says by this what it answers. */
export type ServiceErrorCode =
  /** Something that was sent cannot be right: `fields` says what. */
  | "invalid"
  | "not-text"
  /** What was sent is longer than is taken. */
  | "too-long"
  | "not-found"
  | "conflict"
  /** A new dataset would lose more of the old one than is allowed: `counts` says how much. */
  | "dataset-shrinks"
  /** The organisation has no active plan for it. */
  | "no-plan"
  /** It may be tried again after `retryAfter`. */
  | "too-many-requests"
  | "unavailable";

interface Details {
  readonly fields?: FieldErrors;
  readonly retryAfter?: number;
  readonly counts?: DatasetShrinkage;
}

/** What a new dataset would do to the prefixes of the old one. */
export interface DatasetShrinkage {
  readonly totalPrefixes: number;
  readonly added: number;
  readonly removed: number;
  readonly kept: number;
  /** In per cent, rounded up: what `maxShrink` has to be for it to pass. */
  readonly removedPercent: number;
  readonly maxShrink: number;
}

/** An error that whoever asked may read: its message says what is wrong and how to put it right. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  /** Of "invalid": at least one. */
  readonly fields: FieldErrors | undefined;
  /** After how many seconds it may be tried again. */
  readonly retryAfter: number | undefined;
  readonly counts: DatasetShrinkage | undefined;

  constructor(code: ServiceErrorCode, message: string, { fields, retryAfter, counts }: Details = {}) {
    super(message);
    this.code = code;
    this.fields = fields;
    this.retryAfter = retryAfter;
    this.counts = counts;
  }
}

/** The error of fields that are wrong, at least one of them. */
export function invalid(fields: FieldErrors): ServiceError {
  const described = Object.entries(fields).map(([field, messages]) => `${field}: ${messages[0]}`);
  const more = described.length > MAX_DESCRIBED ? `; and ${described.length - MAX_DESCRIBED} more` : "";
  return new ServiceError("invalid", `${described.slice(0, MAX_DESCRIBED).join("; ")}${more}`, { fields });
}

const MAX_DESCRIBED = 3;

/** The error of having asked too often. */
export function tooManyRequests(message: string, retryAfter: number): ServiceError {
  return new ServiceError("too-many-requests", `${message}; try again in ${retryAfter} s`, { retryAfter });
}
