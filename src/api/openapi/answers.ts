import type { FastifySchema } from "fastify";
import type { TSchema } from "typebox";
import { EXAMPLES } from "./examples.ts";
import type { Access, RouteScope } from "../operation.ts";
import { PROBLEMS, type ProblemKind, WITH_REQUEST_ID } from "../problem.ts";
import { ThreatError } from "../schemas/problem.ts";
import { problemSchema } from "../schemas/problem-kinds.ts";
import type { SchemaComponents } from "./components.ts";
import { SEQUENCE } from "./documented-headers.ts";
import { headersOf } from "./headers.ts";
import type { Answer, Json } from "./open-api.ts";

/** What the responses of an operation depend on besides its schema. */
export interface OperationKind {
  readonly scope: RouteScope;
  readonly access: Access;
  /** Whether 400 and 500 have the form of the threat-intelligence service. */
  readonly isThreat: boolean;
}

/** Statuses of every operation. Operations without authentication reject only requests from other sites' pages. */
const COMMON: Readonly<Record<RouteScope, readonly number[]>> = {
  public: [400, 401, 403, 414, 429, 500, 503],
  dashboard: [400, 401, 403, 414, 500, 503],
};
const COMMON_OF_OPEN = [400, 403, 414, 500, 503];

const REQUEST_ID = { "X-Request-Id": "the request id; the client's own if it sent one" };

const COMMON_HEADERS: Readonly<Record<RouteScope, Json>> = {
  public: headersOf({
    ...REQUEST_ID,
    ...SEQUENCE,
    "RateLimit-Limit": "requests allowed in the tighter window: the minute or the month",
    "RateLimit-Remaining": "requests left in that window",
    "RateLimit-Reset": "seconds until the window ends",
  }),
  dashboard: headersOf({ ...REQUEST_ID, ...SEQUENCE }),
};

export function answersOf(
  schema: FastifySchema,
  kind: OperationKind,
  schemas: SchemaComponents,
): Readonly<Record<string, Answer>> {
  const good = Object.entries(schema.response as Readonly<Record<string, TSchema>>).map(
    ([status, body]) => [status, goodAnswer(status, body, schema, kind, schemas)] as const,
  );
  const bad = problemsByStatus(schema, kind).map(
    ([status, kinds]) => [String(status), problemAnswer(kinds, kind, schemas)] as const,
  );
  return Object.fromEntries([...good, ...bad]);
}

const GOOD: Readonly<Record<string, string>> = {
  200: "Done",
  201: "Created",
  204: "Done; no body",
  206: "A part of the file",
  304: "Not changed; no body",
};

function goodAnswer(
  status: string,
  body: TSchema,
  { operationId = "", responseHeaders = {}, otherTypes = [] }: FastifySchema,
  { scope }: OperationKind,
  schemas: SchemaComponents,
): Answer {
  const { type: kind } = body as { type?: string };
  // Text is never sent as JSON.
  const types = [
    ...(kind === "string" || kind === "null" ? [] : ["application/json"]),
    ...(status === "200" || status === "206" ? otherTypes : []),
  ];
  const examples = EXAMPLES[operationId]?.answers[status];
  const content = types.map((type) => [
    type,
    {
      schema: type === "application/json" && kind !== "string" ? schemas.refer(body) : textSchema(type),
      ...exampleOf(examples?.[type]),
    },
  ]);
  const headers = { ...headersOf(responseHeaders), ...COMMON_HEADERS[scope] };
  return {
    description: GOOD[status] ?? "Done",
    headers,
    ...(types.length === 0 ? {} : { content: Object.fromEntries(content) }),
  };
}

/** For a body that is text or a file. The contents of a JSON file are not described. */
export function textSchema(type: string): Json {
  if (type === "application/json") return {};
  return type.startsWith("text/") || type === "application/x-ndjson"
    ? { type: "string" }
    : { type: "string", format: "binary" };
}

export function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

type ByStatus = [status: number, kinds: ProblemKind[]][];

/** A status without a kind means the first kind that has it. */
function problemsByStatus({ problems = [] }: FastifySchema, { scope, access }: OperationKind): ByStatus {
  const common = access === "none" ? COMMON_OF_OPEN : COMMON[scope];
  const kinds = new Set([...problems, ...common].map((each) => (typeof each === "string" ? each : kindOf(each))));
  return [...Map.groupBy(kinds, (kind) => PROBLEMS[kind].status as number)].sort(([a], [b]) => a - b);
}

function kindOf(status: number): ProblemKind {
  return (Object.keys(PROBLEMS) as ProblemKind[]).find((kind) => PROBLEMS[kind].status === status)!;
}

function problemAnswer(
  kinds: readonly ProblemKind[],
  { scope, isThreat }: OperationKind,
  schemas: SchemaComponents,
): Answer {
  const { status } = PROBLEMS[kinds[0]!];
  const description = kinds.map((kind) => PROBLEMS[kind].title).join(" or ");
  const retry = status === 429 || status === 503 ? headersOf({ "Retry-After": "seconds to wait" }) : {};
  const challenge = status === 401 ? headersOf({ "WWW-Authenticate": "how to authenticate" }) : {};
  const isThreatError = isThreat && (status === 400 || status === 500);
  const content = isThreatError
    ? {
        "application/json": {
          schema: schemas.refer(ThreatError),
          example: { message: description, request_id: EXAMPLE_REQUEST },
        },
      }
    : {
        "application/problem+json": { schema: problemOneOf(kinds, schemas), example: exampleProblem(kinds[0]!, scope) },
      };
  return { description, headers: { ...COMMON_HEADERS[scope], ...retry, ...challenge }, content };
}

const EXAMPLE_REQUEST = "7d0c5a2e";

function problemOneOf(kinds: readonly ProblemKind[], schemas: SchemaComponents): Json {
  const forms = kinds.map((kind) => schemas.refer(problemSchema(kind)));
  if (forms.length === 1) return forms[0]!;
  const mapping = Object.fromEntries(kinds.map((kind, at) => [`/problems/${kind}`, forms[at]!["$ref"]]));
  return { oneOf: forms, discriminator: { propertyName: "type", mapping } };
}

function exampleProblem(kind: ProblemKind, scope: RouteScope): Json {
  const { status, title } = PROBLEMS[kind];
  return {
    type: `/problems/${kind}`,
    title,
    status,
    detail: title,
    instance: scope === "public" ? "/v1/..." : "/dashboard/api/...",
    ...(WITH_REQUEST_ID.has(kind) ? { request_id: EXAMPLE_REQUEST } : {}),
    ...(kind === "validation-error" ? { validation_errors: { ip: [title] } } : {}),
    ...(kind === "collateral" ? { collateral: [] } : {}),
  };
}
