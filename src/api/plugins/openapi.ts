import type { FastifySchema, RouteOptions } from "fastify";
import type { TSchema } from "typebox";
import type { App } from "../app-type.ts";
import { EXAMPLES } from "../examples.ts";
import type { Access } from "../operation.ts";
import { PROBLEMS } from "../problem.ts";
import { nameOf, ProblemDetail, ThreatError } from "../schemas/common.ts";
import type { Services } from "../services.ts";
import { PLAIN_NAME, SECURE_NAME } from "../session-cookie.ts";
import type { DoorName } from "./doors.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI 3.1 document of all operations of a door. */
    openApi(door: DoorName): OpenApi;
  }
}

type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly description?: string }[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly description: string;
  readonly headers?: Json;
  readonly content?: Json;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
}

/** The version of the API's description, which is not the package's. */
const VERSION = "1.0.0";

/** Collects the operations as routes are added, by door; those without an operation id are not told of. Call it before. */
export function describeOperations(app: App, { settings }: Services): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (route.schema?.operationId !== undefined && route.method !== "HEAD") routes.push(route);
  });
  app.decorate("openApi", (door) => documentOf(door, routes.filter(({ config }) => config?.door === door), settings.baseUrl));
}

function documentOf(door: DoorName, routes: readonly RouteOptions[], baseUrl: string): OpenApi {
  const schemas = new Components();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll("::", "\u0000").replaceAll(/:(\w+)/g, "{$1}").replaceAll("\u0000", ":");
    (paths[path] ??= {})[String(route.method).toLowerCase()] = operationOf(route, route.schema!, schemas);
  }
  return {
    openapi: "3.1.0",
    info: { title: TITLES[door], version: VERSION, description: DESCRIPTIONS[door] },
    ...(baseUrl === "" ? {} : { servers: [{ url: baseUrl }] }),
    paths,
    components: { schemas: schemas.all, securitySchemes: SECURITY[door] },
  };
}

const TITLES: Readonly<Record<DoorName, string>> = { public: "ipsieve", dashboard: "ipsieve's dashboard" };

const DESCRIPTIONS: Readonly<Record<DoorName, string>> = {
  public: "IP rulesets, business services and threat intelligence.",
  dashboard:
    `What the dashboard's pages ask the server. Who has signed in has a cookie (${SECURE_NAME} over TLS, else ${PLAIN_NAME}); API keys do not count here, nor the cookie ` +
    "anywhere else. A request that is no GET must come from the pages themselves, by its Sec-Fetch-Site or Origin: the answer is 403 else.",
};

const SECURITY: Readonly<Record<DoorName, Json>> = {
  public: { header: { type: "apiKey", in: "header", name: "X-API-Key" }, query: { type: "apiKey", in: "query", name: "apikey" } },
  dashboard: { session: { type: "apiKey", in: "cookie", name: SECURE_NAME }, plain: { type: "apiKey", in: "cookie", name: PLAIN_NAME } },
};

const NEEDS: Readonly<Record<DoorName, Readonly<Record<Access, string>>>> = {
  public: { none: "", read: "Needs a key.", read_write: "Needs a key of the access level read_write.", admin: "" },
  dashboard: { none: "Needs no session.", read: "Needs a session.", read_write: "Needs the role editor or admin.", admin: "Needs the role admin." },
};

function operationOf({ config = {} }: RouteOptions, schema: FastifySchema, schemas: Components): Operation {
  const { operationId = "", summary = "", description, tags = [] } = schema;
  const { door = "public", access = "admin", area } = config;
  const needs = NEEDS[door][access];
  return {
    operationId,
    summary,
    description: [description, needs].filter((each) => each !== undefined).join(" "),
    tags,
    security: access === "none" ? [] : Object.keys(SECURITY[door]).map((scheme) => ({ [scheme]: [] })),
    parameters: parametersOf(schema, schemas),
    ...(schema.body === undefined ? {} : { requestBody: bodyOf(schema, schemas) }),
    responses: responsesOf(schema, { door, access, isThreat: door === "public" && area === "cti" }, schemas),
  };
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, TSchema & { readonly description?: string; readonly examples?: readonly unknown[] }>>;
  readonly required?: readonly string[];
}

function parametersOf({ params, querystring, requestHeaders = {} }: FastifySchema, schemas: Components): Operation["parameters"] {
  const of = (place: string, schema: unknown) => {
    const { properties = {}, required = [] } = (schema ?? {}) as Partial<ObjectSchema>;
    return Object.entries(properties).map(([name, each]) => ({ name, in: place, required: required.includes(name), ...descriptionOf(each), schema: schemas.refer(each) }));
  };
  const headers = Object.entries(requestHeaders).map(([name, description]) => ({ name, in: "header", required: false, description, schema: { type: "string" } }));
  return [...of("path", params), ...of("query", querystring), ...headers];
}

function descriptionOf({ description }: { readonly description?: string }): { description?: string } {
  return description === undefined ? {} : { description };
}

function bodyOf({ operationId = "", body, documentedBody = jsonBody(body), otherBodies = otherTypesOf(body), bodyExample }: FastifySchema, schemas: Components): Json {
  const examples = EXAMPLES[operationId]?.bodies;
  const others = otherBodies.map((type) => [type, { schema: { type: "string" }, ...exampleOf(examples?.[type]) }]);
  const json = documentedBody === undefined ? {} : { "application/json": { schema: schemas.refer(documentedBody), ...exampleOf(bodyExample) } };
  return { required: true, content: { ...json, ...Object.fromEntries(others) } };
}

function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

/** Bodies of several types are told by type. */
function contentOf(body: unknown): Readonly<Record<string, { readonly schema: TSchema }>> {
  return (body as { content?: Readonly<Record<string, { schema: TSchema }>> }).content ?? { "application/json": { schema: body as TSchema } };
}

/** None where the operation takes no JSON. */
function jsonBody(body: unknown): TSchema | undefined {
  return contentOf(body)["application/json"]?.schema;
}

function otherTypesOf(body: unknown): string[] {
  return Object.keys(contentOf(body)).filter((type) => type !== "application/json");
}

/** What every operation may answer with; those that anybody may use refuse only requests of other pages. */
const COMMON: Readonly<Record<DoorName, readonly number[]>> = { public: [401, 403, 429, 500, 503], dashboard: [401, 403, 500, 503] };
const COMMON_OF_OPEN = [403, 500, 503];

interface Kind {
  readonly door: DoorName;
  readonly access: Access;
  readonly isThreat: boolean;
}

function responsesOf(schema: FastifySchema, { door, access, isThreat }: Kind, schemas: Components): Operation["responses"] {
  const { operationId = "", response, problems = [], responseHeaders = {}, otherTypes = [] } = schema;
  const good = Object.entries(response as Readonly<Record<string, TSchema>>).map(([status, schema]) => {
    const headers = { ...headersOf(responseHeaders), ...COMMON_HEADERS[door] };
    const { type: kind } = schema as { type?: string };
    // A text is never sent as JSON.
    const types = [...(kind === "string" || kind === "null" ? [] : ["application/json"]), ...(status === "200" ? otherTypes : [])];
    const examples = EXAMPLES[operationId]?.answers[status];
    const content = types.map((type) => [type, { schema: type === "application/json" ? schemas.refer(schema) : { type: "string" }, ...exampleOf(examples?.[type]) }]);
    return [status, { description: GOOD[status] ?? "Done", headers, ...(types.length === 0 ? {} : { content: Object.fromEntries(content) }) }] as const;
  });
  const common = access === "none" ? COMMON_OF_OPEN : COMMON[door];
  const bad = [...new Set([...problems, ...common])].sort((a, b) => a - b).map((status) => [String(status), problemResponse(status, door, isThreat, schemas)] as const);
  return Object.fromEntries([...good, ...bad]);
}

const GOOD: Readonly<Record<string, string>> = { 200: "Done", 201: "Created", 204: "Done; no body", 304: "Not changed; no body" };

/** A header that comes with every such answer is a text; one that may be missing says so. */
function headersOf(headers: Readonly<Record<string, string | { readonly sometimes: string }>>): Json {
  const told = Object.entries(headers).map(([name, text]) => [name, { description: typeof text === "string" ? text : text.sometimes, required: typeof text === "string", schema: { type: "string" } }]);
  return Object.fromEntries(told);
}

const REQUEST_ID = { "X-Request-Id": "the request's id; the client's where it sent one" };

const COMMON_HEADERS: Readonly<Record<DoorName, Json>> = {
  public: headersOf({
    ...REQUEST_ID,
    "RateLimit-Limit": "requests of the window that has less left: the minute or the month",
    "RateLimit-Remaining": "how many of them are left",
    "RateLimit-Reset": "seconds until the window ends",
  }),
  dashboard: headersOf(REQUEST_ID),
};

function problemResponse(status: number, door: DoorName, isThreat: boolean, schemas: Components): Answer {
  const [kind, { title }] = Object.entries(PROBLEMS).find(([, each]) => each.status === status)!;
  const isThreatError = isThreat && (status === 400 || status === 500);
  const type = isThreatError ? "application/json" : "application/problem+json";
  const example = isThreatError ? { message: title, request_id: "7d0c5a2e" } : { type: `/problems/${kind}`, title, status, detail: title, instance: door === "public" ? "/v1/..." : "/dashboard/api/..." };
  const retry = status === 429 || status === 503 ? headersOf({ "Retry-After": "seconds to wait" }) : {};
  const schema = schemas.refer(isThreatError ? ThreatError : ProblemDetail);
  return { description: title, headers: { ...COMMON_HEADERS[door], ...retry }, content: { [type]: { schema, example } } };
}

/** Schemas that have a name stand once in the document and are referred to. */
class Components {
  readonly all: Record<string, unknown> = {};

  refer(schema: unknown): unknown {
    const name = nameOf(schema);
    if (name === undefined) return this.#copy(schema);
    if (!Object.hasOwn(this.all, name)) {
      this.all[name] = {};
      this.all[name] = this.#copy(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #copy(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.refer(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.refer(each)]));
  }
}
