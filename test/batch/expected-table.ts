import type { RowSelection } from "../../src/batch/engine/messages.ts";
import type { AddressChoice } from "../../src/batch/lines/fields/field-address.ts";
import type { RowFormat } from "../../src/rows/row-format.ts";
import { oracleLines } from "../oracle/line-oracle.ts";
import { oracleChosen, oracleFieldAddress, oracleRecords, oracleUnquoted } from "../oracle/record-oracle.ts";
import { type Answer, answerOf } from "./fixture.ts";

/** A text (latin1), its syntax, and the requested output. */
export interface TableCase {
  readonly text: string;
  readonly kind: "csv" | "tsv" | "jsonl" | "space";
  readonly header: boolean | undefined;
  readonly field: string | number | undefined;
  readonly format: RowFormat;
  readonly rows: RowSelection;
  readonly address: AddressChoice;
  readonly rowText: boolean;
}

export interface ExpectedTable {
  readonly rows: string;
  readonly counts: {
    readonly lines: number;
    readonly addresses: number;
    readonly matched: number;
    readonly malformed: number;
  };
  readonly malformedLines: readonly number[];
  readonly top: unknown;
}

interface Line {
  readonly text: string;
  readonly fields: readonly string[];
  /** Of CSV: with their quotes. */
  readonly raw?: readonly string[];
  readonly number: number;
}

const MARK = "\xef\xbb\xbf";

/** The expected output of `identify`; null: a quote is not closed. */
export function expectedTable(one: TableCase): ExpectedTable | null {
  const { text, kind, format, rows } = one;
  const lines = linesOf(
    kind === "csv" && text.startsWith(MARK) ? text.slice(MARK.length) : text,
    kind,
    one.field !== undefined,
  );
  if (lines === null) return null;
  let out = "";
  let header: Line | undefined;
  if (one.header === true) {
    while (header === undefined || header.text === "") header = lines.shift()!;
    out += headerRow(format, (text.startsWith(MARK) ? MARK : "") + header.text, kind);
  }
  const counts = { lines: 0, addresses: 0, matched: 0, malformed: 0 };
  const malformedLines: number[] = [];
  const byAddress = new Map<string, { lines: number; matched: boolean }>();
  for (const line of lines) {
    const broken = one.kind === "csv" && hasTextAfterQuotes(line);
    const answer = answerOf(broken ? null : addressOf(line, header, one));
    counts.lines++;
    const isReported =
      format !== "append" && (one.kind === "jsonl" ? isNoObject(line.text) : isTooLong(line, header, one));
    if (broken || isReported) {
      counts.malformed++;
      malformedLines.push(line.number);
    }
    if (answer.address !== null) {
      counts.addresses++;
      const seen = byAddress.get(answer.address) ?? { lines: 0, matched: answer.values.length > 0 };
      byAddress.set(answer.address, { ...seen, lines: seen.lines + 1 });
    }
    if (answer.values.length > 0) counts.matched++;
    if (rows !== "all" && (rows === "matched") !== answer.values.length > 0) continue;
    const row = rowOf(line, answer, header, one);
    if (row.isMalformed) {
      counts.malformed++;
      malformedLines.push(line.number);
    }
    out += row.text;
  }
  return {
    rows: out,
    counts,
    malformedLines,
    top: { matched: topOf(byAddress, true), unmatched: topOf(byAddress, false) },
  };
}

/** Whether a record of a table has more fields than the header. */
function isTooLong({ fields }: Line, header: Line | undefined, { kind }: TableCase): boolean {
  return header !== undefined && kind !== "space" && fields.length > header.fields.length;
}

function linesOf(text: string, kind: TableCase["kind"], hasField: boolean): Line[] | null {
  if (kind === "csv")
    return (
      oracleRecords(text)?.map(({ text: whole, fields, line }) => ({
        text: whole,
        fields: fields.map(oracleUnquoted),
        raw: fields,
        number: line,
      })) ?? null
    );
  return oracleLines(text).flatMap((line, index) =>
    (kind === "jsonl" && hasField ? objectsOf(line) : [line]).map((part) => ({
      text: part,
      fields: kind === "tsv" ? part.split("\t") : part.split(/[ \t]+/).filter((field) => field !== ""),
      number: index + 1,
    })),
  );
}

/** A line taken apart where an object ends and another begins right behind it. */
function objectsOf(line: string): string[] {
  if (!/^[ \t\r]*\{/.test(line)) return [line];
  let depth = 0;
  for (const { 0: token, index } of line.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if ((token === "}" || token === "]") && --depth === 0)
      return line[index + 1] === "{" ? [line.slice(0, index + 1), ...objectsOf(line.slice(index + 1))] : [line];
  }
  return [line];
}

function isNoObject(line: string): boolean {
  const text = line.replace(MARK, "").replace(/^[ \t\r]+|[ \t\r]+$/g, "");
  return text !== "" && !/^\{.*\}$/s.test(text);
}

/** RFC 4180 allows nothing between a closing quote and the next comma. */
function hasTextAfterQuotes({ raw = [] }: Line): boolean {
  return raw.some((field) => {
    const text = field.replace(MARK, "");
    if (!text.startsWith('"')) return false;
    // By hand: a regular expression overflows its stack on a field of many megabytes.
    let at = text.indexOf('"', 1);
    while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
    return at >= 0 && at + 1 < text.length;
  });
}

function addressOf(
  line: Line,
  header: Line | undefined,
  { kind, field, address }: TableCase,
): ReturnType<typeof oracleChosen> {
  if (field === undefined) return oracleChosen(line.text, address);
  if (kind === "jsonl") return memberAddress(line.text, String(field), address);
  const column = typeof field === "number" ? field - 1 : header!.fields.findIndex((name) => name === field);
  return line.fields[column] === undefined ? null : oracleFieldAddress(line.fields[column], address);
}

/** Members of lines that are valid JSON up to that point, which generated invalid lines may still contain. */
function memberAddress(line: string, name: string, address: AddressChoice): ReturnType<typeof oracleChosen> {
  for (const tail of ["", "}", "x"]) {
    try {
      const value = (JSON.parse(tail === "x" ? line.slice(0, -1) : line + tail) as Record<string, unknown> | null)?.[
        name
      ];
      return value === undefined
        ? null
        : oracleFieldAddress(typeof value === "string" ? value : JSON.stringify(value), address);
    } catch {
      // Another try.
    }
  }
  return null;
}

function headerRow(format: RowFormat, header: string, kind: TableCase["kind"]): string {
  if (format === "append") return `${header}${kind === "csv" ? "," : "\t"}ids\n`;
  return { tsv: "ip\tcidr\tcbs_ids\n", csv: "ip,cidr,cbs_ids\n", jsonl: "" }[format];
}

function rowOf(
  line: Line,
  { address, prefix, values }: Answer,
  header: Line | undefined,
  one: TableCase,
): { text: string; isMalformed: boolean } {
  const ids = values.map((value) => `v${value}`);
  const cell = ids.length === 0 ? "" : `"${ids.join(",")}"`;
  const plain = (text: string): { text: string; isMalformed: boolean } => ({ text: `${text}\n`, isMalformed: false });
  if (one.format === "tsv") return plain(`${address ?? ""}\t${prefix ?? ""}\t${ids.join(",")}`);
  if (one.format === "csv") return plain(`${address ?? ""},${prefix ?? ""},${cell}`);
  if (one.format === "jsonl") return plain(documentOf(line, address, prefix, ids, one.rowText));
  if (one.kind === "space" || (one.kind === "tsv" && header === undefined))
    return plain(`${line.text}\t${ids.join(",")}`);
  if ((one.kind === "tsv" ? /^[ \r]*$/ : /^[ \t\r]*$/).test(line.text)) return plain(line.text);
  if (one.kind === "jsonl") return withMember(line.text, ids);
  const missing = header === undefined ? 0 : header.fields.length - line.fields.length;
  const [delimiter, last] = one.kind === "csv" ? [",", cell] : ["\t", ids.join(",")];
  return {
    text: `${line.text}${delimiter.repeat(Math.max(0, missing))}${delimiter}${last}\n`,
    isMalformed: missing < 0,
  };
}

function documentOf(
  line: Line,
  address: string | null,
  prefix: string | null,
  ids: readonly string[],
  rowText: boolean,
): string {
  const known =
    address === null
      ? '{"ip":null,"found":false,"cidr":null,"primary":null,"labels":[],"cbs_ids":[],"providers":[],"types":[],"services":[],"regions":[],"matches":[]'
      : JSON.stringify({
          ip: address,
          found: ids.length > 0,
          cidr: prefix,
          ids: `${ids.join(",")}${"x".repeat(10 * ids.length)}`,
        }).slice(0, -1);
  return `${known},"line":${line.number}${rowText ? `,"text":${jsonText(line.text)}` : ""}}`;
}

/** Inserted before the last brace, with a comma unless it is the first member. */
function withMember(line: string, ids: readonly string[]): { text: string; isMalformed: boolean } {
  const member = `"ids":${JSON.stringify(ids)}`;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const brace = line.lastIndexOf("}");
      return {
        text: `${line.slice(0, brace)}${Object.keys(value).length > 0 ? "," : ""}${member}${line.slice(brace)}\n`,
        isMalformed: false,
      };
    }
  } catch {
    // It is reported.
  }
  return { text: `{"text":${jsonText(line)},${member}}\n`, isMalformed: true };
}

/**
 * A JSON text in UTF-8, or, if the bytes are not valid UTF-8, in Latin-1, as which they are then read; returned as
 * latin1.
 */
function jsonText(line: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(line, "latin1"));
    return Buffer.from(JSON.stringify(text)).toString("latin1");
  } catch {
    return JSON.stringify(line).replace(/[\x80-\xff]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  }
}

function topOf(byAddress: ReadonlyMap<string, { lines: number; matched: boolean }>, matched: boolean): unknown {
  const all = [...byAddress].filter(([, entry]) => entry.matched === matched);
  const most = all
    .sort(([a, { lines }], [b, { lines: others }]) => others - lines || compareAddresses(a, b))
    .slice(0, 3);
  return { distinct: all.length, addresses: most.map(([text, { lines }]) => [text, lines]) };
}

function compareAddresses(a: string, b: string): number {
  const [x, y] = [keyOf(a), keyOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** IPv4 before IPv6, then by number: texts of one width. */
function keyOf(address: string): string {
  if (!address.includes(":"))
    return `4${address
      .split(".")
      .map((octet) => octet.padStart(3, "0"))
      .join("")}`;
  const [head = "", tail = ""] = address.split("::").map((half) =>
    half
      .split(":")
      .filter((group) => group !== "")
      .map((group) => group.padStart(4, "0"))
      .join(""),
  );
  return `6${head}${"0".repeat(32 - head.length - tail.length)}${tail}`;
}
