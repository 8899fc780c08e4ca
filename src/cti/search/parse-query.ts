import { quoted } from "../../address/address-error.ts";
import { isPrefix } from "../../address/prefix.ts";
import { comparePrefixes } from "../../address/prefix.ts";
import type { Prefix } from "../../address/address.ts";
import { nearest } from "../../words/nearest.ts";
import { unknownField } from "./field-names.ts";
import { type Clause, isPattern, isScanned, type Query, type QueryValue } from "./query.ts";
import { QueryError } from "./query-error.ts";
import { readRelative, readValue } from "./read-value.ts";
import { type Operator, OPERATORS, type SearchField, searchField } from "./search-fields.ts";

/** What bounds the work of a query. Each is named in the error of a query that exceeds it. */
export const QUERY_LIMITS = {
  /** Characters, as a request's line has room for them. */
  characters: 4096,
  /** Values of all clauses. */
  terms: 1000,
  /** Parentheses and NOTs inside each other. */
  nesting: 32,
  /** Values that are compared with every value of their field: with a star before their end, and words (`~:`). */
  scans: 4,
  /** Clauses that compare (`>`, `[a TO b]`, ...), each of which may read every value of its field. */
  comparisons: 16,
  /** Stars of all values. */
  stars: 64,
  /** Characters of such a value. */
  scanned: 256,
} as const;

const SPACE = /\s*/y;
/** A word ends at a space, a parenthesis, a quote or a comma, and in a list or range at a bracket. */
const RUN = /[^\s()"',\]]*/y;
const NAME = /[^\s()"',\]:!~=<>[]*/y;
const OPERATOR = /!~:|~:|!:|:|!=|>=|<=|=|>|</y;
const KEYWORDS: ReadonlySet<string> = new Set(["AND", "OR", "NOT", "IN", "TO"]);

/**
 * Reads a query: clauses `FIELD OP VALUE` and bare indicators, joined by AND, OR, NOT and parentheses. O(characters).
 * @throws QueryError with the position, what was expected there, and the nearest name
 */
export function parseQuery(text: string): Query {
  return new Parser(text).query();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #nesting = 0;
  #terms = 0;
  #scans = 0;
  #stars = 0;
  #comparisons = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.length > QUERY_LIMITS.characters)
      throw limit(QUERY_LIMITS.characters, `${text.length} characters`, `${QUERY_LIMITS.characters} characters`);
  }

  query(): Query {
    const query = this.#or();
    if (this.#at < this.#text.length) this.#expected("AND, OR or the end", this.#at, ["AND", "OR"]);
    return query;
  }

  #or(): Query {
    return this.#joined("or", "OR", () => this.#joined("and", "AND", () => this.#not()));
  }

  #joined(kind: "and" | "or", keyword: string, next: () => Query): Query {
    const parts: Query[] = [];
    do {
      const part = next();
      if (part.kind === kind) parts.push(...part.parts);
      else parts.push(part);
    } while (this.#takeKeyword(keyword));
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }

  #not(): Query {
    this.#skipSpace();
    const start = this.#at;
    if (this.#takeKeyword("NOT")) return this.#nested(start, () => ({ kind: "not", part: this.#not() }));
    if (this.#text[this.#at] !== "(") return this.#clause();
    return this.#nested(start, () => {
      this.#at++;
      const inner = this.#or();
      if (!this.#take(")")) this.#expected(`AND, OR or the ")" of the "(" at character ${start + 1}`, this.#at);
      return inner;
    });
  }

  #nested(start: number, read: () => Query): Query {
    if (++this.#nesting > QUERY_LIMITS.nesting)
      throw limit(start, `more than ${QUERY_LIMITS.nesting} levels`, `${QUERY_LIMITS.nesting} levels of nesting`);
    const query = read();
    this.#nesting--;
    return query;
  }

  #clause(): Clause {
    const start = this.#at;
    const run = this.#matched(RUN, start);
    const indicator = this.#indicator(run);
    if (indicator !== undefined) {
      this.#at += run.length;
      return indicator;
    }
    const name = this.#matched(NAME, start);
    if (name === "" || KEYWORDS.has(name.toUpperCase()))
      return this.#expected('a field, NOT, "(" or an indicator', start);
    const field = searchField(name);
    if (field === undefined) {
      const { problem, meant } = unknownField(name);
      throw new QueryError("unknown-field", start, problem, meant);
    }
    this.#at += name.length;
    return this.#condition(field);
  }

  /** `198.51.100.7`, `203.0.113.0/24`, `AS13335` and `CVE-2024-3400` say what they are. */
  #indicator(run: string): Clause | undefined {
    const name = /^AS\d{1,10}$/i.test(run)
      ? "src.asn.number"
      : /^CVE-\d{4}-\d{4,}$/i.test(run)
        ? "cve"
        : /^[\d.:a-f]*[.:][\d.:a-f]*(?:\/\d+)?$/i.test(run) && (isPrefix(run) || /^[\d.]+(?:\/\d+)?$/.test(run))
          ? "ip"
          : undefined;
    if (name === undefined) return undefined;
    const field = searchField(name)!;
    const text = name === "src.asn.number" ? run.slice(2) : run;
    const clause: Clause = { kind: "clause", field, operator: ":", values: [readValue(field, ":", text, this.#at)] };
    this.#count(clause, this.#at);
    return clause;
  }

  #condition(field: SearchField): Clause {
    this.#skipSpace();
    const at = this.#at;
    const word = this.#matched(NAME, at);
    const written = word === "" ? this.#matched(OPERATOR, at) : word;
    const operator = operatorOf(written);
    if (operator === undefined) {
      const known = nearest(written.toLowerCase(), ["exists", "not_exists"]);
      return this.#expected(
        `an operator of ${field.name} (${OPERATORS[field.type].join(" ")})`,
        at,
        known === undefined ? ["IN"] : [known],
      );
    }
    this.#at += written.length;
    const isRange = operator === ":" && this.#peek() === "[";
    const values = this.#values(field, isRange ? "range" : operator, at);
    const isWithin = operator === ":" && field.type === "date" && !isRange;
    const relative = isWithin ? readRelative(field, values[0]!.text, values[0]!.at) : undefined;
    if (relative !== undefined)
      return this.#made({ kind: "clause", field, operator: "within", values: [relative] }, at);
    const read = values.map((value) => readValue(field, isRange ? "range" : operator, value.text, value.at));
    if (isRange) checkOrder(field, read, values[0]!.at);
    return this.#made({ kind: "clause", field, operator: isRange ? "range" : operator, values: read }, at);
  }

  #made(clause: Clause, at: number): Clause {
    this.#count(clause, at);
    return clause;
  }

  #values(field: SearchField, operator: Operator, at: number): Written[] {
    if (!OPERATORS[field.type].includes(operator))
      throw new QueryError(
        "bad-operator",
        at,
        `${field.name} (${field.type}) does not have ${operator}; it has ${OPERATORS[field.type].join(" ")}`,
      );
    if (operator === "exists" || operator === "not_exists") return [];
    if (operator === "IN") return this.#list();
    if (operator !== "range") return [this.#value()];
    this.#take("[");
    const first = this.#value();
    if (!this.#takeKeyword("TO")) this.#expected("TO", this.#at);
    const last = this.#value();
    if (!this.#take("]")) this.#expected('the "]" of the range', this.#at);
    return [first, last];
  }

  #list(): Written[] {
    if (!this.#take("(")) this.#expected("a list such as (a, b)", this.#at);
    const values: Written[] = [];
    do {
      values.push(this.#value());
      if (values.length > QUERY_LIMITS.terms) throw tooManyTerms(values.at(-1)!.at);
    } while (this.#take(","));
    if (!this.#take(")")) this.#expected('"," or the ")" of the list', this.#at);
    return values;
  }

  #value(): Written {
    this.#skipSpace();
    const at = this.#at;
    const quote = this.#text[at];
    if (quote === '"' || quote === "'") {
      const end = this.#text.indexOf(quote, at + 1);
      if (end < 0) throw new QueryError("syntax", at, `the value that begins here has no closing ${quote}`);
      this.#at = end + 1;
      return { text: this.#text.slice(at + 1, end), at: at + 1 };
    }
    const text = this.#matched(RUN, at);
    if (text === "" || text.startsWith("[")) this.#expected("a value", at);
    if (KEYWORDS.has(text.toUpperCase()))
      throw new QueryError(
        "syntax",
        at,
        `a value is expected, and ${text} joins conditions; write it in quotes: "${text}"`,
      );
    this.#at += text.length;
    return { text, at };
  }

  /** Counts what makes a clause costly. */
  #count(clause: Clause, at: number): void {
    const { scans, stars, scanned, comparisons } = QUERY_LIMITS;
    this.#terms += Math.max(clause.values.length, 1);
    if (this.#terms > QUERY_LIMITS.terms) throw tooManyTerms(at);
    if (/^[<>]|^range$|^within$/.test(clause.operator) && ++this.#comparisons > comparisons)
      throw limit(at, `more than ${comparisons} of them`, `${comparisons} clauses that compare`);
    for (const value of clause.values) {
      const hasStars = isPattern(clause, value);
      if (!isScanned(clause, value)) continue;
      this.#scans++;
      if (hasStars) this.#stars += value.text.split("*").length - 1;
      if (value.text.length > scanned)
        throw limit(
          at,
          `a value of ${value.text.length} characters`,
          `${scanned} characters in a value with stars or words`,
        );
    }
    if (this.#scans > scans)
      throw limit(at, `more than ${scans} of them`, `${scans} values with words (~:), or with a star before their end`);
    if (this.#stars > stars) throw limit(at, `more than ${stars} of them`, `${stars} stars`);
  }

  #takeKeyword(keyword: string): boolean {
    this.#skipSpace();
    const word = this.#text.slice(this.#at, this.#at + keyword.length);
    const after = this.#text[this.#at + keyword.length];
    if (word.toUpperCase() !== keyword || !(after === undefined || /[\s()"'\]]/.test(after))) return false;
    this.#at += keyword.length;
    return true;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #peek(): string | undefined {
    this.#skipSpace();
    return this.#text[this.#at];
  }

  #skipSpace(): void {
    this.#at += this.#matched(SPACE, this.#at).length;
  }

  #matched(pattern: RegExp, at: number): string {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0] ?? "";
  }

  #expected(what: string, at: number, known: readonly string[] = []): never {
    const found = this.#matched(RUN, at) || this.#text.slice(at, at + 1);
    const meant = found === "" ? undefined : (nearest(found, known) ?? nearest(found.toUpperCase(), known));
    const here = found === "" ? "the query ends" : `it says ${quoted(found)}`;
    throw new QueryError("syntax", at, `expected ${what}, but ${here}`, meant);
  }
}

interface Written {
  readonly text: string;
  readonly at: number;
}

const WORD_OPERATORS: Readonly<Record<string, Operator>> = { in: "IN", exists: "exists", not_exists: "not_exists" };

function operatorOf(written: string): Operator | undefined {
  const lower = written.toLowerCase();
  if (Object.hasOwn(WORD_OPERATORS, lower)) return WORD_OPERATORS[lower];
  return /^[!~:=<>]+$/.test(written) ? (written as Operator) : undefined;
}

function checkOrder(field: SearchField, [first, last]: readonly QueryValue[], at: number): void {
  const [a, b] = [first!.value, last!.value];
  if (field.type === "ip" && (a as Prefix).family !== (b as Prefix).family)
    throw new QueryError(
      "bad-value",
      at,
      `the range goes from ${first!.text} to ${last!.text}, an address of the other family`,
    );
  const isReversed = field.type === "ip" ? comparePrefixes(a as Prefix, b as Prefix) > 0 : a > b;
  if (isReversed)
    throw new QueryError(
      "bad-value",
      at,
      `the range goes down from ${first!.text} to ${last!.text}; write [${last!.text} TO ${first!.text}]`,
    );
}

function limit(at: number, what: string, allowed: string): QueryError {
  return new QueryError("limit", at, `${what}: a query may have at most ${allowed}`);
}

function tooManyTerms(at: number): QueryError {
  return limit(at, `more than ${QUERY_LIMITS.terms} values`, `${QUERY_LIMITS.terms} values`);
}
