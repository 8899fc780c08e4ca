import { StringDecoder } from "node:string_decoder";
import { AddressError } from "../address/address-error.ts";
import type { CtiDataset } from "../cti/dataset.ts";
import { BULK_DOCUMENTS } from "../cti/bulk-lookup.ts";
import { inSlices } from "./in-slices.ts";
import { redact } from "./redact.ts";

/** No line of one address is longer. */
const LONGEST_LINE = 4096;
/** Bytes of the body that are answered at a time. The answer to an empty object, or to a letter, is fifty times as long. */
const PIECE = 4096;
/** Lines that are answered before others may have their turn: some hundred microseconds, if all are faulty a millisecond. */
const LINES_AT_ONCE = 50;

/**
 * Answers addresses line by line while they arrive, a piece at a time: nothing is read ahead of what has been written, so that memory stays
 * bounded however long the body is, and however few of its answers are read. `count` is told of each piece's lookups.
 */
export async function* lookUpLines(dataset: CtiDataset, body: AsyncIterable<Buffer>, count: (lookups: number, seen: number) => void): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  const answerer = new LineAnswerer(dataset);
  let rest = "";
  for await (const piece of piecesOf(body)) {
    const lines = (rest + decoder.write(piece)).split("\n");
    rest = lines.pop()!;
    if (lines.length > 0) yield await inSlices(answerer.answer(lines, count));
    if (rest.length <= LONGEST_LINE) continue;
    yield answerer.refuse(`the line is longer than ${LONGEST_LINE} characters; nothing after it was read`);
    return;
  }
  rest += decoder.end();
  if (rest !== "") yield await inSlices(answerer.answer([rest], count));
}

async function* piecesOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of body) for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
}

class LineAnswerer {
  readonly #dataset: CtiDataset;
  #line = 0;

  constructor(dataset: CtiDataset) {
    this.#dataset = dataset;
  }

  *answer(lines: readonly string[], count: (lookups: number, seen: number) => void): Generator<undefined, string, undefined> {
    let text = "";
    let [lookups, seen] = [0, 0];
    for (const [index, line] of lines.entries()) {
      if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
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
        text += this.#refusal(error.message);
      }
    }
    count(lookups, seen);
    return text;
  }

  refuse(message: string): string {
    this.#line++;
    return this.#refusal(message);
  }

  #refusal(error: string): string {
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
  throw new SyntaxError('the line has no address: write it as it is, as a JSON text, or as {"ip": "..."}');
}
