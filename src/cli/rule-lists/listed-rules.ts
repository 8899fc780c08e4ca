import { inputChunks } from "../../batch/input/input-chunks.ts";
import { type ImportFormat, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { errorText, type ImportedRule, type LineError } from "../../rulesets/importers/imported-rule.ts";
import type { Arguments } from "../runner/command.ts";
import { counted } from "../../words/numbers.ts";
import { LineMessages } from "./line-messages.ts";
import { rejectBinary, rejectUnreadable } from "./read-list.ts";
import { formatOf, listName } from "./list-options.ts";
import { UsageError } from "../runner/usage-error.ts";

/** More errors than anyone reads: reading ends there, so that a file that is no list takes no memory. */
export const MAX_ERRORS = 100_000;

/**
 * The rules of a list, as a server would read them, by prefix. Lines that cannot be read are reported as FILE:LINE.
 * Throws UsageError if there are any, and UsageError or BatchError for a file that cannot be read.
 */
export async function listedRules(args: Arguments, path: string): Promise<readonly ImportedRule[]> {
  rejectUnreadable(path);
  const format = importFormat(args, path);
  const list = new RuleImport(format, { allowSpecialPurpose: true, maxErrors: MAX_ERRORS });
  // A text may have other bytes in its comments; elsewhere they make its lines unreadable.
  const decoder = new TextDecoder("utf-8", { fatal: format !== "text", ignoreBOM: true });
  let isFirst = true;
  try {
    for await (const chunk of inputChunks(path)) {
      if (isFirst) rejectBinary(path, chunk);
      isFirst = false;
      list.write(decoder.decode(chunk, { stream: true }));
    }
    list.write(decoder.decode());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw error;
    throw new UsageError(`${listName(path)}: not UTF-8; convert the file`);
  }
  const { rules, errors } = list.end();
  rejectLines(path, errors);
  return rules;
}

/** Reports the first lines as FILE:LINE, and how many there are. Throws UsageError if there are any. */
export function rejectLines(path: string, errors: readonly LineError[]): void {
  const messages = new LineMessages(listName(path));
  for (const error of errors) messages.add(error.line, errorText(error));
  messages.end(errors.length <= MAX_ERRORS);
  if (errors.length > 0)
    throw new UsageError(`${listName(path)}: ${counted(errors.length, "line")} cannot be read; correct the list`);
}

function importFormat(args: Arguments, path: string): ImportFormat {
  const format = formatOf(args, path);
  if (format !== "json") return format;
  throw new UsageError(
    `${listName(path)}: only lists in text, csv or ndjson can be compared; convert the list, or choose a --format`,
  );
}
