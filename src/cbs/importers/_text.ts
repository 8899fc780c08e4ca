import { ImportError } from "./import-error.ts";

/** The text without its byte order mark. @throws ImportError "web-page", "empty" */
export function listText(text: string): string {
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (/^\s*</.test(content))
    throw new ImportError(
      "web-page",
      "line 1",
      "this is a web page, not a list; its URL may have changed, or access may have been denied",
    );
  if (content.trim() === "") throw new ImportError("empty", "line 1", "the file is empty");
  return content;
}

/** The lines, numbered from 1; they end in LF, CRLF or CR. */
export function* linesOf(text: string): Generator<[line: string, number: number]> {
  const lines = text.split(/\r\n|\n|\r/);
  for (let at = 0; at < lines.length; at++) yield [lines[at]!, at + 1];
}
