/** An invalid address: its position in the input, from 1, and the error. */
export interface InvalidAddress {
  readonly line: number;
  readonly error: string;
}

/** The service stopped before it had answered all addresses of a request. */
export class IncompleteAnswer extends Error {
  override readonly name = "IncompleteAnswer";
}

/**
 * Addresses per request. Some platforms read no response before they have sent the whole body, and the service stops
 * reading a body while its response is not read; this many lines fit into the buffers between them.
 */
const ADDRESSES = 5000;

/**
 * Looks up any number of addresses, in order: `send` gets some of them as lines of JSON and yields the lines of the
 * response. No more addresses are taken than the next request needs.
 */
export async function* lookUpEach<Document extends object>(
  addresses: Iterable<string> | AsyncIterable<string>,
  send: (body: string) => Promise<ReadableStream<Uint8Array>>,
): AsyncGenerator<Document | InvalidAddress, void> {
  let answered = 0;
  let lines: string[] = [];
  for await (const address of addresses) {
    if (lines.push(`${JSON.stringify(address)}\n`) < ADDRESSES) continue;
    yield* answersTo<Document>(lines, answered, send);
    answered += lines.length;
    lines = [];
  }
  if (lines.length > 0) yield* answersTo<Document>(lines, answered, send);
}

async function* answersTo<Document extends object>(
  lines: readonly string[],
  start: number,
  send: (body: string) => Promise<ReadableStream<Uint8Array>>,
): AsyncGenerator<Document | InvalidAddress, void> {
  let count = 0;
  let reason = "";
  for await (const text of linesOf(await send(lines.join("")))) {
    count++;
    const answer = JSON.parse(text) as Document | InvalidAddress;
    if (!isInvalid(answer)) {
      yield answer;
      continue;
    }
    reason = `: ${answer.error}`;
    // The service numbers the lines of each request.
    yield { ...answer, line: answer.line + start };
  }
  if (count < lines.length)
    throw new IncompleteAnswer(`the service answered ${count} of ${lines.length} addresses of a request${reason}`);
}

/** Whether an answer is the error of an address; documents have the address. */
function isInvalid(answer: object): answer is InvalidAddress {
  return "error" in answer && !("ip" in answer);
}

/** The lines of a body, as they arrive. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel();
  }
}
