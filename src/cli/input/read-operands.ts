import { formatPrefix } from "../../address/prefix.ts";
import { inputChunks } from "../../batch/input/input-chunks.ts";
import { ListLineError } from "../../reading/list-error.ts";
import { readListLine } from "../../reading/list-line.ts";
import { standardError } from "../runner/standard-error.ts";

/** Something to look up, and where it was read: an empty string for the command line. */
export interface OperandText {
  readonly text: string;
  /** A line of standard input that cannot be read; its text is empty. */
  readonly error?: ListLineError;
  /** What an error begins with, such as `standard input:3: `. */
  readonly location: string;
}

/**
 * The operands of a command that looks something up. "-" stands for the lines of standard input, as they come:
 * their entries, as in every list, of a range its prefixes.
 */
export async function* readOperands(operands: readonly string[]): AsyncGenerator<OperandText> {
  for (const operand of operands) {
    if (operand === "-") yield* standardInputLines();
    else yield { text: operand, location: "" };
  }
}

async function* standardInputLines(): AsyncGenerator<OperandText> {
  if (process.stdin.isTTY)
    standardError().write("ipsieve: reading addresses from the terminal, one per line; end with Ctrl-D\n");
  // The decoder drops a byte order mark. Bytes that are not UTF-8 become U+FFFD, which no address contains.
  const decoder = new TextDecoder();
  let rest = "";
  let line = 0;
  for await (const chunk of inputChunks("-")) {
    const text = decoder.decode(chunk, { stream: true });
    if (!text.includes("\n")) {
      rest += text;
      continue;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const each of lines) for (const part of withoutCr(each)) yield* textsIn(part, ++line);
  }
  for (const part of withoutCr(rest + decoder.decode())) yield* textsIn(part, ++line);
}

/** Some lists have CR alone at the end of each line. */
function withoutCr(line: string): string[] {
  return (line.endsWith("\r") ? line.slice(0, -1) : line).split("\r");
}

function* textsIn(line: string, number: number): Generator<OperandText> {
  const location = `standard input:${number}: `;
  try {
    for (const { text, prefixes } of readListLine(line)?.entries ?? []) {
      if (prefixes.length === 1) yield { text: text.includes("-") ? formatPrefix(prefixes[0]!) : text, location };
      else for (const prefix of prefixes) yield { text: formatPrefix(prefix), location };
    }
  } catch (error) {
    if (!(error instanceof ListLineError)) throw error;
    yield { text: "", location, error };
  }
}
