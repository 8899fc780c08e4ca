/** The errors of each field. */
export type ValidationErrors = Readonly<Record<string, readonly string[]>>;

/**
 * A document of RFC 9457 as the service sends it. Properties that only some kinds have, such as `existing` of a
 * conflict, are beside the named ones.
 */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly request_id?: string;
  readonly validation_errors?: ValidationErrors;
  readonly [extension: string]: unknown;
}

/** How to fix a failed connection, by the code of its error. */
const CURES: readonly (readonly [codes: RegExp, cure: string])[] = [
  [/^ECONNREFUSED$/, "nothing listens there: check that the service is running, and the service's address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "its host name cannot be resolved: check the service's address and this machine's DNS"],
  [
    /TIMEOUT|TIMEDOUT|^(EHOSTUNREACH|ENETUNREACH)$/,
    "it does not respond: check the service's address, the network and any firewall in between",
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    "the connection was closed early: send the request again; its Idempotency-Key keeps a write from being made twice",
  ],
  [
    /CERT|TLS|SSL|SIGNATURE/,
    "its certificate is not trusted here: check the host name in the service's address, or set NODE_EXTRA_CA_CERTS to the file of its authority",
  ],
];
const CURE = "check the service's address, and that it can be reached from here";

/** There was no response, or only part of one. `cause` is the platform's own error. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The platform's code, such as ECONNREFUSED; "connection-failed" if there is none, as in browsers. */
  readonly code: string;
  /** The URL at which the service was expected. */
  readonly address: string;

  constructor(address: string, cause: unknown) {
    const code = codeOf(cause) ?? "connection-failed";
    const cure = CURES.find(([codes]) => codes.test(code))?.[1] ?? CURE;
    super(`no response from ${address} (${code}); ${cure}`, { cause });
    this.code = code;
    this.address = address;
  }

  /** Whether an error is about a connection rather than a mistake in a program. */
  static isOne(error: unknown): boolean {
    return codeOf(error) !== undefined;
  }
}

/** `fetch` wraps the socket's error, possibly more than once. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === "string") return code;
  return cause === undefined ? undefined : codeOf(cause);
}

/** An unsuccessful response. */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly status: number;
  /** The id of the request, to quote to the operator of the service. */
  readonly requestId: string | undefined;
  readonly headers: Headers;

  constructor(message: string, response: Response, requestId?: string) {
    super(message);
    this.status = response.status;
    this.headers = response.headers;
    this.requestId = requestId ?? response.headers.get("x-request-id") ?? undefined;
  }
}

/**
 * An error response with a problem document. `kind` is the part after `/problems/` in its type, such as "not-found".
 */
export class ProblemError extends ServiceError {
  override readonly name = "ProblemError";
  readonly kind: string;
  readonly problem: ProblemDocument;

  constructor(problem: ProblemDocument, response: Response) {
    super(`${problem.title}: ${problem.detail}`, response, problem.request_id);
    this.problem = problem;
    this.kind = problem.type.replace(/^\/problems\//, "");
  }

  /** The errors of each field; empty for problems other than validation errors. */
  get validationErrors(): ValidationErrors {
    return this.problem.validation_errors ?? {};
  }
}

/** An error response of the threat-intelligence lookups (400, 500), which has a form of its own. */
export class ThreatLookupError extends ServiceError {
  override readonly name = "ThreatLookupError";
}

/**
 * The error for a response. Never rejects because of the body: one that cannot be read gives a ServiceError with the
 * status.
 */
export async function errorOf(response: Response): Promise<ServiceError> {
  const body = (await response.json().catch(() => undefined)) as
    | (Partial<ProblemDocument> & { readonly message?: unknown; readonly request_id?: unknown })
    | undefined;
  if (typeof body?.type === "string" && typeof body.detail === "string")
    return new ProblemError(body as ProblemDocument, response);
  if (typeof body?.message === "string" && typeof body.request_id === "string")
    return new ThreatLookupError(body.message, response, body.request_id);
  if (isRedirect(response)) return new ServiceError(redirectText(response), response);
  return new ServiceError(`the service answered ${response.status} ${response.statusText}`.trim(), response);
}

/** Browsers hide where a redirect leads, and even its status. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400 && headers.has("location"));
}

function redirectText({ headers }: Response): string {
  return `the service redirects to ${headers.get("location") ?? "another address"}, and the key is not sent there; use the service's own address`;
}
