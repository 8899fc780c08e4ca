import { quoted } from "../../address/address-error.ts";
import { jsonErrorAt, repeatedKey, valueOffset } from "../../json/json-positions.ts";
import { FieldProblem } from "../_field-kinds.ts";
import { type CtiRecord, type Field, FIELDS, NOTHING_KNOWN } from "../fields.ts";
import type { Feed, FeedReader } from "./feed.ts";

/** The properties that can hold the address or prefix. */
const ADDRESS_MEMBERS = ["ip", "cidr"] as const;

/** The fields of a document by path: properties of an object, which are fields or objects themselves. */
type Members = Map<string, Field | Members>;

const DOCUMENT: Members = new Map();
for (const field of FIELDS) {
  const names = field.path.split(".");
  let members = DOCUMENT;
  for (const name of names.slice(0, -1)) {
    const inner = members.get(name) ?? new Map<string, Field | Members>();
    members.set(name, inner);
    members = inner as Members;
  }
  members.set(names.at(-1)!, field);
}

/** An error in a document, with its path. */
class DocumentProblem extends Error {
  readonly path: readonly (string | number)[];

  constructor(problem: string, path: readonly (string | number)[]) {
    super(problem);
    this.path = path;
  }
}

/**
 * One JSON document per line, with the properties of a lookup's extended document, of which only `ip` (or `cidr`) is
 * required. Unknown properties are reported and not read, and so is a line of Spamhaus that has no prefix but
 * `"type":"metadata"`.
 */
export function ndjson(feed: Feed): FeedReader {
  return {
    line(text, number) {
      if (text.trim() === "") return;
      const document = parseDocument(feed, text, number);
      if (document === undefined) return;
      try {
        addDocument(feed, document, text, number);
      } catch (error) {
        if (!(error instanceof DocumentProblem)) throw error;
        const where = error.path
          .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
          .join("")
          .replace(/^\./, "");
        feed.skip(number, valueOffset(text, error.path) + 1, `${where}: ${error.message}`);
      }
    },
    end() {},
  };
}

function parseDocument(feed: Feed, text: string, number: number): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = jsonErrorAt(text);
    feed.skip(
      number,
      at + 1,
      `invalid JSON at ${at === text.length ? "the end" : quoted(text.slice(at, at + 20))}; the feed may be truncated, or its documents may span several lines (jq -c . puts each on one line)`,
    );
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    feed.skip(number, text.search(/\S/) + 1, "expected one object per line; jq -c '.[]' splits an array into lines");
    return undefined;
  }
  const repeated = repeatedKey(text, value);
  if (repeated < 0) return value as Record<string, unknown>;
  feed.skip(number, repeated + 1, "this key is a duplicate; keep only one");
  return undefined;
}

/** @throws DocumentProblem */
function addDocument(feed: Feed, document: Record<string, unknown>, text: string, number: number): void {
  const names = ADDRESS_MEMBERS.filter((name) => document[name] !== undefined);
  if (names.length === 0 && document["type"] === "metadata")
    return feed.warn("a line describes the feed itself and is ignored", number);
  if (names.length !== 1)
    throw new DocumentProblem(
      `${names.length === 0 ? "neither" : "both"} "ip" ${names.length === 0 ? "nor" : "and"} "cidr" is there; give one of them`,
      [],
    );
  const [name] = names as [string];
  const ip = document[name];
  if (typeof ip !== "string")
    throw new DocumentProblem(`expected an address or prefix as a string, not ${JSON.stringify(ip).slice(0, 40)}`, [
      name,
    ]);
  const { [name]: _, seen = true, ...members } = document;
  const record: Partial<Record<keyof CtiRecord, unknown>> = { ...NOTHING_KNOWN };
  readMembers(feed, members, DOCUMENT, [], record, number);
  if (typeof seen !== "boolean")
    throw new DocumentProblem(`expected true or false, not ${JSON.stringify(seen).slice(0, 40)}`, ["seen"]);
  if (!seen) return feed.warn("a document says that its address was not seen, and is left out", number);
  feed.add(ip, feed.complete(record as unknown as CtiRecord), number, () => valueOffset(text, [name]) + 2);
}

/** Reads the properties of an object into the record. @throws DocumentProblem */
function readMembers(
  feed: Feed,
  object: object,
  known: Members,
  path: readonly string[],
  into: Partial<Record<keyof CtiRecord, unknown>>,
  number: number,
): void {
  for (const [name, value] of Object.entries(object)) {
    const fieldPath = [...path, name];
    const member = known.get(name);
    if (member === undefined) feed.warn(`${quoted(fieldPath.join("."))} is an unknown member and is ignored`, number);
    if (member === undefined || value === null) continue;
    if (!(member instanceof Map)) into[member.member] = fieldValue(member, value, fieldPath);
    else if (typeof value === "object" && !Array.isArray(value))
      readMembers(feed, value as object, member, fieldPath, into, number);
    else throw new DocumentProblem("expected an object", fieldPath);
  }
}

function fieldValue({ kind }: Field, value: unknown, fieldPath: readonly string[]): unknown {
  try {
    return kind.fromJson(value);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new DocumentProblem(error.message, error.index === undefined ? fieldPath : [...fieldPath, error.index]);
  }
}
