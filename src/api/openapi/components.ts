import { nameOf, shownOf } from "../schemas/common.ts";
import type { Json } from "./open-api.ts";

/** The schemas of a document: named ones are written once and referred to. */
export class SchemaComponents {
  readonly all: Record<string, Json> = {};

  /** The schema as the document shows it, or a reference to it. */
  refer(schema: unknown): Json {
    const name = nameOf(schema);
    if (name === undefined) return this.#copy(shownOf(schema)) as Json;
    if (!Object.hasOwn(this.all, name)) {
      this.all[name] = {};
      this.all[name] = this.#copy(shownOf(schema)) as Json;
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.refer(each));
    if (typeof value !== "object" || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.refer(each)]));
    return withType(asOneOf(copy));
  }
}

/** Generators do not create a type for an enum that does not declare the type of its values. */
function withType(schema: Json): Json {
  const values = schema["enum"];
  if (!Array.isArray(values) || schema["type"] !== undefined) return schema;
  return { type: values.every((value) => typeof value === "string") ? "string" : "integer", ...schema };
}

/**
 * The alternatives of all unions exclude one another, which the schema library does not express; the tests check
 * examples and responses against that.
 */
function asOneOf({ anyOf, ...others }: Json): Json {
  return anyOf === undefined ? others : { ...others, oneOf: anyOf };
}

/** A part of the document that may occur several times. */
interface Occurrence {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  /** What it may be called among the components; the first free name is used. */
  readonly names: readonly string[];
}

/** Moves repeated parts to the components and replaces them with references. Returns the components. */
export function shareParts(kind: "parameters" | "headers" | "responses", occurrences: readonly Occurrence[]): Json {
  const shared: Record<string, unknown> = {};
  for (const equal of Map.groupBy(occurrences, ({ holder, key }) => JSON.stringify(holder[key])).values()) {
    const { holder, key, names } = equal[0]!;
    const name = names.find((each) => !Object.hasOwn(shared, each));
    if (equal.length === 1 || name === undefined) continue;
    shared[name] = holder[key];
    for (const each of equal) each.holder[each.key] = { $ref: `#/components/${kind}/${name}` };
  }
  return shared;
}
