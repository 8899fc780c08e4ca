import { hash } from "node:crypto";
import type { IndicatorQuery } from "../../store/records/indicator.ts";
import { isDay } from "../../time/is-day.ts";
import { invalid } from "../service-error.ts";

/** Maximum objects of a page; further ones are on the next page. */
const MAX_OBJECTS = 5000;
/** Maximum UUIDs or versions in one filter. */
const MAX_VALUES = 100;
const ID = /^(indicator|identity)--([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TIME = /^((\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i;
const NEXT = /^(\d{1,16})\.([A-Za-z0-9_-]{11})$/;
const FILTERS = ["added_after", "match[id]", "match[type]", "match[version]", "match[spec_version]"] as const;
const NAMES: ReadonlySet<string> = new Set([...FILTERS, "limit", "next"]);

/** The parameters of a request; a parameter that is given more than once has a list. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a client requests, and what distinguishes its filters from others. */
export interface ObjectQuery extends IndicatorQuery {
  readonly filters: string;
  /** Whether it continues a page. */
  readonly isFurtherPage: boolean;
}

/**
 * Reads the parameters of TAXII's filters and pages. `only`: filters from elsewhere, such as the path; a page of one
 * collection cannot be continued in another.
 * @throws ServiceError "invalid"
 */
export function readObjectQuery(
  parameters: QueryParameters,
  only: { readonly collection: string; readonly id?: string; readonly allVersions?: boolean },
): ObjectQuery {
  for (const name of Object.keys(parameters))
    if (name.startsWith("match[") && !NAMES.has(name))
      throw invalid({ [name]: ["is not a filter of this server; use match[id], match[type], match[version]"] });
  const values = new Map(FILTERS.map((name) => [name, single(parameters, name)]));
  const filters = hash(
    "sha256",
    JSON.stringify([only.collection, only.id ?? null, ...values.values()]),
    "base64url",
  ).slice(0, 11);
  const after = values.get("added_after");
  const next = readNext(single(parameters, "next"), filters);
  const ids = only.id ?? values.get("match[id]");
  return {
    isFurtherPage: next !== undefined,
    after: next ?? (after === undefined ? 0 : readMicroseconds(after)),
    limit: readLimit(single(parameters, "limit")),
    ...(ids === undefined ? {} : { ids: uuidsIn(listOf("match[id]", ids)) }),
    types: isOtherVersion(values.get("match[spec_version]")) ? [] : typesIn(values.get("match[type]")),
    versions: only.allVersions === true ? ALL : readVersions(values.get("match[version]")),
    filters,
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

function readNext(text: string | undefined, filters: string): number | undefined {
  if (text === undefined) return undefined;
  const [, added, own] = NEXT.exec(text) ?? [];
  if (own === undefined) throw invalid({ next: ["was not issued by this server"] });
  if (own !== filters)
    throw invalid({
      next: ["belongs to a request for another collection, or with other filters; start again without it"],
    });
  return Number(added);
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
