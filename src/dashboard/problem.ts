/** A problem document (RFC 9457), or the shape of the threat-intelligence service. */
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
  /** By field, what is wrong with it. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** To quote to whoever runs the service. */
  readonly requestId: string | undefined;
  /** The whole body, for members of its own. */
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

/** Whatever was thrown, as a problem. Those who gave a request up themselves know that they did. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // This is how browsers report that no answer came.
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
