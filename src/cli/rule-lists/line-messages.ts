import { counted, grouped } from "../../words/numbers.ts";
import { standardError } from "../runner/standard-error.ts";

/** How many lines of one list are reported individually: in a file that is not a list, every line is bad. */
const MAX_MESSAGES = 20;

/** Reports the lines of one list to standard error: the first ones, and how many there are in all. */
export class LineMessages {
  readonly #name: string;
  count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add(line: number, message: string): void {
    if (++this.count <= MAX_MESSAGES) standardError().write(`${this.#name}:${line}: ${message}\n`);
  }

  /** After the last line. `isWhole`: all of the list has been read. */
  end(isWhole = true): void {
    const more = this.count - MAX_MESSAGES;
    if (more <= 0) return;
    const all = isWhole ? `${grouped(this.count)} in all` : `and the list was not read to its end`;
    standardError().write(`${this.#name}: ... and ${counted(more, "more line")} like these, ${all}\n`);
  }
}
