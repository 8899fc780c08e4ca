import type { IdentifyResult } from "../../batch/identify-result.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { standardError } from "../runner/standard-error.ts";

const WHAT = {
  "not-an-object": "not a JSON object",
  "text-after-quotes":
    "text follows the closing quote of a field, so that the record is not looked up; double the quotes within a field, or give --input space",
  "too-many-fields": "more fields than the header has columns",
};

/** What the rows of "append" have of such lines. */
const IN_ROW = {
  "not-an-object": '; its row has the line as the member "text"',
  "text-after-quotes": "",
  "too-many-fields": "; what was added to its row follows them, without a column name",
};

/** Reports the lines of a log that are not what they should be; `isAppended`: their rows have them. */
export function reportMalformed({ malformed, malformedLines }: IdentifyResult, isAppended = false): void {
  const shown = malformedLines.map(({ file, line, column, reason }) => {
    const row = isAppended ? IN_ROW[reason] : "";
    return `${file === "-" ? "standard input" : file}:${line}:${column}: ${WHAT[reason]}${row}`;
  });
  if (malformed > shown.length)
    shown.push(`... and ${counted(malformed - shown.length, "more line")} like these, ${grouped(malformed)} in all`);
  standardError().write(shown.map((text) => `ipsieve: ${text}\n`).join(""));
}
