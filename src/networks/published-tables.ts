import type { Address, Family } from "../address/address.ts";
import { AddressError } from "../address/address-error.ts";
import { parseAddress } from "../address/parse-address.ts";
import { NetworksError } from "./networks-error.ts";

/** The addresses from `first` to `last`, as numbers, of one family. */
export interface AddressRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** What a line of a table says about its addresses. */
export interface PublishedRange extends AddressRange {
  /** Null in tables of countries. */
  readonly asn: number | null;
  readonly name: string | null;
  readonly country: string | null;
}

/**
 * A line of a published table, from its cells after the two addresses; null for one that says nothing, such as "not
 * routed".
 */
type ReadCells = (cells: readonly string[]) => Omit<PublishedRange, keyof AddressRange> | null;

/** The format of a published table. */
export interface TableFormat {
  readonly separator: "," | "\t";
  readonly cells: number;
  readonly read: ReadCells;
}

/** What AS numbers without a known owner are called in tables. */
const NO_ONE = new Set(["", "Not routed", "None", "Unknown"]);

/** `first,last,13335,"Cloudflare, Inc."`, as in the releases of ip-location-db. */
export const ASN_TABLE: TableFormat = {
  separator: ",",
  cells: 4,
  read: ([asn, name]) => ({ asn: asnOf(asn!), name: name!, country: null }),
};

/** `first,last,DE` */
export const COUNTRY_TABLE: TableFormat = {
  separator: ",",
  cells: 3,
  read: ([country]) => ({ asn: null, name: null, country: countryOf(country!) }),
};

/** `first<tab>last<tab>13335<tab>US<tab>CLOUDFLARENET`: the combined table of IPtoASN, where AS 0 is "not routed". */
export const IPTOASN_TABLE: TableFormat = {
  separator: "\t",
  cells: 5,
  read: ([number, country, name]) => {
    const asn = asnOf(number!);
    return asn === 0 ? null : { asn, name: name!, country: NO_ONE.has(country!) ? null : countryOf(country!) };
  },
};

/** A cell that cannot be read: what is wrong with it. */
class BadCell extends Error {}

/**
 * Calls `visit` for each line that says something. `file` is for errors. About a microsecond a line.
 * @throws NetworksError "bad-line", with file and line, for the first line that cannot be read
 */
export function readTable(
  text: string,
  format: TableFormat,
  file: string,
  visit: (range: PublishedRange) => void,
): void {
  let line = 0;
  for (let at = 0; at < text.length;) {
    line++;
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    const stop = text[end - 1] === "\r" ? end - 1 : end;
    if (stop > at) {
      try {
        const range = readLine(text.slice(at, stop), format);
        if (range !== null) visit(range);
      } catch (error) {
        if (!(error instanceof BadCell || error instanceof AddressError)) throw error;
        throw new NetworksError("bad-line", text.slice(at, stop), `${file}:${line}: ${error.message}`);
      }
    }
    at = end + 1;
  }
}

function readLine(line: string, format: TableFormat): PublishedRange | null {
  const [first, last, ...cells] = cellsOf(line, format);
  const read = format.read(cells);
  if (read === null) return null;
  const [from, to] = [parseAddress(first!), parseAddress(last!)];
  if (from.family !== to.family) throw new BadCell("the range begins in one family and ends in the other");
  const range = { family: from.family, first: positionOf(from), last: positionOf(to) };
  if (range.first > range.last) throw new BadCell("the range ends before it begins");
  return { ...range, ...read };
}

/** The cells of a line; the last one of a table of commas may be in quotes, and contain commas. */
function cellsOf(line: string, { separator, cells: count }: TableFormat): string[] {
  const cells: string[] = [];
  let at = 0;
  while (cells.length < count - 1) {
    const end = line.indexOf(separator, at);
    if (end < 0) throw new BadCell(`fewer than ${count} columns`);
    cells.push(line.slice(at, end));
    at = end + 1;
  }
  const last = line.slice(at).trimEnd();
  const isQuoted = separator === "," && last.startsWith('"');
  if (isQuoted && !/^"(?:[^"]|"")*"$/.test(last)) throw new BadCell("the quotes around the last column are not closed");
  cells.push(isQuoted ? last.slice(1, -1).replaceAll('""', '"') : last);
  return cells;
}

function asnOf(text: string): number {
  const asn = /^[0-9]{1,10}$/.test(text) ? Number(text) : Infinity;
  if (asn > 0xffff_ffff) throw new BadCell(`${JSON.stringify(text)} is not an AS number`);
  return asn;
}

function countryOf(text: string): string {
  if (!/^[A-Z]{2}$/.test(text)) throw new BadCell(`${JSON.stringify(text)} is not a country code of two letters`);
  return text;
}

function positionOf({ family, w0, w1, w2, w3 }: Address): bigint {
  if (family === 4) return BigInt(w0);
  return (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
}
