import type { FastifySchema, RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { EXAMPLES } from "./examples.ts";
import type { RouteScope } from "../operation.ts";
import { requirement, requirementMembers, SECURITY } from "./about.ts";
import { answersOf, exampleOf, textSchema } from "./answers.ts";
import type { SchemaComponents } from "./components.ts";
import { AFTER } from "./documented-headers.ts";
import { headerSchema } from "./headers.ts";
import type { Json, Operation, Parameter } from "./open-api.ts";

export function operationOf(
  scope: RouteScope,
  { config = {}, schema = {} }: RouteOptions,
  schemas: SchemaComponents,
): Operation {
  const { operationId = "", summary = "", description, tags = [] } = schema;
  const { access = "admin", area } = config;
  return {
    operationId,
    summary,
    description: [description, requirement(scope, access, area)].filter((each) => each !== undefined).join(" "),
    tags,
    ...requirementMembers(scope, access, area),
    security: access === "none" ? [] : Object.keys(SECURITY[scope]).map((scheme) => ({ [scheme]: [] })),
    parameters: parametersOf(
      access === "none" ? schema : { ...schema, requestHeaders: { ...schema.requestHeaders, ...AFTER } },
      schemas,
    ),
    ...(schema.body === undefined ? {} : { requestBody: bodyOf(schema, schemas) }),
    responses: answersOf(schema, { scope, access, isThreat: scope === "public" && area === "cti" }, schemas),
  };
}

interface ObjectSchema {
  readonly properties: Readonly<
    Record<string, TSchema & { readonly description?: string; readonly examples?: readonly unknown[] }>
  >;
  readonly required?: readonly string[];
}

function parametersOf(
  { params, querystring, requestHeaders = {} }: FastifySchema,
  schemas: SchemaComponents,
): Parameter[] {
  const of = (location: string, schema: unknown): Parameter[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as Partial<ObjectSchema>;
    return Object.entries(properties).map(([name, each]) => ({
      name,
      in: location,
      required: required.includes(name),
      ...descriptionOf(each),
      schema: schemas.refer(each),
    }));
  };
  const headers = Object.entries(requestHeaders).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: headerSchema(name),
  }));
  return [...of("path", params), ...of("query", querystring), ...headers];
}

function descriptionOf({ description }: { readonly description?: string }): { description?: string } {
  return description === undefined ? {} : { description };
}

function bodyOf(
  {
    operationId = "",
    body,
    documentedBody = jsonBody(body),
    otherBodies = otherTypesOf(body),
    bodyExample,
  }: FastifySchema,
  schemas: SchemaComponents,
): Json {
  const examples = EXAMPLES[operationId]?.bodies;
  const others = otherBodies.map((type) => [type, { schema: textSchema(type), ...exampleOf(examples?.[type]) }]);
  const json =
    documentedBody === undefined
      ? {}
      : { "application/json": { schema: schemas.refer(documentedBody), ...exampleOf(bodyExample) } };
  const required = others.length > 0 || documentedBody === undefined || !Check(documentedBody, {});
  return { required, content: { ...json, ...Object.fromEntries(others) } };
}

/** Bodies of several types are described by type. */
function contentOf(body: unknown): Readonly<Record<string, { readonly schema: TSchema }>> {
  return (
    (body as { content?: Readonly<Record<string, { schema: TSchema }>> }).content ?? {
      "application/json": { schema: body as TSchema },
    }
  );
}

/** The media types of the bodies that an operation accepts. */
export function bodyTypesOf({ body = { content: {} }, documentedBody, otherBodies }: FastifySchema): string[] {
  const json = documentedBody ?? jsonBody(body);
  return [...(json === undefined ? [] : ["application/json"]), ...(otherBodies ?? otherTypesOf(body))];
}

/** None if the operation takes no JSON. */
function jsonBody(body: unknown): TSchema | undefined {
  return contentOf(body)["application/json"]?.schema;
}

function otherTypesOf(body: unknown): string[] {
  return Object.keys(contentOf(body)).filter((type) => type !== "application/json");
}
