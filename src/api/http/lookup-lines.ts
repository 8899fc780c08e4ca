import { StringDecoder } from "node:string_decoder";
import { AddressError } from "../../address/address-error.ts";
import type { CtiDataset } from "../../cti/dataset.ts";
import { BULK_DOCUMENTS } from "../../cti/bulk-lookup.ts";
import { Slice } from "../../turns/in-slices.ts";
import { redact } from "./redact.ts";

/** Lines that are answered before the clock is looked at: a fraction of a millisecond. */
const LINES_AT_ONCE = 100;
/** No line of one address is longer. */
const MAX_LINE_LENGTH = 4096;
/**
 * Bytes of the body that are answered at a time. The answer to an empty object, or to a letter, is fifty times as long.
 */
const PIECE = 4096;
/** Characters that wait to be read before more lines are answered. */
const MAX_ANSWER = 64 << 10;

/**
 * Answers addresses line by line while they arrive, a piece at a time: nothing is read ahead of what has been written,
 * so that memory stays bounded however long the body is, and however few of its answers are read. `count` is called
 * with each piece's lookups.
 */
export async function* lookUpLines(
  dataset: CtiDataset,
  body: AsyncIterable<Buffer>,
  count: (lookups: number, seen: number) => void,
): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  const answerer = new LineAnswerer(dataset);
  const slice = new Slice();
  let [rest, answers] = ["", ""];
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += PIECE) {
      const lines = (rest + decoder.write(chunk.subarray(start, start + PIECE))).split("\n");
      rest = lines.pop()!;
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
        answers += withoutStacks(() => answerer.answer(lines.slice(at, at + LINES_AT_ONCE), count));
        if (!slice.isOver && answers.length < MAX_ANSWER) continue;
        yield answers;
        answers = "";
        await slice.pause();
      }
      if (rest.length <= MAX_LINE_LENGTH) continue;
      yield (
        answers + answerer.reject(`the line is longer than ${MAX_LINE_LENGTH} characters; nothing after it was read`)
      );
      return;
    }
    if (answers !== "") yield answers;
    answers = "";
  }
  rest += decoder.end();
  if (rest !== "") yield answerer.answer([rest], count);
}

/** Most of the time of an error goes into its stack, which no one sees here. */
function withoutStacks<Value>(work: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class LineAnswerer {
  readonly #dataset: CtiDataset;
  #line = 0;

  constructor(dataset: CtiDataset) {
    this.#dataset = dataset;
  }

  answer(lines: readonly string[], count: (lookups: number, seen: number) => void): string {
    let text = "";
    let [lookups, seen] = [0, 0];
    for (const line of lines) {
      this.#line++;
      const content = line.trim();
      if (content === "") continue;
      lookups++;
      try {
        const ip = addressIn(content);
        const { table, bulkStates } = this.#dataset;
        const document = BULK_DOCUMENTS[bulkStates[table.lookup(ip)]!]!;
        if (document.seen) seen++;
        text += `${JSON.stringify({ ip, ...document })}\n`;
      } catch (error) {
        if (!(error instanceof AddressError || error instanceof SyntaxError)) throw error;
        text += this.#rejection(error.message);
      }
    }
    count(lookups, seen);
    return text;
  }

  reject(message: string): string {
    this.#line++;
    return this.#rejection(message);
  }

  #rejection(error: string): string {
    return `${JSON.stringify({ line: this.#line, error: redact(error) })}\n`;
  }
}

/** The address of a line: bare, a JSON text, or the member `ip` of an object. @throws SyntaxError */
function addressIn(line: string): string {
  const first = line[0];
  if (first !== '"' && first !== "{") return line;
  const value = JSON.parse(line) as unknown;
  const ip = typeof value === "object" && value !== null ? (value as { ip?: unknown }).ip : value;
  if (typeof ip === "string") return ip;
  throw new SyntaxError('the line has no address: write it plainly, as a JSON string, or as {"ip": "..."}');
}
