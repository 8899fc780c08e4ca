/**
 * Searching by reading every document: what the index must agree with. It takes conditions as data, not as text, and
 * shares no code with src.
 */

/** A condition on one field by its full name, or several. */
export type Wanted =
  | { readonly field: string; readonly op: string; readonly values: readonly string[] }
  | { readonly and: readonly Wanted[] }
  | { readonly or: readonly Wanted[] }
  | { readonly not: Wanted };

/** A document with its prefix as `ip`, and what networks say about that prefix. */
export interface SearchedDocument {
  readonly ip: string;
  readonly document: object;
  readonly network: { readonly asn: number; readonly name: string; readonly country: string | null } | null;
}

const IGNORING_CASE = new Set([
  "rdns",
  "src.asn.name",
  "src.geo.city",
  "http.path",
  "http.user_agent",
  "tag",
  "actor",
  "cve",
]);
const NUMBERS = new Set(["active_days", "network.port", "network.non_spoofable_port", "src.asn.number"]);
const DATES = new Set(["first_seen", "last_seen"]);
/** Where a field is in documents, if not under its own name. */
const PATHS: Record<string, string> = {
  tag: "tags",
  tag_id: "tag_ids",
  "network.port": "network.ports",
  "network.non_spoofable_port": "network.non_spoofable_ports",
};

/** The documents that fit, at a time in milliseconds. */
export function searchByReading(
  documents: readonly SearchedDocument[],
  wanted: Wanted,
  now: number,
): readonly SearchedDocument[] {
  return documents.filter((each) => fits(each, wanted, now));
}

function fits(each: SearchedDocument, wanted: Wanted, now: number): boolean {
  if ("and" in wanted) return wanted.and.every((part) => fits(each, part, now));
  if ("or" in wanted) return wanted.or.some((part) => fits(each, part, now));
  if ("not" in wanted) return !fits(each, wanted.not, now);
  const { field, op, values } = wanted;
  if (op === "!:" || op === "!~:" || op === "!=")
    return !fits(each, { field, op: op === "!=" ? "=" : op.slice(1), values }, now);
  if (op === "not_exists") return !fits(each, { field, op: "exists", values }, now);
  if (field === "ip") return fitsIp(each.ip, op, values);
  const own = valuesOf(each, field);
  if (op === "exists") return own.length > 0;
  if (DATES.has(field)) return own.some((day) => fitsNumber(dayOf(String(day)), op, values, now));
  if (NUMBERS.has(field)) return own.some((number) => fitsNumber(Number(number), op, values.map(Number), now));
  return own.some((text) => fitsText(String(text), op, values, IGNORING_CASE.has(field)));
}

/** What a document says in a field; nothing where it is empty or not of the document. */
function valuesOf({ document, network }: SearchedDocument, field: string): readonly unknown[] {
  if (field === "seen") return [true];
  const path = PATHS[field] ?? field;
  const own = path
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
  const known = (Array.isArray(own) ? own : [own]).filter(
    (value) => value !== null && value !== "" && value !== undefined,
  );
  if (known.length > 0 || network === null) return known;
  const { asn } = (document as { src: { asn: { number: number | null; name: string } } }).src;
  const hasNoOwner = asn.number === null && asn.name === "";
  if (field === "src.asn.number" && hasNoOwner) return [network.asn];
  if (field === "src.asn.name" && hasNoOwner) return [network.name];
  return field === "src.geo.country.code" && network.country !== null ? [network.country] : [];
}

function fitsNumber(own: number, op: string, values: readonly (string | number)[], now: number): boolean {
  const days = values.map((value) => (typeof value === "string" && op !== "within" ? dayOf(value) : Number(value)));
  const [a = 0, b = 0] = days;
  if (op === ":" || op === "=" || op === "IN") return days.includes(own);
  if (op === "range") return own >= a && own <= b;
  if (op === "within") {
    const [, digits, unit] = /^(\d+)(.)$/.exec(String(values[0]))!;
    const hours = { h: 1, d: 24, w: 168, m: 720, y: 8760 }[unit!]!;
    return own >= Math.floor((now - Number(digits) * hours * 3_600_000) / 86_400_000);
  }
  return { ">": own > a, ">=": own >= a, "<": own < a, "<=": own <= a }[op]!;
}

function dayOf(date: string): number {
  const hasTime = date.length > 10;
  return Math.floor(new Date(hasTime && !/[zZ]|[+-]\d\d:\d\d$/.test(date) ? `${date}Z` : date).getTime() / 86_400_000);
}

function fitsText(own: string, op: string, values: readonly string[], ignoresCase: boolean): boolean {
  const lower = (letter: string): string => (letter === "ς" ? "σ" : letter.toLowerCase());
  const plain = (text: string): string => (ignoresCase ? Array.from(text, lower).join("") : text);
  if (op === "~:") {
    const words = own.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
    return values[0]!
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .every((word) => word === "" || words.includes(word));
  }
  return values.some((value) => {
    if (op === "=" || !value.includes("*")) return plain(own) === plain(value);
    const pattern = plain(value)
      .split("*")
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\/]/g, "\\$&"));
    return new RegExp(`^${pattern.join("[^]*")}$`, "u").test(plain(own));
  });
}

function fitsIp(ip: string, op: string, values: readonly string[]): boolean {
  const own = intervalOf(ip);
  if (op === "range") {
    const [from, to] = [intervalOf(values[0]!), intervalOf(values[1]!)];
    return own.bits === from.bits && own.first >= from.first && own.last <= to.last;
  }
  return values.some((value) => {
    const { bits, first, last } = intervalOf(value);
    if (bits !== own.bits) return false;
    return op === "=" ? own.first === first && own.last === last : own.first >= first && own.last <= last;
  });
}

function intervalOf(text: string): { bits: number; first: bigint; last: bigint } {
  const [address = "", length] = text.split("/");
  const bits = address.includes(":") ? 128 : 32;
  const first =
    bits === 32
      ? number(
          address.split(".").map((octet) => BigInt(octet)),
          8n,
        )
      : number(groupsOf(address), 16n);
  const host = BigInt(bits) - BigInt(length ?? bits);
  return { bits, first, last: first + (1n << host) - 1n };
}

function groupsOf(address: string): bigint[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string): bigint[] => (part === "" ? [] : part.split(":").map((group) => BigInt(`0x${group}`)));
  if (tail === undefined) return read(head);
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array<bigint>(8 - before.length - after.length).fill(0n), ...after];
}

function number(parts: readonly bigint[], width: bigint): bigint {
  return parts.reduce((sum, part) => (sum << width) | part, 0n);
}
