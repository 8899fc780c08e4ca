import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { ApiDocument, Operation, Parameter, Schema } from "./api-document.ts";
import { SHARED_TOKENS } from "./expectations.ts";
import { hostileBodies } from "./hostile-bodies.ts";
import type { Sent } from "./send.ts";
import { BAD_ADDRESSES, badQueryTexts, isRefused, mutationsOf, validValue } from "./values.ts";
import { NAMED_FORMATS, type RuleExportFormat } from "../../../src/rulesets/export-rules.ts";

/** The intent of a case: valid, or wrong in one thing. */
export type Kind = "positive" | "negative" | "missing-key" | "bad-key" | "other-method" | "missing-header";

/** A request generated from the document. */
export interface Case {
  readonly operation: Operation;
  readonly kind: Kind;
  /** What is wrong with it. */
  readonly fault: string;
  readonly sent: Sent;
  /** The statuses that a good request may get; known when it is sent. */
  readonly expected?: ReadonlySet<number>;
}

/** The parts of the server's state that cases need. */
export interface Surroundings {
  readonly key: string;
  readonly rulesetId: string;
  readonly deploymentId: string;
  readonly listId: string;
  /** The maximum length of a hostile body. */
  readonly bodyBytes: number;
}

/** The request in parts, before one of them is made wrong. */
interface Parts {
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string | undefined;
  readonly body: any;
}

const PLAIN_LISTS: Readonly<Record<string, readonly string[]>> = {
  "text/plain": ["", "192.0.2.1\n", "# a comment\n\n2001:db8::/32\r\n198.51.100.7"],
  "text/csv": ["ip,name\n192.0.2.1,office\n", 'ip,name,expires_at\n192.0.2.9,"a,b",2030-01-01T00:00:00Z\n'],
  "application/x-ndjson": ["", '{"ip":"192.0.2.1"}\n', '{"ip":"2001:db8::7"}\n\n{"ip":"192.0.2.2"}'],
};

/** The first bytes determine how it is read, whatever its media type. */
const LOGS: readonly (string | Uint8Array)[] = [
  "",
  "192.0.2.1 GET /\n2001:db8::7 GET /\n",
  gzipSync("nobody\n1.1.1.1"),
];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
const BAD_KEYS = [
  "x",
  "ips_",
  `ips_${"A".repeat(38)}`,
  "null",
  "ips_0123456789abcdefghijklmnopqrstuvwxyz",
  " ",
  "x".repeat(5000),
];

/** A case of an operation. Four out of ten are valid. */
export function anyCase(api: ApiDocument, operation: Operation, surroundings: Surroundings): fc.Arbitrary<Case> {
  const good = validParts(api, operation, surroundings);
  const made = (kind: Kind, fault: string, parts: Parts): Case => ({
    operation,
    kind,
    fault,
    sent: assemble(operation, parts, surroundings.key),
  });
  const weighted: (fc.WeightedArbitrary<Case> | undefined)[] = [
    { weight: 40, arbitrary: good.map((parts) => made("positive", "", parts)) },
    faults(operation, good, (fault, parts) => made("negative", fault, parts)),
    bodyFaults(api, operation, good, (fault, parts) => made("negative", fault, parts)),
    bodyAttacks(operation, good, surroundings.bodyBytes, (fault, parts) => made("negative", fault, parts)),
    { weight: 4, arbitrary: good.map((parts) => withoutKey(made("missing-key", "no key", parts))) },
    {
      weight: 4,
      arbitrary: fc.tuple(good, fc.constantFrom(...BAD_KEYS)).map(([parts, key]) => ({
        ...made("bad-key", `the key ${key}`, parts),
        sent: assemble(operation, parts, key),
      })),
    },
    { weight: 4, arbitrary: otherMethod(api, operation, good, made) },
    operation.bodies.size === 0
      ? undefined
      : {
          weight: 4,
          arbitrary: good.map((parts) => made("missing-header", "no Content-Type", { ...parts, type: undefined })),
        },
  ];
  return fc.oneof(...weighted.filter((each) => each !== undefined));
}

function withoutKey({ sent, ...others }: Case): Case {
  const { "X-API-Key": _, ...headers } = sent.headers;
  return { ...others, sent: { ...sent, headers } };
}

function otherMethod(
  api: ApiDocument,
  operation: Operation,
  good: fc.Arbitrary<Parts>,
  made: (kind: Kind, fault: string, parts: Parts) => Case,
): fc.Arbitrary<Case> {
  const known = api.methodsOf(operation.path);
  const others = METHODS.filter((method) => !known.includes(method) && !(method === "HEAD" && known.includes("GET")));
  return fc.tuple(good, fc.constantFrom(...others)).map(([parts, method]) => {
    const one = made("other-method", method, { ...parts, type: undefined, body: undefined });
    return { ...one, sent: { ...one.sent, method } };
  });
}

function validParts(
  api: ApiDocument,
  operation: Operation,
  { rulesetId, deploymentId, listId }: Surroundings,
): fc.Arbitrary<Parts> {
  // The sources depend on the catalogue, and that of the fuzz server has none.
  const of = (place: Parameter["in"]) =>
    operation.parameters.filter((each) => each.in === place && each.name !== "source");
  const types = [...operation.bodies.keys()];
  const body: fc.Arbitrary<readonly [string | undefined, any]> =
    types.length === 0
      ? fc.constant([undefined, undefined])
      : types.includes("application/json")
        ? fc.oneof({ weight: 5, arbitrary: jsonBody(api, operation) }, ...plainBodies(types))
        : fc.tuple(fc.constantFrom(...types), fc.constantFrom(...LOGS));
  return fc
    .record({
      path: fc.record(
        Object.fromEntries(
          of("path").map(({ name, schema }) => [
            name,
            name === "deployment_id"
              ? fc.constant(deploymentId)
              : name === "list_id"
                ? fc.constant(listId)
                : name === "ruleset_id"
                  ? fc.constantFrom(rulesetId, rulesetId.toUpperCase())
                  : validValue(api, schema, name),
          ]),
        ),
      ),
      query: fc.record(
        Object.fromEntries(
          of("query").map(({ name, schema, required }) => [
            name,
            name === "ruleset_id" && required === true ? fc.constant(rulesetId) : validValue(api, schema, name),
          ]),
        ),
        {
          requiredKeys: of("query")
            .filter(({ required }) => required)
            .map(({ name }) => name),
        },
      ),
      headers: fc.record(Object.fromEntries(of("header").map(({ name }) => [name, validHeader(name)])), {
        requiredKeys: [],
      }),
      accept: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        "application/json",
        "*/*",
        "text/plain;q=0.5, */*;q=0.1",
        "text/csv",
        "application/x-ndjson, application/json;q=0.2",
        "image/png",
      ),
      requestId: fc.constantFrom(undefined, "abc-1", "not sane", "ips_secret"),
      body,
    })
    .map(({ path, query, headers, accept, requestId, body: [type, value] }) => ({
      path,
      query: Object.entries(withoutContradictions(query, accept)).map(([name, each]) => [name, String(each)] as const),
      headers: {
        ...headers,
        ...(accept === undefined ? {} : { Accept: accept }),
        ...(requestId === undefined ? {} : { "X-Request-Id": requestId }),
      } as Record<string, string>,
      type,
      body: value,
    }));
}

function jsonBody(api: ApiDocument, { bodies }: Operation): fc.Arbitrary<readonly [string, any]> {
  const schema = bodies.get("application/json")!;
  return fc
    .tuple(
      fc.constantFrom("application/json", "application/json; charset=utf-8", "Application/JSON"),
      validValue(api, schema),
    )
    .map(([type, value]) => [type, distinct(value)] as const);
}

/** A list that replaces another must contain each prefix only once: the document says so in prose. */
function distinct(body: any): any {
  if (!Array.isArray(body?.rules)) return body;
  return { ...body, rules: body.rules.slice(0, 1) };
}

function plainBodies(types: readonly string[]): fc.WeightedArbitrary<readonly [string, any]>[] {
  return types
    .filter((type) => type in PLAIN_LISTS)
    .map((type) => ({
      weight: 1,
      arbitrary: fc.constantFrom(...PLAIN_LISTS[type]!).map((text) => [type, text] as const),
    }));
}

const TAGS = ["*", '"1-0"', 'W/"x", "y"', "nonsense", '"', '"99999999999999999999-1"'];

/** Placeholder for a unique idempotency key, which is made when the request is sent. */
export const FRESH_TOKEN = "fresh";

function validHeader(name: string): fc.Arbitrary<string> {
  if (name === "X-After-Sequence") return fc.constantFrom("0", "1", "0001");
  if (name === "Idempotency-Key")
    return fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...SHARED_TOKENS) },
      { weight: 9, arbitrary: fc.constant(FRESH_TOKEN) },
    );
  return fc.constantFrom(...TAGS);
}

/** Errors of parameters and headers: missing, wrong, repeated. */
function faults(
  operation: Operation,
  good: fc.Arbitrary<Parts>,
  made: (fault: string, parts: Parts) => Case,
): fc.WeightedArbitrary<Case> | undefined {
  const unknown = ["unknown", "__proto__", "constructor", "IP", "page[]", "ips_0123456789abcdef", ""].map(
    (name): Fault => ({
      fault: `the unknown parameter ${name}`,
      spoil: (parts) => ({ ...parts, query: [...parts.query, [name, "1"]] }),
    }),
  );
  const all = [...operation.parameters.flatMap((each) => errorsOf(each)), ...unknown];
  const arbitrary = fc
    .tuple(good, fc.constantFrom(...all))
    .map(([parts, { fault, spoil }]) => made(fault, spoil(parts)));
  return { weight: 20, arbitrary };
}

const BAD_HEADERS: Readonly<Record<string, readonly string[]>> = {
  "Idempotency-Key": ["", " ", "a b", "é", "k".repeat(256)],
  "X-After-Sequence": ["", "x", "-1", "1.5", "1e3", "1, 2", "0x1", "9007199254740992", "9".repeat(30)],
};

interface Fault {
  readonly fault: string;
  readonly spoil: (parts: Parts) => Parts;
}

function errorsOf({ name, in: place, required = false, schema }: Parameter): Fault[] {
  if (place === "path") {
    const bad =
      name === "ip"
        ? BAD_ADDRESSES.filter((text) => text !== "")
        : ["x", "0", "00000000-0000-0000-0000-000000000000", "..", "%00", "\0", "a/b", "'", "x".repeat(7000)];
    return bad.map((text) => ({
      fault: `${name} is ${text}`,
      spoil: (parts) => ({ ...parts, path: { ...parts.path, [name]: text } }),
    }));
  }
  if (place === "header") {
    const bad = BAD_HEADERS[name] ?? [];
    return bad.map((text) => ({
      fault: `${name} is ${text}`,
      spoil: (parts) => ({ ...parts, headers: { ...parts.headers, [name]: text } }),
    }));
  }
  const without = (parts: Parts) => parts.query.filter(([each]) => each !== name);
  const missing: Fault = { fault: `${name} is missing`, spoil: (parts) => ({ ...parts, query: without(parts) }) };
  const wrong = badQueryTexts(schema, name).map((text): Fault => ({
    fault: `${name} is ${JSON.stringify(text)}`,
    spoil: (parts) => ({ ...parts, query: [...without(parts), [name, text]] }),
  }));
  const twice: Fault = {
    fault: `${name} stands twice`,
    spoil: (parts) => ({ ...parts, query: [...without(parts), [name, "1"], [name, "1"]] }),
  };
  return [...(required ? [missing] : []), ...wrong, twice];
}

/** Errors of bodies: values that do not match, text that is not JSON, unsupported types. */
function bodyFaults(
  api: ApiDocument,
  { bodies }: Operation,
  good: fc.Arbitrary<Parts>,
  made: (fault: string, parts: Parts) => Case,
): fc.WeightedArbitrary<Case> | undefined {
  const schema = bodies.get("application/json");
  if (schema === undefined) return undefined;
  const json = "application/json";
  const mutated = validValue(api, schema).chain((value) => fc.constantFrom(...refusedMutations(api, schema, value)));
  const spoiled = fc.oneof(
    { weight: 6, arbitrary: mutated.map((value) => [json, JSON.stringify(value)] as const) },
    {
      weight: 1,
      arbitrary: fc
        .jsonValue()
        .filter((value) => isRefused(api, schema, value))
        .map((value) => [json, JSON.stringify(value)] as const),
    },
    { weight: 1, arbitrary: fc.constantFrom(...NO_JSON).map((text) => [json, text] as const) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          "text/html",
          "application/xml",
          "multipart/form-data; boundary=x",
          "application/jsonx",
          "x",
          "application/x-www-form-urlencoded",
        )
        .map((type) => [type, "{}"] as const),
    },
  );
  return {
    weight: 24,
    arbitrary: fc
      .tuple(good, spoiled)
      .map(([parts, [type, text]]) =>
        made(`the body, ${type}: ${String(text).slice(0, 200)}`, { ...parts, type, body: text }),
      ),
  };
}

/** Bodies that are attacks rather than mistakes. */
function bodyAttacks(
  { bodies }: Operation,
  good: fc.Arbitrary<Parts>,
  most: number,
  made: (fault: string, parts: Parts) => Case,
): fc.WeightedArbitrary<Case> | undefined {
  if (!bodies.has("application/json")) return undefined;
  return {
    weight: 12,
    arbitrary: fc
      .tuple(good, hostileBodies(most))
      .map(([parts, { name, type, bytes, headers }]) =>
        made(name, { ...parts, headers: { ...parts.headers, ...headers }, type, body: bytes }),
      ),
  };
}

function refusedMutations(api: ApiDocument, schema: Schema, value: unknown): unknown[] {
  return mutationsOf(value)
    .filter((each) => isRefused(api, schema, each))
    .toArray();
}

const NO_JSON: readonly (string | Uint8Array)[] = [
  "",
  " ",
  "{",
  "[",
  "nul",
  '{"a":1,}',
  "{'a':1}",
  "\uFEFF{}",
  "[1",
  '{"ip":"192.0.2.1","ip":"192.0.2.2"}',
  "[".repeat(100_000),
  '{"a":'.repeat(5000),
  "1e999",
  '"\\ud800"',
  "NaN",
  "{}{}",
  "\0",
  new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
  new Uint8Array([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
];

function assemble({ method, path }: Operation, { path: values, query, headers, type, body }: Parts, key: string): Sent {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(String(values[name])));
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  const content =
    body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return {
    method,
    path: search === "" ? url : `${url}?${search}`,
    headers: {
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString("latin1")]),
      ),
      "X-API-Key": key,
      ...(type === undefined ? {} : { "Content-Type": type }),
    },
    body: content,
  };
}

/** Half a surrogate pair has no percent-encoding. A dot has one with the same meaning. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Removes parameters that exclude each other, or that this Accept does not allow: the document says so in prose. */
function withoutContradictions(
  query: Readonly<Record<string, unknown>>,
  accept: string | undefined,
): Readonly<Record<string, unknown>> {
  const isJson = accept === undefined || accept === "application/json" || accept === "*/*" || accept === "image/png";
  const dropped: Record<string, boolean> = {
    set_name: !NAMED_FORMATS.has(query["format"] as RuleExportFormat),
    cursor: "page" in query || !isJson,
    expires_in_days: "expires_at" in query,
  };
  return Object.fromEntries(Object.entries(query).filter(([name]) => dropped[name] !== true));
}
