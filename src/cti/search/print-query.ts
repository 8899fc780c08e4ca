import type { Clause, Query, QueryValue } from "./query.ts";
import { hasWildcards } from "./query.ts";
import { isBare } from "./_value-shapes.ts";

/** A query in its canonical form: two queries of the same meaning, but for the order and repetition, have the same text. */
export function printQuery(query: Query): string {
  if (query.kind === "clause") return printClause(query);
  if (query.kind === "not") {
    const text = printQuery(query.part);
    return query.part.kind === "and" || query.part.kind === "or" ? `NOT (${text})` : `NOT ${text}`;
  }
  // OR binds looser than AND, so only an OR inside an AND needs parentheses.
  const parts = query.parts.map((part) =>
    query.kind === "and" && part.kind === "or" ? `(${printQuery(part)})` : printQuery(part),
  );
  return parts.join(query.kind === "and" ? " AND " : " OR ");
}

function printClause(clause: Clause): string {
  const { field, operator, values } = clause;
  const written = values.map((value) => printValue(clause, value));
  switch (operator) {
    case "exists":
    case "not_exists":
      return `${field.name} ${operator}`;
    case "IN":
      return `${field.name} IN (${written.join(", ")})`;
    case "range":
      return `${field.name}:[${written.join(" TO ")}]`;
    case "within":
      return `${field.name}:${written[0]}`;
    case ":":
    case "!:":
    case "~:":
    case "!~:":
      return field.name + operator + written[0];
    default:
      return `${field.name} ${operator} ${written[0]}`;
  }
}

function printValue({ field }: Clause, { text }: QueryValue): string {
  // What is not text has a shape of its own, which needs no quotes.
  if (!hasWildcards(field) || isBare(text)) return text;
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}
