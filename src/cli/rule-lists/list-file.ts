import { statSync } from "node:fs";
import { inputChunks } from "../../batch/input/input-chunks.ts";
import type { Arguments } from "../runner/command.ts";
import { formatOf, listName } from "./list-options.ts";
import { createProgress } from "../output/progress.ts";
import { standardError } from "../runner/standard-error.ts";
import { rejectBinary, rejectUnreadable } from "./read-list.ts";
import type { ListFormat, RuleSource } from "./rule-source.ts";

/** The list in a file; "-" is standard input. Throws UsageError for a path that cannot be read. */
export function fileSource(args: Arguments, path: string): RuleSource {
  rejectUnreadable(path);
  return new ListFile(path, formatOf(args, path));
}

/** A progress bar is only useful for longer work. */
const SHOWN_AFTER_MS = 500;
const SHOWN_EVERY_MS = 100;
const LINE_FEED = 10;

class ListFile implements RuleSource {
  readonly name: string;
  readonly format: ListFormat;
  readonly #path: string;
  readonly #display = createProgress("auto", false);
  readonly #totalBytes: number | null;
  readonly #start = performance.now();
  #shownAt = 0;
  #bytesRead = 0;
  #lines = 0;

  constructor(path: string, format: ListFormat) {
    this.name = listName(path);
    this.format = format;
    this.#path = path;
    const found = path === "-" ? undefined : statSync(path);
    this.#totalBytes = found?.isFile() === true ? found.size : null;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#path === "-" && process.stdin.isTTY)
      standardError().write("ipsieve: reading the list from the terminal; end with Ctrl-D\n");
    let isFirst = true;
    for await (const chunk of inputChunks(this.#path, (bytes) => (this.#bytesRead += bytes))) {
      if (isFirst) rejectBinary(this.#path, chunk);
      isFirst = false;
      yield chunk;
      this.#show(chunk);
    }
  }

  close(): void {
    this.#display?.end();
  }

  #show(chunk: Uint8Array): void {
    if (this.#display === undefined) return;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) this.#lines++;
    const elapsed = performance.now() - this.#start;
    if (elapsed < SHOWN_AFTER_MS || elapsed - this.#shownAt < SHOWN_EVERY_MS) return;
    this.#shownAt = elapsed;
    this.#display.update({ bytesRead: this.#bytesRead, totalBytes: this.#totalBytes, lines: this.#lines, elapsed });
  }
}
