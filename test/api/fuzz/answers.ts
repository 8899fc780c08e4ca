/** The bytes of a connection, parsed as responses of HTTP/1.1. */
export interface ReadAnswers {
  readonly answers: readonly { readonly status: number; readonly headers: ReadonlyMap<string, string> }[];
  /** The bytes after the last complete response: none if everything is right. */
  readonly rest: string;
}

const HEAD_END = "\r\n\r\n";

/** Parses responses one after the other; interim ones (1xx) are left out. */
export function readAnswers(received: Buffer): ReadAnswers {
  const text = received.toString("latin1");
  const answers: { status: number; headers: Map<string, string> }[] = [];
  let at = 0;
  for (;;) {
    const end = text.indexOf(HEAD_END, at);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text.slice(at, at + 16))?.[1] ?? NaN);
    if (end < 0 || Number.isNaN(status)) break;
    const headers = new Map(
      text
        .slice(at, end)
        .split("\r\n")
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const next = status < 200 ? end + HEAD_END.length : endOfBody(text, end + HEAD_END.length, status, headers);
    if (next < 0) break;
    at = next;
    if (status >= 200) answers.push({ status, headers });
  }
  return { answers, rest: text.slice(at) };
}

/** -1 if the body is incomplete. */
function endOfBody(text: string, start: number, status: number, headers: ReadonlyMap<string, string>): number {
  if (status === 204 || status === 304) return start;
  if (headers.get("transfer-encoding") === "chunked") return endOfChunks(text, start);
  const length = headers.get("content-length");
  // Without a length it continues until the connection ends.
  const end = length === undefined ? text.length : start + Number(length);
  return end <= text.length ? end : -1;
}

function endOfChunks(text: string, start: number): number {
  for (let at = start; ;) {
    const lineEnd = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size)) return -1;
    at = lineEnd + 2 + size + 2;
    if (at > text.length) return -1;
    if (size === 0) return at;
  }
}
