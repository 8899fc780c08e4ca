/** A problem document (RFC 9457), or the form of the threat-intelligence service. */
interface ProblemDocument {
  readonly title?: string;
  readonly detail?: string;
  readonly message?: string;
  readonly request_id?: string;
  readonly validation_errors?: Readonly<Record<string, readonly string[]>>;
}

/** Why a request was rejected, or could not be sent (status 0). */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly title: string;
  /** The errors of each field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** For users to quote to the operator. */
  readonly requestId: string | undefined;
  /** The whole body, for properties of its own. */
  readonly document: ProblemDocument & Readonly<Record<string, unknown>>;

  constructor(status: number, document: ProblemDocument) {
    super(document.detail ?? document.message ?? document.title ?? `The server answered ${status}`);
    this.status = status;
    this.title = document.title ?? "The request failed";
    this.fields = document.validation_errors ?? {};
    this.requestId = document.request_id;
    this.document = { ...document };
  }
}

/** Anything that was thrown, as a problem. Callers who aborted a request know that they did. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Browsers report a missing response in this way.
  if (error instanceof TypeError)
    return new Problem(0, {
      title: "No response",
      detail: "The server cannot be reached. Check the connection and try again.",
    });
  return new Problem(0, { title: "The page failed", detail: error instanceof Error ? error.message : String(error) });
}

export async function problemIn(response: Response): Promise<Problem> {
  const document: unknown = await response.json().catch(() => ({}));
  const isDocument = typeof document === "object" && document !== null;
  return new Problem(response.status, isDocument ? document : {});
}
