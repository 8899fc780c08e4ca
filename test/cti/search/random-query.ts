import type { Random } from "../../../bench/data/random.ts";
import { comparePrefixes, parsePrefix } from "../../../src/address/prefix.ts";
import { CLASSIFICATIONS } from "../../../src/cti/fields.ts";
import { type FieldType, OPERATORS, SEARCH_FIELDS, type SearchField } from "../../../src/cti/search/search-fields.ts";
import type { Wanted } from "../../oracle/search-oracle.ts";
import { randomPrefix, TODAY, VALUES } from "./searched-dataset.ts";

/** A random condition, `depth` levels deep at most. */
export function randomWanted(random: Random, depth: number): Wanted {
  const kind = depth === 0 ? 0 : random.below(6);
  if (kind <= 2) return randomClause(random);
  if (kind === 3) return { not: randomWanted(random, depth - 1) };
  const parts = Array.from({ length: random.below(3) + 2 }, () => randomWanted(random, depth - 1));
  return kind === 4 ? { and: parts } : { or: parts };
}

function randomClause(random: Random): Wanted {
  const field = SEARCH_FIELDS[random.below(SEARCH_FIELDS.length)]!;
  const operators = OPERATORS[field.type];
  const op = operators[random.below(operators.length)]!;
  const value = (): string => randomValue(random, field, op);
  if (op === "exists" || op === "not_exists") return { field: field.name, op, values: [] };
  if (op === "within") return { field: field.name, op, values: [`${random.below(40)}${"hdwmy"[random.below(5)]}`] };
  if (op === "range") return { field: field.name, op, values: inOrder(field.type, value(), value()) };
  const count = op === "IN" ? random.below(3) + 1 : 1;
  const values = Array.from({ length: count }, value);
  // `=` takes stars as they are, as do the values of `~:`.
  return { field: field.name, op, values };
}

function randomValue(random: Random, { type, member, name, values }: SearchField, op: string): string {
  const one = (list: readonly string[]): string => list[random.below(list.length)]!;
  const day = (): string => new Date((TODAY - random.below(40)) * 86_400_000).toISOString().slice(0, 10);
  switch (type) {
    case "bool":
      return one(["true", "false"]);
    case "ip":
      return op === "range" ? randomPrefix(random).split("/")[0]! : randomPrefix(random);
    case "port":
      return one(["0", "22", "23", "80", "445", "2323", "65535"]);
    case "int":
      return one(["0", "3", "5", "64500", "13335", "4294967295", "-1", "1e1"]);
    case "float":
      return one(["-3.5", "50", "0"]);
    case "date":
      return random.below(4) === 0 ? `${day()}T${one(["00:00:00Z", "23:59:59+02:00", "12:00:00"])}` : day();
    default: {
      if (values !== null)
        return op === ":" && random.below(3) === 0 ? one(["mal*", "*ign*", "*"]) : one(CLASSIFICATIONS);
      const known: readonly string[] = (VALUES as Record<string, readonly string[]>)[member ?? ""] ?? ["x", name];
      const text = one(known);
      if (op.endsWith("~:"))
        return one(
          text
            .split(/[^\p{L}\p{M}\p{N}]+/u)
            .filter((word) => word !== "")
            .concat("none"),
        );
      return random.below(2) === 0 ? text : changed(random, text);
    }
  }
}

/** Another case, or stars in place of some letters. */
function changed(random: Random, text: string): string {
  const from = random.below(text.length);
  const to = from + random.below(text.length - from + 1);
  const kind = random.below(4);
  if (kind === 0) return text.toUpperCase();
  if (kind === 1) return text.toLowerCase();
  return `${text.slice(0, from)}*${text.slice(to)}${kind === 2 ? "*" : ""}`.replaceAll(/[\ud800-\udfff]/g, "");
}

function inOrder(type: FieldType, a: string, b: string): string[] {
  if (type === "ip") {
    if (a.includes(":") !== b.includes(":")) return [a, a];
    return comparePrefixes(parsePrefix(a), parsePrefix(b)) <= 0 ? [a, b] : [b, a];
  }
  const key = (text: string): number =>
    type === "date"
      ? Math.floor(Date.parse(/T.*\d$/.test(text) && text.length === 19 ? `${text}Z` : text) / 86_400_000)
      : Number(text);
  return key(a) <= key(b) ? [a, b] : [b, a];
}

/** A condition as a query, written as people do: aliases, other quotes, other cases of keywords, more parentheses and spaces. */
export function writtenQuery(random: Random, wanted: Wanted, parent: "top" | "and" | "or" | "not" = "top"): string {
  const maybe = (text: string, other: string): string => (random.below(3) === 0 ? other : text);
  const inside = (text: string, isNeeded: boolean): string =>
    isNeeded || random.below(6) === 0 ? `(${maybe("", " ")}${text}${maybe("", "\t")})` : text;
  if ("and" in wanted) {
    const text = wanted.and.map((part) => writtenQuery(random, part, "and")).join(maybe(" AND ", " and "));
    return inside(text, parent === "not");
  }
  if ("or" in wanted) {
    const text = wanted.or.map((part) => writtenQuery(random, part, "or")).join(maybe(" OR ", "  or\n"));
    return inside(text, parent === "not" || parent === "and");
  }
  if ("not" in wanted) return `${maybe("NOT", "not")} ${writtenQuery(random, wanted.not, "not")}`;
  return inside(writtenClause(random, wanted.field, wanted.op, wanted.values), false);
}

function writtenClause(random: Random, name: string, op: string, values: readonly string[]): string {
  const field = SEARCH_FIELDS.find((each) => each.name === name)!;
  const names = [name, name, ...field.aliases];
  const written = names[random.below(names.length)]!;
  const space = random.below(4) === 0 ? " " : "";
  const texts = values.map((value) => quotedValue(random, value));
  if (op === "exists" || op === "not_exists") return `${written} ${op}`;
  if (op === "IN") return `${written} ${random.below(2) === 0 ? "IN" : "in"} (${texts.join(`${space},`)})`;
  if (op === "range") return `${written}:[${space}${texts.join(" TO ")}${space}]`;
  if (op === "within") return `${written}:${space}${texts[0]}`;
  return `${written}${space}${op}${space}${texts[0]}`;
}

function quotedValue(random: Random, value: string): string {
  if (value.includes('"')) return `'${value}'`;
  const mustQuote = /[\s()"',\]]|^\[|^(?:and|or|not|in|to)$/i.test(value) || value === "";
  if (!mustQuote && random.below(2) === 0) return value;
  return value.includes("'") || random.below(2) === 0 ? `"${value}"` : `'${value}'`;
}
