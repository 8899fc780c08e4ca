import { isGuarded } from "../../csv/write-row.ts";
import { type Field, FileFault, LineFault, type LineReader } from "./imported-rule.ts";

const COLUMNS = ["ip", "name", "expires_at"] as const;

/**
 * CSV by RFC 4180 whose first line names the columns, in any order: `ip`, and `name` and `expires_at` if there are
 * such. A field holds no line break, since a name has none.
 */
export function csvLines(): LineReader {
  let columns: readonly string[] | undefined;
  return (line) => {
    if (line.trim() === "") return null;
    if (columns === undefined) {
      columns = columnsOf(line);
      return null;
    }
    const fields = fieldsOf(line);
    if (fields.length !== columns.length) {
      throw new LineFault(
        0,
        line,
        `there are ${fields.length} fields, and ${columns.length} columns; quote a field that has a comma in it`,
      );
    }
    const [ip, name, expiresAt] = COLUMNS.map((column) => fields[columns!.indexOf(column)]);
    return {
      ip: withoutGuard(ip!),
      name: name === undefined || isAbsent(name) ? undefined : withoutGuard(name),
      expiresAt: expiresAt === undefined || expiresAt.text === "" ? undefined : expiresAt,
    };
  };
}

interface Cell extends Field {
  readonly isQuoted: boolean;
}

/** The text that `csvField` was given. */
function withoutGuard({ text, at }: Field): Field {
  return isGuarded(text) ? { text: text.slice(1), at: at + 1 } : { text, at };
}

function isAbsent({ text, isQuoted }: Cell): boolean {
  return text === "" && !isQuoted;
}

/** @throws FileFault: without columns nothing can be read */
function columnsOf(line: string): string[] {
  const names = fieldsOf(line).map(({ text }) => text.trim().toLowerCase());
  const unknown = names.find((name) => !COLUMNS.some((column) => column === name));
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (unknown !== undefined || !names.includes("ip")) {
    throw new FileFault(
      0,
      line,
      `the first line names the columns: ip, and if there are such name and expires_at; ${unknown === undefined ? "ip is missing" : `${JSON.stringify(unknown)} is none of them`}`,
    );
  }
  if (repeated !== undefined)
    throw new FileFault(0, line, `the column ${repeated} stands twice; leave one of them out`);
  return names;
}

/** The fields of a line. Those in double quotes may hold commas and doubled quotes. */
function fieldsOf(line: string): Cell[] {
  const fields: Cell[] = [];
  for (let at = 0; ; at++) {
    const isQuoted = line[at] === '"';
    const end = isQuoted ? closingQuote(line, at) + 1 : endOf(line, at);
    const text = isQuoted ? line.slice(at + 1, end - 1).replaceAll('""', '"') : line.slice(at, end);
    if (!isQuoted && text.includes('"'))
      throw new LineFault(
        at + text.indexOf('"'),
        text,
        "a double quote stands inside a field; enclose the whole field in double quotes, and double this one",
      );
    fields.push({ text, at: isQuoted ? at + 1 : at, isQuoted });
    if (end === line.length) return fields;
    if (line[end] !== ",")
      throw new LineFault(end, line.slice(at), "behind a closing quote a comma or the end of the line must follow");
    at = end;
  }
}

function endOf(line: string, at: number): number {
  const comma = line.indexOf(",", at);
  return comma < 0 ? line.length : comma;
}

function closingQuote(line: string, opening: number): number {
  for (let at = opening + 1; ; at += 2) {
    at = line.indexOf('"', at);
    if (at < 0)
      throw new LineFault(
        opening,
        line.slice(opening),
        "a double quote opens a field and none closes it on its line; a field holds no line break",
      );
    if (line[at + 1] !== '"') return at;
  }
}
