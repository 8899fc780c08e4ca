import { ListLineError } from "./list-error.ts";

/** A field of a line, between commas: without white space around it, and without the double quotes it stands in. */
export interface ListField {
  readonly text: string;
  /** Where the text begins in the line, from 0: after an opening quote. */
  readonly at: number;
}

/** Four numbers between dots, or hexadecimal digits with :: or seven colons, whatever stands after them. */
const LIKE_ENTRY = /\[?(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|(?:[0-9a-f]{1,4}:){7}|(?:[0-9a-f]{0,4}:){0,7}:)/iy;
const MARK_OR_QUOTE = /[#;"]|\/\//;
/** Two slashes and a number: a comment, or a prefix length with one slash too many. */
const DOUBLE_SLASH = /\/\/[0-9]{1,3}(?![0-9a-z])/iy;

/**
 * The fields of a line, none in an empty one, and the offset at which its comment, or the line, ends them. A quote counts only at the start of a field
 * (RFC 4180). `#`, `;` and `//` begin a comment at the start of a field, after white space, and in or behind an entry;
 * in other text, such as a label, they are characters. O(length). Throws ListLineError.
 */
export function fieldsOf(line: string): { readonly fields: readonly ListField[]; readonly end: number } {
  if (!MARK_OR_QUOTE.test(line)) return { fields: plainFields(line), end: line.length };
  const fields: ListField[] = [];
  for (let at = 0; ; at++) {
    const start = afterBlanks(line, at);
    let end = start;
    if (start === line.length || isMark(line, start)) {
      if (fields.length > 0) fields.push({ text: "", at: start });
      return { fields, end: start };
    }
    if (line[start] === '"') {
      const closing = closingQuote(line, start);
      fields.push({
        text: line
          .slice(start + 1, closing)
          .replaceAll('""', '"')
          .trim(),
        at: start + 1,
      });
      end = afterBlanks(line, closing + 1);
      if (end < line.length && line[end] !== "," && !isMark(line, end)) throw afterQuote(line, end);
    } else {
      end = endOf(line, start, fields.length === 0);
      fields.push({ text: line.slice(start, end).trimEnd(), at: start });
    }
    if (line[end] !== ",") return { fields, end };
    at = end;
  }
}

/** The fields of a line without comments and quotes. */
function plainFields(line: string): ListField[] {
  const fields: ListField[] = [];
  for (let at = 0; at <= line.length;) {
    const comma = line.indexOf(",", at);
    const end = comma < 0 ? line.length : comma;
    const start = Math.min(afterBlanks(line, at), end);
    fields.push({ text: line.slice(start, end).trimEnd(), at: start });
    at = end + 1;
  }
  return fields.length === 1 && fields[0]!.text === "" ? [] : fields;
}

function endOf(line: string, start: number, isFirst: boolean): number {
  const isEntry = isFirst || looksLikeEntry(line, start);
  for (let at = start; at < line.length; at++) {
    if (line[at] === ",") return at;
    if (!isMark(line, at) || !(isEntry || isBlank(line, at - 1))) continue;
    if (isEntry) rejectDoubleSlash(line, start, at);
    return at;
  }
  return line.length;
}

/** Whether what begins there is meant as an entry, be it one or not. O(1). */
export function looksLikeEntry(text: string, at = 0): boolean {
  LIKE_ENTRY.lastIndex = at;
  return LIKE_ENTRY.test(text);
}

function isMark(line: string, at: number): boolean {
  const character = line[at];
  return character === "#" || character === ";" || (character === "/" && line[at + 1] === "/");
}

function rejectDoubleSlash(line: string, start: number, at: number): void {
  DOUBLE_SLASH.lastIndex = at;
  if (isBlank(line, at - 1) || !DOUBLE_SLASH.test(line)) return;
  const length = line.slice(at + 2, DOUBLE_SLASH.lastIndex);
  const entry = line.slice(start, at);
  const problem = `// may be a slash too many, or begin a comment; write ${entry}/${length}, or a blank before the comment`;
  throw new ListLineError("length-malformed", at, line.slice(start, DOUBLE_SLASH.lastIndex), problem);
}

function afterQuote(line: string, at: number): ListLineError {
  const problem = "a closing quote must be followed by a comma, a comment or the end of the line";
  return new ListLineError("text-after-quote", at, line.slice(at), problem);
}

function closingQuote(line: string, opening: number): number {
  for (let at = opening + 1; ; at += 2) {
    at = line.indexOf('"', at);
    if (at < 0) {
      const problem = "the double quote at the start of the field is not closed on the same line";
      throw new ListLineError("unclosed-quote", opening, line.slice(opening), problem);
    }
    if (line[at + 1] !== '"') return at;
  }
}

export function afterBlanks(line: string, at: number): number {
  while (at < line.length && isBlank(line, at)) at++;
  return at;
}

export function isBlank(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return code <= 0x20 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : code > 0x7f && /\s/.test(line[at]!);
}
