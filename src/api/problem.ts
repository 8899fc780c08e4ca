import type { FieldErrors } from "../service/service-error.ts";

/** The kinds of problem. Each has one status, one `type` and one `title`. */
export const PROBLEMS = {
  "validation-error": { status: 400, title: "Validation Error" },
  "authentication-required": { status: 401, title: "Authentication Required" },
  "permission-denied": { status: 403, title: "Permission Denied" },
  "not-found": { status: 404, title: "Not Found" },
  "method-not-allowed": { status: 405, title: "Method Not Allowed" },
  "not-acceptable": { status: 406, title: "Not Acceptable" },
  "request-timeout": { status: 408, title: "Request Timeout" },
  conflict: { status: 409, title: "Conflict" },
  "shrinks-too-much": { status: 409, title: "Shrinks Too Much" },
  collateral: { status: 409, title: "Collateral" },
  "dataset-shrinks": { status: 409, title: "Dataset Shrinks Too Much" },
  gone: { status: 410, title: "Gone" },
  "precondition-failed": { status: 412, title: "Precondition Failed" },
  "content-too-large": { status: 413, title: "Content Too Large" },
  "uri-too-long": { status: 414, title: "URI Too Long" },
  "unsupported-media-type": { status: 415, title: "Unsupported Media Type" },
  "expectation-failed": { status: 417, title: "Expectation Failed" },
  "idempotency-key-reused": { status: 422, title: "Idempotency Key Reused" },
  "rate-limit-exceeded": { status: 429, title: "Rate Limit Exceeded" },
  "header-fields-too-large": { status: 431, title: "Request Header Fields Too Large" },
  "internal-server-error": { status: 500, title: "Internal Server Error" },
  "service-unavailable": { status: 503, title: "Service Unavailable" },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

/** Those that a gateway would send: their bodies carry the request's id, so that users can quote it to the operator. */
export const WITH_REQUEST_ID: ReadonlySet<ProblemKind> = new Set([
  "authentication-required",
  "permission-denied",
  "rate-limit-exceeded",
  "internal-server-error",
  "service-unavailable",
]);

interface Details {
  readonly validationErrors?: FieldErrors;
  /** Properties of its own, by name. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A property that may be a list of thousands: the last one of the body, written while it is sent. */
  readonly list?: { readonly name: string; readonly items: Iterable<object> };
}

/** A request that gets a problem document as its response (RFC 9457). */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly kind: ProblemKind;
  readonly details: Details;

  constructor(kind: ProblemKind, detail: string, details: Details = {}) {
    super(detail);
    this.kind = kind;
    this.details = details;
  }

  get status(): number {
    return PROBLEMS[this.kind].status;
  }

  /** The body; `instance` is the path of the request. */
  document(instance: string, requestId: string): Record<string, unknown> {
    const {
      validationErrors = this.kind === "validation-error" ? { request: [this.message] } : undefined,
      extensions,
    } = this.details;
    return {
      type: `/problems/${this.kind}`,
      title: PROBLEMS[this.kind].title,
      status: this.status,
      detail: this.message,
      instance,
      ...(WITH_REQUEST_ID.has(this.kind) ? { request_id: requestId } : {}),
      ...(validationErrors === undefined ? {} : { validation_errors: validationErrors }),
      ...extensions,
    };
  }
}

export function notFound(what: string): Problem {
  return new Problem("not-found", what);
}
