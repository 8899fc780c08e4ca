import { inputChunks } from "../../batch/input/input-chunks.ts";
import { type ImportFormat, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { errorText, type ImportedRule, type LineError } from "../../rulesets/importers/imported-rule.ts";
import type { Arguments } from "../runner/command.ts";
import { counted } from "../output/numbers.ts";
import { standardError } from "../output/standard-error.ts";
import { rejectBinary, rejectUnreadable } from "./read-list.ts";
import { formatOf, listName } from "./list-options.ts";
import { UsageError } from "../runner/usage-error.ts";

/**
 * The rules of a list, as a server would read them, by prefix. Lines that cannot be read are reported as FILE:LINE.
 * Throws UsageError if there are any, and UsageError or BatchError for a file that cannot be read.
 */
export async function listedRules(args: Arguments, path: string): Promise<readonly ImportedRule[]> {
  rejectUnreadable(path);
  const list = new RuleImport(importFormat(args, path), { allowSpecialPurpose: true });
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
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

/** Reports lines as FILE:LINE. @throws UsageError if there are any */
export function rejectLines(path: string, errors: readonly LineError[]): void {
  for (const error of errors) standardError().write(`${listName(path)}:${error.line}: ${errorText(error)}\n`);
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
