import type { Json } from "./open-api.ts";

/**
 * The same document in OpenAPI 3.0, for generators that know no other version. Its schemas are not JSON Schema: it
 * expresses null, constants and references differently.
 */
export function asVersion30(document: Json): Json {
  return { ...(converted(document) as Json), openapi: "3.0.3" };
}

/** Keywords whose contents are values and must not be mistaken for schemas. */
const VALUES: ReadonlySet<string> = new Set(["example", "default", "enum"]);

function converted(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => converted(each));
  if (typeof value !== "object" || value === null || VALUES.has(key)) return value;
  const schema = withExample(withConstant(withoutNull(withReferenceAlone(withoutPatterns(value as Json)))));
  return Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, converted(each, name)]));
}

/** Names of properties have no patterns there; the schema of all properties beside them is the same. */
function withoutPatterns(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "patternProperties"));
}

/** Everything beside a reference is ignored. */
function withReferenceAlone(schema: Json): Json {
  const { $ref, ...others } = schema;
  return typeof $ref !== "string" || Object.keys(others).length === 0 ? schema : { allOf: [{ $ref }], ...others };
}

function withoutNull(schema: Json): Json {
  const { type, oneOf } = schema;
  if (Array.isArray(type) && type.includes("null"))
    return { ...schema, type: type.find((each) => each !== "null"), nullable: true };
  if (!Array.isArray(oneOf) || !oneOf.some(isNull)) return schema;
  const { oneOf: _, ...others } = schema;
  const forms = oneOf.filter((each) => !isNull(each));
  // All of them are objects: `nullable` needs a type beside it.
  return { ...others, type: "object", nullable: true, [forms.length === 1 ? "allOf" : "oneOf"]: forms };
}

function isNull(schema: Json): boolean {
  return schema["type"] === "null";
}

function withConstant(schema: Json): Json {
  if (!Object.hasOwn(schema, "const")) return schema;
  const { const: value, ...others } = schema;
  return { ...others, enum: [value] };
}

/** The first of several examples. */
function withExample(schema: Json): Json {
  const { examples, ...others } = schema;
  return Array.isArray(examples) ? { ...others, example: examples[0] } : schema;
}
