import type { SearchField, ThreatValueCount } from "../documents.ts";

/** What could be typed next, and the query with it. */
export interface Suggestion {
  readonly text: string;
  /** How many documents have it. */
  readonly count?: number;
  readonly query: string;
}

const MAX_FIELDS = 8;
/** What is being typed at the end of a query: a field, or a value after a field and its operator. */
const UNFINISHED = /(?:^|[\s(])([a-z_.0-9]*)(?:(:)("?)([^"():]*))?$/i;

/** The field whose value is being typed, and as much of the value as there is. */
export function valueTyped(
  query: string,
  fields: readonly SearchField[],
): { readonly field: SearchField; readonly start: string; readonly before: string } | undefined {
  const [, name = "", colon, quote = "", start = ""] = UNFINISHED.exec(query) ?? [];
  if (colon === undefined || (quote === "" && /\s/.test(start))) return undefined;
  const field = fields.find((each) => each.name === name || each.aliases.includes(name));
  if (field === undefined || field.name === "ip") return undefined;
  return { field, start, before: query.slice(0, query.length - quote.length - start.length) };
}

/** The fields that begin, or have a part that begins, with what is being typed. */
export function fieldsTyped(query: string, fields: readonly SearchField[]): Suggestion[] {
  const [, typed = "", colon] = UNFINISHED.exec(query) ?? [];
  if (colon !== undefined || typed === "") return [];
  const start = typed.toLowerCase();
  const before = query.slice(0, query.length - typed.length);
  return fields
    .filter(({ is_available: isAvailable }) => isAvailable)
    .filter(({ name, aliases }) => [name, ...aliases].some((each) => `.${each}`.includes(`.${start}`)))
    .slice(0, MAX_FIELDS)
    .map(({ name }) => ({ text: name, query: `${before}${name}:` }));
}

/** The query whose documents have values that begin with what is being typed. */
export function queryOfValues(field: SearchField, start: string): string | undefined {
  const hasStars = field.operators.includes("exists");
  return start === "" || !hasStars || start.includes("*") ? undefined : `${field.name}:${quoted(`${start}*`)}`;
}

/** The values that begin with it, with their counts. */
export function valuesTyped(
  values: readonly ThreatValueCount[],
  { start, before }: { readonly start: string; readonly before: string },
): Suggestion[] {
  return values
    .filter(({ value }) => value.toLowerCase().startsWith(start.toLowerCase()))
    .map(({ value, count }) => ({ text: value, count, query: `${before}${quoted(value)} ` }));
}

/** A query with one more condition. */
export function narrowed(query: string, field: string, value: string): string {
  const clause = `${field}:${quoted(value)}`;
  if (query.trim() === "") return clause;
  return / or /i.test(query) ? `(${query.trim()}) AND ${clause}` : `${query.trim()} AND ${clause}`;
}

function quoted(value: string): string {
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}
