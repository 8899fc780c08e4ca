import { type Cell, CellError, type CellErrorCode, readCells } from "../../csv/read-cells.ts";
import { isGuarded } from "../../csv/write-row.ts";
import { type Field, FileProblem, LineProblem, type LineReader, lineTooLong } from "./imported-rule.ts";

const COLUMNS = ["ip", "name", "expires_at"] as const;

/**
 * CSV by RFC 4180 whose first line names the columns, in any order: `ip` and, optionally, `name` and `expires_at`. A
 * field contains no line break, because a name has none.
 */
export function csvLines(): LineReader {
  let columns: readonly string[] | undefined;
  return (line, isCut) => {
    if (isCut === true) throw lineTooLong(line);
    if (line.trim() === "") return null;
    if (columns === undefined) {
      columns = namesInHeader(line);
      return null;
    }
    const fields = fieldsOf(line);
    if (fields.length !== columns.length) {
      throw new LineProblem(
        0,
        line,
        `the line has ${fields.length === 1 ? "1 field" : `${fields.length} fields`}, but the header has ${columns.length} columns; quote fields that contain a comma`,
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

/** The text that was passed to `csvField`. */
function withoutGuard({ text, at }: Field): Field {
  return isGuarded(text) ? { text: text.slice(1), at: at + 1 } : { text, at };
}

function isAbsent({ text, isQuoted }: Cell): boolean {
  return text === "" && !isQuoted;
}

/** @throws FileProblem: without columns nothing can be read */
function namesInHeader(line: string): string[] {
  const names = fieldsOf(line).map(({ text }) => text.trim().toLowerCase());
  const unknown = names.find((name) => !COLUMNS.some((column) => column === name));
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (unknown !== undefined || !names.includes("ip")) {
    throw new FileProblem(
      0,
      line,
      `the first line must name the columns: ip, and optionally name and expires_at; ${unknown === undefined ? "ip is missing" : `unknown column ${JSON.stringify(unknown)}`}`,
    );
  }
  if (repeated !== undefined) throw new FileProblem(0, line, `duplicate column ${repeated}; remove one of them`);
  return names;
}

const PROBLEMS: Readonly<Record<CellErrorCode, string>> = {
  "text-after-quote": "a closing quote must be followed by a comma or the end of the line",
  "unclosed-quote":
    "the double quote at the start of the field is not closed on the same line; fields cannot contain line breaks",
};

/** @throws LineProblem */
function fieldsOf(line: string): Cell[] {
  try {
    return readCells(line);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    throw new LineProblem(error.at, line.slice(error.cellAt), PROBLEMS[error.code]);
  }
}
