import { AddressError, quoted } from "../../address/address-error.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { isDay } from "../../time/is-day.ts";
import { nearest } from "../../words/nearest.ts";
import { DATE, NUMBER, RELATIVE } from "./_value-shapes.ts";
import { type Operator, OPERATORS, type SearchField, wordsOf } from "./search-fields.ts";
import { hasWildcards, type QueryValue } from "./query.ts";
import { QueryError } from "./query-error.ts";

const MILLISECONDS = 86_400_000;
/** A month has 30 days and a year 365 in relative times. */
const UNITS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30, y: 365 };
const MAX_PORT = 0xffff;

/**
 * The value of a clause as its field's type has it; `at` is where it is written.
 * @throws QueryError "bad-value"
 */
export function readValue(field: SearchField, operator: Operator, text: string, at: number): QueryValue {
  const refuse = (expected: string, meant?: string): never => {
    throw new QueryError("bad-value", at, `${field.name} takes ${expected}, not ${quoted(text)}`, meant);
  };
  if (text === "") return refuse(`a value${OPERATORS[field.type].includes("exists") ? " (or not_exists)" : ""}`);
  if (hasWildcards(field)) return readText(field, operator, text, refuse);
  switch (field.type) {
    case "bool":
      if (text === "true" || text === "false") return { text, value: text === "true" };
      return refuse("true or false", nearest(text.toLowerCase(), ["true", "false"]));
    case "date":
      return readDate(text, refuse);
    case "ip":
      return readIp(text, operator, at);
    case "float":
      return NUMBER.test(text) ? { text, value: Number(text) } : refuse("a number");
    default: {
      const value = NUMBER.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(value)) return refuse("a whole number");
      if (field.type === "port" && (value < 0 || value > MAX_PORT)) return refuse(`a port from 0 to ${MAX_PORT}`);
      return { text, value };
    }
  }
}

type Refuse = (expected: string, meant?: string) => never;

function readText(field: SearchField, operator: Operator, text: string, refuse: Refuse): QueryValue {
  if (operator.endsWith("~:") && wordsOf(text).length === 0) return refuse("at least one word");
  const isFixed = field.values !== null && !text.includes("*");
  if (isFixed && !field.values.includes(text))
    return refuse(`one of ${field.values.join(", ")}`, nearest(text.toLowerCase(), field.values));
  return { text, value: text };
}

/** Datasets know days: a time of day is cut off. */
function readDate(text: string, refuse: Refuse): QueryValue {
  const [, date, time = "00:00:00", zone = "Z"] = DATE.exec(text) ?? [];
  const moment = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  if (date !== undefined && isDay(date) && !Number.isNaN(moment))
    return { text, value: Math.floor(moment / MILLISECONDS) };
  return refuse("a date such as 2026-06-17 or 2026-06-17T12:00:00Z");
}

function readIp(text: string, operator: Operator, at: number): QueryValue {
  const what = operator === "range" ? "addresses at both ends" : "an address or a prefix";
  try {
    if (operator === "range" && text.includes("/"))
      throw new QueryError("bad-value", at, `a range of ip takes ${what}, not ${quoted(text)}`);
    return { text, value: parsePrefix(text) };
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new QueryError(
      "bad-value",
      at + error.position,
      `ip takes ${what}, and ${quoted(text)} is none: ${error.problem}`,
    );
  }
}

/** A relative time in its canonical form and in milliseconds; undefined for another text. @throws QueryError */
export function readRelative(field: SearchField, text: string, at: number): QueryValue | undefined {
  const [, digits, unit] = RELATIVE.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const days = Number(digits) * UNITS[unit]!;
  // More than dates can be away from each other.
  if (days > 4_000_000)
    throw new QueryError(
      "bad-value",
      at,
      `${field.name} takes a time within the last 4,000,000 days, not ${quoted(text)}`,
    );
  return { text: String(Number(digits)) + unit, value: days * MILLISECONDS };
}
