import { statSync } from "node:fs";
import { extname } from "node:path";
import { inputChunks } from "../batch/input/input-chunks.ts";
import { MAX_EXPIRY_DAYS } from "../rulesets/validate-rule.ts";
import type { Arguments, Option } from "./command.ts";
import { createProgress } from "./output/progress.ts";
import { standardError } from "./output/standard-error.ts";
import { wholeNumber } from "./parse-arguments.ts";
import { rejectBinary, unpackedName } from "./read-list.ts";
import { UsageError } from "./usage-error.ts";

const MEDIA_TYPES = {
  text: "text/plain",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  json: "application/json",
} as const;
export type ListFormat = keyof typeof MEDIA_TYPES;
const FORMATS = Object.keys(MEDIA_TYPES) as readonly ListFormat[];
const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
};

/** Of commands that read a list. */
export const LIST_FORMAT_OPTION: Option = {
  name: "format",
  value: "FORMAT",
  choices: FORMATS,
  help: "the format of the list; default: by the file's extension (.csv, .ndjson, .jsonl, .json), otherwise text",
};

/** Of commands that send a list. */
export const LIST_OPTIONS: readonly Option[] = [
  LIST_FORMAT_OPTION,
  { name: "skip-invalid", help: "skip and report lines that are invalid or repeat a prefix" },
  { name: "name", value: "NAME", help: "the name of rules that have none in the list" },
  { name: "expires-in-days", value: "N", help: "days from now after which rules without an expiry in the list expire" },
  {
    name: "expires-at",
    value: "TIME",
    help: "when rules without an expiry in the list expire; ISO 8601 with a time zone",
  },
];

/** What is true of every list. */
export const LIST_NOTE =
  'Formats: text (one address or prefix per line), csv (columns ip, name, expires_at), ndjson (one JSON object per line), json ({"rules": [...]}). "-" is standard input; gzip and zstd data are unpacked.';

/** The parameters of the request that `LIST_OPTIONS` ask for. Throws UsageError. */
export function listQuery(args: Arguments): RuleFields & { skip_invalid?: true } {
  return { ...(args.has("skip-invalid") && { skip_invalid: true as const }), ...ruleFields(args) };
}

/** What a request says of rules besides their prefixes. */
interface RuleFields {
  readonly name?: string;
  readonly expires_in_days?: number;
  readonly expires_at?: string;
}

/** What the options `name`, `expires-in-days` and `expires-at` say. Throws UsageError. */
export function ruleFields(args: Arguments): RuleFields {
  const [name, days, time] = [args.value("name"), args.value("expires-in-days"), args.value("expires-at")];
  if (days !== undefined && time !== undefined)
    throw new UsageError("--expires-in-days and --expires-at both say when rules expire; give one of them");
  return {
    ...(name !== undefined && { name }),
    ...(days !== undefined && { expires_in_days: wholeNumber("expires-in-days", days, MAX_EXPIRY_DAYS) }),
    ...(time !== undefined && { expires_at: time }),
  };
}

/** How messages name a list. */
export function listName(path: string): string {
  return path === "-" ? "standard input" : path;
}

/** What a request needs besides its parameters to send a list while it is read. */
export interface SentList {
  readonly body: never;
  readonly bodySerializer: (body: unknown) => ReadableStream;
  readonly headers: { readonly "Content-Type": string };
  readonly duplex: "half";
}

/** The format of the list in a file. */
export function formatOf(args: Arguments, path: string): ListFormat {
  return (
    (args.value("format") as ListFormat | undefined) ??
    BY_EXTENSION[extname(unpackedName(path)).toLowerCase()] ??
    "text"
  );
}

/**
 * Sends the file of a list by `send`, which gets what its request needs. Throws what `send` throws, and UsageError or
 * BatchError for a file that cannot be read: the server has changed nothing then, as the request breaks off.
 */
export async function sendList<Answer>(
  path: string,
  format: ListFormat,
  send: (list: SentList) => Promise<Answer>,
): Promise<Answer> {
  if (path === "-" && process.stdin.isTTY)
    standardError().write("ipsieve: reading the list from the terminal; end with Ctrl-D\n");
  const list = new ReadList(path);
  const headers = { "Content-Type": MEDIA_TYPES[format] };
  try {
    // The types know bodies that are there as a whole.
    return await send({
      body: ReadableStream.from(list.chunks()) as never,
      bodySerializer: (body) => body as ReadableStream,
      headers,
      duplex: "half",
    });
  } catch (error) {
    throw list.error ?? error;
  } finally {
    list.endProgress();
  }
}

/** A bar is for what takes longer. */
const SHOWN_AFTER_MS = 500;
const SHOWN_EVERY_MS = 100;
const LINE_FEED = 10;

/** A list while it is read. */
class ReadList {
  /** What went wrong with reading it: `fetch` would say that the connection failed. */
  error: unknown;
  readonly #path: string;
  readonly #display = createProgress("auto", false);
  readonly #totalBytes: number | null;
  readonly #start = performance.now();
  #shownAt = 0;
  #bytesRead = 0;
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
    const found = path === "-" ? undefined : statSync(path);
    this.#totalBytes = found?.isFile() === true ? found.size : null;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    let isFirst = true;
    try {
      for await (const chunk of inputChunks(this.#path, (bytes) => (this.#bytesRead += bytes))) {
        if (isFirst) rejectBinary(this.#path, chunk);
        isFirst = false;
        yield chunk;
        this.#show(chunk);
      }
    } catch (error) {
      this.error = error;
      throw error;
    }
  }

  endProgress(): void {
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
