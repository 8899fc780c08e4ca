import { inputChunks } from "../../batch/input/input-chunks.ts";
import { standardError } from "../output/standard-error.ts";

/** Something to look up, and where it was read: an empty string for the command line. */
export interface OperandText {
  readonly text: string;
  /** What an error begins with, such as `standard input:3: `. */
  readonly location: string;
}

/**
 * The operands of a command that looks something up. "-" stands for the lines of standard input, one address or prefix
 * each, as they come; empty lines and those that begin with "#" are left out.
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
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const text of lines) yield* textsIn(text, ++line);
  }
  yield* textsIn(rest + decoder.decode(), ++line);
}

function* textsIn(line: string, number: number): Generator<OperandText> {
  const text = line.trim();
  if (text !== "" && !text.startsWith("#")) yield { text, location: `standard input:${number}: ` };
}
