import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { IndicatorQuery } from "../../store/records/indicator.ts";
import { isDay } from "../../time/is-day.ts";
import { invalid } from "../service-error.ts";

/** Maximum objects of a page; further ones are on the next page. */
const MAX_OBJECTS = 5000;
/** Maximum UUIDs or versions in one filter. */
const MAX_VALUES = 100;
const ID = /^(indicator|identity)--([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TIME = /^((\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i;
const NEXT = /^(0|[1-9]\d{0,15})\.([A-Za-z0-9_-]{11})(?:\.([A-Za-z0-9_-]+))?$/;
/** Bytes that the filters in `next` can take. */
const MAX_FILTERS = 1 << 16;
const FILTERS = ["added_after", "match[id]", "match[type]", "match[version]", "match[spec_version]"] as const;
const NAMES: ReadonlySet<string> = new Set([...FILTERS, "limit", "next"]);

/** The parameters of a request; a parameter that is given more than once has a list. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a client requests. */
export interface ObjectQuery extends IndicatorQuery {
  /** What `next` has after the position: what distinguishes the filters from others, and the parameters themselves. */
  readonly filters: string;
  /** Whether it continues a page. */
  readonly isFurtherPage: boolean;
}

/**
 * Reads the parameters of TAXII's filters and pages. Beside `next`, those that are absent are as they were in the first
 * request: OpenCTI repeats none of them. `only`: filters from elsewhere, such as the path; a page of one collection
 * cannot be continued in another.
 * @throws ServiceError "invalid"
 */
export function readObjectQuery(
  parameters: QueryParameters,
  only: { readonly collection: string; readonly id?: string; readonly allVersions?: boolean },
): ObjectQuery {
  for (const name of Object.keys(parameters))
    if (name.startsWith("match[") && !NAMES.has(name))
      throw invalid({ [name]: ["is not a filter of this server; use match[id], match[type], match[version]"] });
  const next = readNext(single(parameters, "next"));
  const values = new Map(FILTERS.map((name, at) => [name, single(parameters, name) ?? next?.values[at] ?? undefined]));
  const own = hash("sha256", JSON.stringify([only.collection, only.id ?? null, ...values.values()]), "base64url");
  const mark = own.slice(0, 11);
  if (next !== undefined && next.mark !== mark)
    throw invalid({
      next: ["belongs to a request for another collection, or with other filters; start again without it"],
    });
  const after = values.get("added_after");
  const limit = single(parameters, "limit") ?? next?.values[FILTERS.length] ?? undefined;
  const ids = only.id ?? values.get("match[id]");
  return {
    isFurtherPage: next !== undefined,
    after: next?.position ?? (after === undefined ? 0 : readMicroseconds(after)),
    limit: readLimit(limit),
    ...(ids === undefined ? {} : { ids: uuidsIn(listOf("match[id]", ids)) }),
    types: isOtherVersion(values.get("match[spec_version]")) ? [] : typesIn(values.get("match[type]")),
    versions: only.allVersions === true ? ALL : readVersions(values.get("match[version]")),
    filters: [mark, ...packed([...values.values(), limit])].join("."),
  };
}

const ALL: IndicatorQuery["versions"] = { all: true, first: false, last: false, at: [] };

/** The cursor that continues after an object. */
export function nextOf({ filters }: ObjectQuery, added: number): string {
  return `${added}.${filters}`;
}

function single(parameters: QueryParameters, name: string): string | undefined {
  const value = parameters[name];
  if (typeof value === "string" || value === undefined) return value;
  // Lists of values are separated by commas.
  throw invalid({ [name]: ["is given more than once"] });
}

function listOf(name: string, text: string): string[] {
  const values = text.split(",");
  if (values.length > MAX_VALUES) throw invalid({ [name]: [`has more than ${MAX_VALUES} values`] });
  return values;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return MAX_OBJECTS;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit === 0) throw invalid({ limit: ["must be an integer of at least 1"] });
  return Math.min(limit, MAX_OBJECTS);
}

/** Parameters as text for URLs; nothing if none is given. */
function packed(values: readonly (string | undefined)[]): string[] {
  if (values.every((value) => value === undefined)) return [];
  return [deflateRawSync(JSON.stringify(values)).toString("base64url")];
}

interface Next {
  readonly position: number;
  readonly mark: string;
  /** The filters, and the limit, of the first request. */
  readonly values: readonly (string | null | undefined)[];
}

function readNext(text: string | undefined): Next | undefined {
  if (text === undefined) return undefined;
  const [, position, mark, values] = NEXT.exec(text) ?? [];
  const read = values === undefined ? [] : unpacked(values);
  if (mark === undefined || read === undefined) throw invalid({ next: ["was not issued by this server"] });
  return { position: Number(position), mark, values: read };
}

/** What zlib returns with `info`; `bytesWritten`: how much of the input it has read. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** undefined: the text is not of this server. */
function unpacked(text: string): Next["values"] | undefined {
  try {
    const packed = Buffer.from(text, "base64url");
    // Neither the decoder nor zlib minds what is behind the end.
    if (packed.toString("base64url") !== text) return undefined;
    const { buffer, engine } = inflateRawSync(packed, {
      maxOutputLength: MAX_FILTERS,
      info: true,
    }) as unknown as Inflated;
    if (engine.bytesWritten !== packed.length) return undefined;
    const values: unknown = JSON.parse(buffer.toString());
    const isOurs = Array.isArray(values) && values.every((value) => value === null || typeof value === "string");
    return isOurs ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Microseconds since 1970, rounded down. */
function readMicroseconds(text: string): number {
  const [, seconds, , fraction = "", zone] = TIME.exec(text) ?? [];
  const time = timeOf(`${seconds}${zone?.toUpperCase()}`);
  if (Number.isNaN(time)) throw invalid({ added_after: ["must be a time such as 2026-01-31T12:00:00.000000Z"] });
  return time * 1000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
}

/** Milliseconds since 1970; NaN if the text is not a time, or its day does not exist. */
function timeOf(text: string): number {
  const [, , day] = TIME.exec(text) ?? [];
  return day !== undefined && isDay(day) ? Date.parse(text) : NaN;
}

/** Ids of other object types match nothing. */
function uuidsIn(ids: readonly string[]): string[] {
  return ids.flatMap((id) => ID.exec(id)?.[2] ?? []);
}

function typesIn(text: string | undefined): IndicatorQuery["types"] {
  const types = ["indicator", "identity"] as const;
  if (text === undefined) return types;
  const wanted = listOf("match[type]", text);
  return types.filter((type) => wanted.includes(type));
}

/** All objects are of STIX 2.1. */
function isOtherVersion(text: string | undefined): boolean {
  return text !== undefined && !listOf("match[spec_version]", text).includes("2.1");
}

function readVersions(text: string | undefined): IndicatorQuery["versions"] {
  const values = listOf("match[version]", text ?? "last");
  const times = values.filter((value) => !["first", "last", "all"].includes(value));
  const at = times.map((value) => {
    if (Number.isNaN(timeOf(value)))
      throw invalid({ "match[version]": [`must be first, last, all or a time, not ${JSON.stringify(value)}`] });
    return timeOf(value);
  });
  const has = (value: string): boolean => values.includes(value);
  return { all: has("all"), first: has("first"), last: has("last"), at };
}
