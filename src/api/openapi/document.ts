import type { RouteOptions } from "fastify";
import { ownVersion } from "../../service/own-version.ts";
import type { RouteScope } from "../operation.ts";
import { pascalCase } from "../schemas/problem.ts";
import type { Settings } from "../../service/settings.ts";
import { isWebAddress } from "../../service/web-address.ts";
import { DESCRIPTIONS, LICENSE, SECURITY, TAGS, TITLES } from "./about.ts";
import { SchemaComponents, shareParts } from "./components.ts";
import type { Answer, Json, OpenApi, Operation } from "./open-api.ts";
import { operationOf } from "./operations.ts";

/**
 * The OpenAPI document of a scope's routes. Parameters, headers and responses are repeated wherever they are used;
 * `withSharedParts` writes them once.
 */
export function documentOf(
  scope: RouteScope,
  routes: readonly RouteOptions[],
  { baseUrl, contact }: Settings,
): OpenApi {
  const schemas = new SchemaComponents();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.url
      .replaceAll("::", "\u0000")
      .replaceAll(/\(\^[^)]*\)/g, "")
      .replaceAll(/:(\w+)/g, "{$1}")
      .replaceAll("\u0000", ":");
    (paths[path] ??= {})[String(route.method).toLowerCase()] = operationOf(scope, route, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: TITLES[scope],
      version: ownVersion(),
      description: DESCRIPTIONS[scope],
      contact: contactOf(contact),
      license: LICENSE,
    },
    servers: [{ url: baseUrl === "" ? "/" : baseUrl.replace(/\/$/, "") }],
    tags: tagsOf(paths),
    paths,
    components: { schemas: withoutClashes(schemas.all, paths), securitySchemes: SECURITY[scope] },
  };
}

function contactOf(contact: string): Json {
  const name = "Operator of this service";
  if (contact === "") return { name };
  return { name, ...(isWebAddress(contact) ? { url: contact } : { email: contact }) };
}

function tagsOf(paths: OpenApi["paths"]): OpenApi["tags"] {
  const used = new Set(operationsOf(paths).flatMap(({ tags }) => tags));
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

function operationsOf(paths: OpenApi["paths"]): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/**
 * Go generators create a type `AddRuleResponse` for the responses of addRule; a schema with such a name is renamed
 * there.
 */
function withoutClashes(schemas: Readonly<Record<string, Json>>, paths: OpenApi["paths"]): Json {
  const taken = new Set(operationsOf(paths).map(({ operationId }) => `${pascalCase(operationId)}Response`));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      taken.has(name) ? { ...schema, "x-go-name": name.replace(/Response$/, "Result") } : schema,
    ]),
  );
}

/** The same document, with each repeated parameter, header and response among the components. */
export function withSharedParts(document: OpenApi): Json {
  const copy = structuredClone(document) as OpenApi & { components: Json };
  const operations = operationsOf(copy.paths);
  const headers = shareParts(
    "headers",
    operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ headers }) => placesIn(headers, (name) => headerNames(name, operationId))),
    ),
  );
  const parameters = shareParts(
    "parameters",
    operations.flatMap(({ operationId, parameters }) =>
      placesIn(parameters, (at) => parameterNames(parameters[Number(at)]!, operationId)),
    ),
  );
  const responses = shareParts(
    "responses",
    operations.flatMap(({ responses, operationId }) =>
      placesIn(responses, (status) => answerNames(responses[status]!, operationId, status)),
    ),
  );
  return { ...copy, components: { ...copy.components, parameters, headers, responses } };
}

function placesIn(holder: object, namesOf: (key: string) => string[]): Parameters<typeof shareParts>[1] {
  return Object.keys(holder).map((key) => ({ holder: holder as Record<string, unknown>, key, names: namesOf(key) }));
}

function headerNames(name: string, operationId: string): string[] {
  return [`${pascalCase(name)}Header`, `${pascalCase(operationId)}${pascalCase(name)}Header`];
}

function parameterNames({ name, in: location }: Operation["parameters"][number], operationId: string): string[] {
  return [
    `${pascalCase(name)}Parameter`,
    `${pascalCase(name)}In${pascalCase(location)}Parameter`,
    `${pascalCase(operationId)}${pascalCase(name)}Parameter`,
  ];
}

const EMPTY: Readonly<Record<string, string>> = { 204: "NoContent", 304: "NotModified" };

/** By the schema of its JSON, which a problem's description names. */
function answerNames({ description, content = {} }: Answer, operationId: string, status: string): string[] {
  const json = (content["application/json"] as { schema: { $ref?: string } } | undefined)?.schema.$ref
    ?.split("/")
    .at(-1);
  const name =
    EMPTY[status] ?? (status < "400" ? json : `${json === undefined ? "" : "Threat"}${pascalCase(description)}`);
  return [...(name === undefined ? [] : [`${name}Answer`]), `${pascalCase(operationId)}${status}Answer`];
}
