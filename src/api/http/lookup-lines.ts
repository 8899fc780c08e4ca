import { StringDecoder } from "node:string_decoder";
import type { AddressError } from "../../address/address-error.ts";
import { withoutStacks } from "../../address/without-stacks.ts";
import { standsTwice, unexpected } from "../../json/json-list.ts";
import { jsonErrorAt, repeatedKey } from "../../json/json-positions.ts";
import { Slice } from "../../turns/in-slices.ts";
import { Problem } from "../problem.ts";
import { redact } from "./redact.ts";

/** Lines answered before the clock is checked: a fraction of a millisecond. */
const LINES_AT_ONCE = 128;
/** No valid line with one address is longer. */
const MAX_LINE_LENGTH = 4096;
/** Bytes of the body answered at a time. The answer to an empty object, or to a letter, is fifty times as long. */
const PIECE = 4096;
/** Response characters that may wait to be read before more lines are answered. */
const MAX_ANSWER = 64 << 10;

/**
 * Looks up addresses: gives for each, in order, its document as one line of JSON, or what is wrong with it. A Problem
 * that it throws ends the stream.
 */
export type LookUpTexts = (texts: readonly string[]) => readonly (string | AddressError)[];

/**
 * Answers addresses line by line while they arrive, a piece at a time: nothing is read ahead of what has been written,
 * so memory stays bounded however long the body is, and however few of its answers are read.
 */
export async function* lookUpLines(lookUp: LookUpTexts, body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  const answerer = new LineLookup(lookUp);
  const slice = new Slice();
  let [rest, answers] = ["", ""];
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += PIECE) {
      const lines = (rest + decoder.write(chunk.subarray(start, start + PIECE))).split("\n");
      rest = lines.pop()!;
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
        answers += withoutStacks(() => answerer.answer(lines.slice(at, at + LINES_AT_ONCE)));
        if (answerer.hasEnded) return yield answers;
        if (!slice.isOver && answers.length < MAX_ANSWER) continue;
        yield answers;
        answers = "";
        await slice.pause();
      }
      if (rest.length > MAX_LINE_LENGTH)
        return yield answers + answerer.end(`the line is longer than ${MAX_LINE_LENGTH} characters`);
    }
    if (answers !== "") yield answers;
    answers = "";
  }
  rest += decoder.end();
  if (rest !== "") yield answerer.answer([rest]);
}

class LineLookup {
  readonly #lookUp: LookUpTexts;
  /** Lines that have been answered. */
  #lines = 0;
  /** Whether no more lines are to be answered. */
  hasEnded = false;

  constructor(lookUp: LookUpTexts) {
    this.#lookUp = lookUp;
  }

  answer(lines: readonly string[]): string {
    const addresses: string[] = [];
    const read = lines.map((line) => readLine(line, addresses));
    let answers: ReturnType<LookUpTexts>;
    try {
      answers = this.#lookUp(addresses);
    } catch (error) {
      if (error instanceof Problem) return this.end(error.message);
      throw error;
    }
    let text = "";
    let next = 0;
    for (const outcome of read) {
      this.#lines++;
      if (outcome === EMPTY) continue;
      const answer = outcome === ADDRESS ? answers[next++]! : outcome;
      text += typeof answer === "string" ? `${answer}\n` : this.#rejection(answer.message);
    }
    return text;
  }

  /** Nothing is read beyond the lines that have been answered. */
  end(reason: string): string {
    this.hasEnded = true;
    this.#lines++;
    return this.#rejection(`${reason}; nothing after it was read`);
  }

  #rejection(error: string): string {
    return `${JSON.stringify({ line: this.#lines, error: redact(error) })}\n`;
  }
}

const EMPTY = Symbol("empty");
const ADDRESS = Symbol("address");

/** Classifies a line; an address is appended to the batch. */
function readLine(line: string, addresses: string[]): typeof EMPTY | typeof ADDRESS | Error {
  const content = line.trim();
  if (content === "") return EMPTY;
  try {
    addresses.push(addressIn(content));
    return ADDRESS;
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** The address of a line: bare, a JSON string, or the member `ip` of an object. @throws SyntaxError */
function addressIn(line: string): string {
  const first = line[0];
  if (first !== '"' && first !== "{") return line;
  const value = parsed(line);
  const ip = typeof value === "object" && value !== null ? (value as { ip?: unknown }).ip : value;
  if (typeof ip === "string") return ip;
  throw new SyntaxError('the line has no address: write it plainly, as a JSON string, or as {"ip": "..."}');
}

/** @throws SyntaxError with the position, and for an object with the same property twice */
function parsed(line: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const at = jsonErrorAt(line);
    throw new SyntaxError(unexpected(line[at], at));
  }
  const repeated = line[0] === "{" ? repeatedKey(line, value) : -1;
  if (repeated >= 0) throw new SyntaxError(standsTwice(repeated));
  return value;
}
