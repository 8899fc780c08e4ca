type Json = Readonly<Record<string, any>>;

/**
 * The parts of an OpenAPI document that generators of clients cannot process, by position; none in a good document.
 * Linters do not check for them.
 */
export function documentErrors(document: Json): string[] {
  const schemas = [...schemasIn(document)];
  return [
    ...schemas.flatMap(([place, schema]) => schemaErrors(document, place, schema)),
    ...repeated(document, schemas),
    ...clashes(document),
    ...operationErrors(document),
  ];
}

function schemaErrors(document: Json, place: string, schema: Json): string[] {
  const errors = (["anyOf", "patternProperties"] as const)
    .filter((keyword) => keyword in schema)
    // Generators that ignore patterns use the schema of all other properties.
    .filter((keyword) => keyword === "anyOf" || schema["additionalProperties"] === undefined)
    .map((keyword) => `${place}: ${keyword}`);
  if (schema["enum"] !== undefined && schema["type"] === undefined) errors.push(`${place}: an enum without a type`);
  if (schema["type"] === "number" && !/_ms$/.test(place)) errors.push(`${place}: a number that is not an integer`);
  if (isOptionalForm(schema)) return errors;
  for (const form of schema["oneOf"] ?? [])
    if (!isClosed(resolve(document, form))) errors.push(`${place}: a form of a union that is open`);
  return errors;
}

/** Closed objects with a required member, maps, lists and null do not fit where another form is expected. */
function isClosed({ type, nullable, additionalProperties, required = [] }: Json): boolean {
  if (type !== "object" || nullable === true) return true;
  return typeof additionalProperties === "object" || (additionalProperties === false && required.length > 0);
}

function isOptionalForm(schema: Json): boolean {
  return schema["oneOf"]?.some(({ type }: Json) => type === "null") === true || schema["allOf"] !== undefined;
}

/** Objects, enums, unions, parameters, headers and responses that occur twice without a name. */
function repeated(document: Json, schemas: readonly [string, Json][]): string[] {
  const named = new Set(Object.keys(document["components"].schemas).map((name) => `#/components/schemas/${name}`));
  const parts = schemas.filter(
    ([place, schema]) =>
      !named.has(place) &&
      !isOptionalForm(schema) &&
      (schema["properties"] !== undefined || schema["enum"]?.length > 1 || schema["oneOf"] !== undefined),
  );
  const groups = Map.groupBy([...parts, ...partsOfOperations(document)], ([, part]) => JSON.stringify(part));
  return [...groups.values()]
    .filter((places) => places.length > 1)
    .map((places) => `${places[0]![0]}: the same as at ${places[1]![0]}, without a name`);
}

function partsOfOperations(document: Json): [string, Json][] {
  const parts = operationsOf(document).flatMap(({ operationId, parameters, responses }): [string, Json][] => [
    ...parameters.map((parameter: Json): [string, Json] => [`${operationId} ${parameter["name"]}`, parameter]),
    ...Object.entries<Json>(responses).flatMap(([status, answer]): [string, Json][] => [
      [`${operationId} ${status}`, answer],
      ...Object.entries<Json>(answer["headers"] ?? {}).map(([name, header]): [string, Json] => [
        `${operationId} ${status} ${name}`,
        header,
      ]),
    ]),
  ]);
  return parts.filter(([, part]) => part["$ref"] === undefined);
}

/** Generators make one type from two components with the same name. */
function clashes({ components }: Json): string[] {
  const names = Object.entries<Json>(components).flatMap(([kind, all]) =>
    kind === "securitySchemes" ? [] : Object.keys(all),
  );
  return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `two components are called ${name}`);
}

function operationErrors(document: Json): string[] {
  const described = new Set<string>(document["tags"].map(({ name }: Json) => name));
  return operationsOf(document).flatMap(({ operationId, tags, description, responses, ...operation }) => {
    const errors = tags
      .filter((tag: string) => !described.has(tag))
      .map((tag: string) => `${operationId}: the tag ${tag} has no description`);
    if (operation["x-access-level"] === undefined && operation["x-role"] === undefined)
      errors.push(`${operationId}: no access level`);
    if (!/Requires (a|no|the) /.test(description)) errors.push(`${operationId}: no access level in words`);
    return [...errors, ...problemErrors(document, operationId, responses)];
  });
}

/** Every problem of a response has a closed type with the status of the response. */
function problemErrors(document: Json, operationId: string, responses: Json): string[] {
  return Object.entries<Json>(responses).flatMap(([status, reference]) => {
    const schema = resolve(document, reference)["content"]?.["application/problem+json"]?.schema;
    const forms: Json[] =
      schema === undefined ? [] : (schema.oneOf ?? [schema]).map((form: Json) => resolve(document, form));
    const isGood = forms.every(
      (form) =>
        form["additionalProperties"] === false &&
        constantOf(form["properties"].status) === Number(status) &&
        String(constantOf(form["properties"].type)).startsWith("/problems/"),
    );
    return isGood ? [] : [`${operationId} ${status}: a problem that is open, or of another status`];
  });
}

function constantOf(schema: Json): unknown {
  return schema["const"] ?? schema["enum"]?.[0];
}

function operationsOf(document: Json): Json[] {
  return Object.values<Json>(document["paths"]).flatMap((methods) => Object.values<Json>(methods));
}

function resolve(document: Json, part: Json): Json {
  if (part["$ref"] === undefined) return part;
  return resolve(
    document,
    part["$ref"]
      .split("/")
      .slice(1)
      .reduce((at: Json, key: string) => at[key], document),
  );
}

/** The subschemas of a schema, by keyword. */
const IN_SCHEMAS = ["properties", "items", "additionalProperties", "oneOf", "allOf", "anyOf", "patternProperties"];

/** All schemas of the document with their positions. */
function* schemasIn(value: any, place = "#"): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null || /\/(example|examples|default)$/.test(place)) return;
  const isNamed = /^#\/components\/schemas\/\w+$/.test(place);
  if (isNamed || place.endsWith("/schema")) return yield* schemasOf(value, place);
  for (const [key, each] of Object.entries(value)) yield* schemasIn(each, `${place}/${key}`);
}

function* schemasOf(schema: any, place: string): Generator<[string, Json]> {
  if (typeof schema !== "object" || schema === null) return;
  yield [place, schema];
  for (const keyword of IN_SCHEMAS) {
    const within = schema[keyword];
    if (keyword === "properties" || keyword === "patternProperties" || Array.isArray(within))
      for (const [key, each] of Object.entries(within ?? {})) yield* schemasOf(each, `${place}/${keyword}/${key}`);
    else yield* schemasOf(within, `${place}/${keyword}`);
  }
}
