import type { Prefix } from "../../address/address.ts";
import type { Operator, SearchField } from "./search-fields.ts";

/** A value of a clause: how it is printed, and what it is compared as. */
export interface QueryValue {
  /** As it is written, without quotes. */
  readonly text: string;
  /** Texts as they are; days since 1970-01-01 for dates; milliseconds for relative times. */
  readonly value: string | number | boolean | Prefix;
}

/** One condition on one field. */
export interface Clause {
  readonly kind: "clause";
  readonly field: SearchField;
  readonly operator: Operator;
  /** None for `exists`, two for `range`, any number for `IN`, else one. */
  readonly values: readonly QueryValue[];
}

/** A query as a tree. `and` and `or` have at least two parts, and no part of their own kind. */
export type Query =
  | Clause
  | { readonly kind: "and" | "or"; readonly parts: readonly Query[] }
  | { readonly kind: "not"; readonly part: Query };

/** Whether a term matches by its stars: only the types of text have wildcards, and only in terms. */
export function isPattern({ field, operator }: Clause, { value }: QueryValue): boolean {
  const isTerm = operator === ":" || operator === "!:" || operator === "IN";
  return isTerm && typeof value === "string" && value.includes("*") && hasWildcards(field);
}

/** Whether every value of the field is compared with it: words, and patterns with more than a star at their end. */
export function isScanned(clause: Clause, value: QueryValue): boolean {
  if (clause.operator.endsWith("~:")) return true;
  return isPattern(clause, value) && value.text.indexOf("*") < value.text.length - 1;
}

/** Whether terms of this field may have stars. */
export function hasWildcards({ type }: SearchField): boolean {
  return type === "keyword" || type === "text" || type === "country" || type === "fingerprint" || type === "mitre";
}

/** Every clause, in order. */
export function* clausesOf(query: Query): Generator<Clause, void, undefined> {
  if (query.kind === "clause") yield query;
  else if (query.kind === "not") yield* clausesOf(query.part);
  else for (const part of query.parts) yield* clausesOf(part);
}

/** The names of the fields that a query asks for and no dataset holds, each once. */
export function unavailableFields(query: Query): string[] {
  const missing = [...clausesOf(query)].filter(({ field }) => !field.isAvailable);
  return [...new Set(missing.map(({ field }) => field.name))];
}
