/**
 * Every operation of the OpenAPI document, with each parameter and member missing, of a wrong type, too long, unknown
 * or given twice.
 */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addUser, visit } from "./dashboard/browser.ts";
import { inlined } from "./inlined-document.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));

let t: TestServer;
let key = "";
let id = "";
let deploymentId = "";
let listId = "";
before(async () => {
  t = await startServer(
    { perMinute: 1_000_000, bodyBytes: 4096, bulkBodyBytes: 65_536, bulkAddresses: 100 },
    undefined,
    THREATS,
  );
  key = (await addKey(t, await addOrganisation(t, "bad input"))).text;
  id = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id;
  await ask(t, "POST", `/v1/edl/ip-rulesets/${id}/rules`, { key, body: { ip: "203.0.113.0/24" } });
  const deployment = { name: "bad input", include: [{ ruleset: id }] };
  deploymentId = (await ask(t, "POST", "/v1/edl/deployments/", { key, body: deployment })).body.id;
  const list = { name: "bad input", url: "https://lists.invalid/list", active: false };
  listId = (await ask(t, "POST", "/v1/edl/lists/", { key, body: list })).body.id;
});
after(() => t.close());

interface Operation {
  readonly method: string;
  /** The path with values for its parameters, and the required query. */
  readonly path: string;
  readonly query: string;
  readonly described: any;
}

/** Of a log that was never uploaded. */
const identificationId = crypto.randomUUID();

let operations: Operation[] = [];
async function allOperations(): Promise<Operation[]> {
  if (operations.length > 0) return operations;
  const { paths } = inlined((await ask(t, "GET", "/openapi.json")).body);
  operations = Object.entries<any>(paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      described,
      path: path
        .replace("{ruleset_id}", id)
        .replace("{deployment_id}", deploymentId)
        .replace("{sequence}", "1")
        .replace("{list_id}", listId)
        .replace("{id}", identificationId)
        .replace("{ip}", "192.0.2.1"),
      query: described.parameters
        .filter((each: any) => each.in === "query" && each.required)
        .map((each: any) => `${each.name}=${each.name === "ruleset_id" ? id : "203.0.113.0/24"}`)
        .join("&"),
    })),
  );
  return operations;
}

const isThreat = (path: string): boolean => path.startsWith("/v1/cti/") || path === "/bulk_lookup";

/** The fields that a 400 names, or its message under the threat-intelligence paths. */
function errorsOf(path: string, { status, body, text }: Answer): string[] {
  assert.equal(status, 400, `${path}: ${text}`);
  if (isThreat(path)) {
    assert.deepEqual(Object.keys(body), ["message", "request_id"]);
    return [body.message.split(": ", 1)[0]];
  }
  assert.deepEqual([body.type, body.title, body.status], ["/problems/validation-error", "Validation Error", 400]);
  return Object.keys(body.validation_errors);
}

const send = ({ method, path }: Operation, query: string, body?: unknown, headers?: Record<string, string>) =>
  ask(t, method, `${path}${query === "" ? "" : `?${query}`}`, {
    key,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });

test("every operation is documented; those of the specification by their ids", async () => {
  const ids = (await allOperations()).map(({ described }) => described.operationId).sort();
  assert.deepEqual(ids, [
    "addRule",
    "batchRules",
    "bulkLookup",
    "bulkLookupAlias",
    "bulkLookupCbs",
    "checkRules",
    "compactRules",
    "computeSet",
    "countThreatValues",
    "createDeployment",
    "createExternalList",
    "createRuleset",
    "deleteDeployment",
    "deleteExternalList",
    "deleteIdentification",
    "deleteRule",
    "deleteRuleset",
    "diffCbs",
    "explainAddresses",
    "exportCbsRanges",
    "exportRules",
    "extendedLookupIp",
    "fitSets",
    "getCbsNode",
    "getDeployment",
    "getDeploymentUrls",
    "getExternalList",
    "getGuard",
    "getIdentification",
    "getIdentificationResult",
    "getReplay",
    "getRule",
    "getRuleset",
    "getStatus",
    "identifyLog",
    "importRules",
    "listAudit",
    "listBlocked",
    "listCbsProviders",
    "listCbsRanges",
    "listCbsRegions",
    "listCbsServices",
    "listChanges",
    "listDeployments",
    "listExternalLists",
    "listIdentifications",
    "listPulls",
    "listRules",
    "listRulesetVersions",
    "listRulesets",
    "listSearchFields",
    "lookupCbs",
    "lookupIp",
    "previewDeployment",
    "previewNewDeployment",
    "previewRules",
    "publishDeployment",
    "pullCatalogue",
    "pullRuleset",
    "pullThreats",
    "readSnapshot",
    "refreshExternalList",
    "relateSets",
    "replaceRules",
    "replayLog",
    "searchCbs",
    "searchRules",
    "searchThreats",
    "undoChange",
    "updateDeployment",
    "updateExternalList",
    "updateGuard",
    "updateRule",
    "updateRuleset",
    "writeExternalList",
  ]);
});

/** Parameters that no operation has, and the field that the error names. */
const UNKNOWN = [
  ["unknown", "unknown"],
  ["IP", "IP"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
  ["ips_abcdefghijklmnopqrstuvwxyz", "query"],
  ["%69ps_abcdefghijkl", "query"],
  ["", "query"],
] as const;

test("an unknown parameter gets 400 with the nearest known one, in both scopes; a value that may be a key is not repeated", async (c) => {
  const user = await addUser(t, await addOrganisation(t, "nearest"), "admin");
  const errors = ({ body }: Answer) => body.validation_errors;
  assert.deepEqual(errors(await ask(t, "GET", "/v1/cbs/ranges?agregate=true", { key })), {
    agregate: ["unknown parameter; did you mean aggregate?"],
  });
  assert.deepEqual(errors(await ask(t, "GET", `/v1/edl/ip-rulesets/${id}/rules?activeonly=true&page=0`, { key })), {
    page: ['"0" is not a whole number from 1 to 9007199254740991'],
    activeonly: ["unknown parameter; did you mean active_only?"],
  });
  assert.deepEqual(errors(await ask(t, "GET", `/v1/edl/ip-rulesets/${id}?page=1`, { key })), {
    page: ["unknown parameter; this operation takes none"],
  });
  assert.deepEqual(errors(await ask(t, "GET", "/v1/cbs/node?=/cloud", { key })), {
    query: ["unknown parameter; choose one of id, as_of"],
  });
  assert.deepEqual(errors(await ask(t, "DELETE", `/v1/edl/ip-rulesets/${id}?dry_run=true`, { key })), {
    dry_run: ["unknown parameter; this operation takes none"],
  });
  const wrongName = await ask(t, "GET", `/v1/edl/ip-rulesets/?api_key=${key}`, { key });
  assert.deepEqual([Object.keys(errors(wrongName)), wrongName.text.includes(key)], [["api_key"], false]);
  assert.equal((await ask(t, "GET", `/v1/edl/ip-rulesets/?apikey=${key}`)).status, 200);
  assert.equal((await ask(t, "GET", `/v1/edl/ip-rulesets/?apikey=${key}&apikey=${key}`)).status, 400);
  const { paths } = inlined((await ask(t, "GET", "/dashboard/api/openapi.json")).body);
  let checked = 0;
  for (const [path, methods] of Object.entries<any>(paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries<any>(methods)) {
      if (["identifyLog", "importFeed", "signIn", "join", "setUp"].includes(operationId)) continue;
      const target = path
        .replace("/dashboard/api", "")
        .replace("{ruleset_id}", id)
        .replace("{ip}", "192.0.2.1")
        .replaceAll(/\{\w+\}/g, crypto.randomUUID());
      const body = requestBody === undefined ? {} : { body: requestBody.content["application/json"].example };
      const { status, text } = await visit(t, method.toUpperCase(), `${target}?unknown_one=1`, {
        token: user.token,
        ...body,
      });
      assert.equal(status, 400, `${method} ${path}: ${text}`);
      assert.match(text, /unknown_one: unknown parameter/, `${method} ${path}`);
      checked++;
    }
  }
  c.diagnostic(`${checked} operations of the dashboard`);
  assert.ok(checked > 40);
  for (const path of ["/livez?x=1", "/readyz?x=1", "/docs?x=1", "/openapi.json?x=1", "/?utm_source=x"])
    assert.equal((await ask(t, "GET", path)).status, 200, path);
});

test("query parameters: missing, of a wrong type, too large or long, given twice, unknown", async () => {
  let checked = 0;
  for (const operation of await allOperations()) {
    const { described, path, query } = operation;
    for (const [name, field] of UNKNOWN) {
      const example = described.requestBody?.content["application/json"]?.example;
      const { status, body, text } = await send(operation, `${query}&${name}=1`, example);
      assert.equal(status, 400, `${path} ${name}: ${text}`);
      assert.ok(
        isThreat(path) ? body.message.startsWith(`${field}: `) : Object.hasOwn(body.validation_errors, field),
        text,
      );
      assert.doesNotMatch(text, /ips_[a-z]/);
    }
    if (operation.method !== "GET") continue;
    for (const { name, required, schema } of described.parameters.filter((each: any) => each.in === "query")) {
      const others = query.split("&").filter((each) => each !== "" && !each.startsWith(`${name}=`));
      const bad = (value: string) => send(operation, [...others, `${name}=${value}`].join("&"));
      if (required) assert.deepEqual(errorsOf(path, await send(operation, others.join("&"))), [name], "missing");
      assert.deepEqual(errorsOf(path, await bad(`1&${name}=1`)), [name], "twice");
      const wrong =
        schema.type === "integer"
          ? [...(schema.minimum === 0 ? [] : ["0"]), "-1", "1.5", "x", "", "9".repeat(20), "1e2"]
          : schema.type === "boolean"
            ? ["yes", "TRUE", "", "2"]
            : schema.enum === undefined
              ? []
              : ["x", ""];
      for (const value of wrong) assert.deepEqual(errorsOf(path, await bad(value)), [name], value);
      if (schema.maxLength !== undefined)
        assert.deepEqual(errorsOf(path, await bad("a".repeat(schema.maxLength + 1))), [name]);
      checked++;
    }
  }
  assert.ok(checked > 30, String(checked));
});

/** Operations that take a JSON document, with an example of it. */
interface WithBody extends Operation {
  readonly example: Record<string, unknown>;
  /** The media types that it accepts. */
  readonly types: readonly string[];
}

async function withBodies(): Promise<WithBody[]> {
  return (await allOperations())
    .filter(({ described }) => described.requestBody?.content["application/json"] !== undefined)
    .map((each) => {
      const { content } = each.described.requestBody;
      return { ...each, example: content["application/json"].example, types: Object.keys(content) };
    });
}

test("bodies: missing, empty, not JSON, not an object, repeated and unknown members, too deep, not UTF-8", async () => {
  let checked = 0;
  for (const operation of await withBodies()) {
    const { path, query, example } = operation;
    const first = JSON.stringify(Object.keys(example)[0]!);
    const isRequired = operation.described.requestBody.required === true;
    const bad: [string, unknown][] = [
      ...(isRequired ? [["empty", ""] as [string, unknown]] : []),
      ["white", " \n"],
      ["cut off", "{"],
      ["more behind", "{}x"],
      ["a number", "7"],
      ["a text", '"x"'],
      ["null", "null"],
      ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
      ["a member twice", `{${first}:1,${first}:1}`],
      ["too deep", `${"[".repeat(5000 / 10)}${"]".repeat(5000 / 10)}`],
      ["a byte order mark", `\ufeff${JSON.stringify(example)}`],
    ];
    for (const [what, body] of bad)
      assert.ok(errorsOf(path, await send(operation, query, body)).length > 0, `${path}: ${what}`);
    for (const name of ["unknown", "__proto__", "constructor", "toString"]) {
      const body = `${JSON.stringify(example).slice(0, -1)},"${name}":1}`;
      const errors = errorsOf(path, await send(operation, query, body));
      assert.ok(
        errors.some((fault) => fault.includes(name)),
        `${path}: ${name}: ${errors.join()}`,
      );
    }
    if (isRequired) {
      const none = await send(operation, query);
      assert.ok([400, 415].includes(none.status), `${path}: no body: ${none.text}`);
    } else {
      const [none, empty] = [await send(operation, query), await send(operation, query, "")];
      assert.equal(empty.status, none.status, `${path}: an empty body is none: ${empty.text}`);
    }
    checked++;
  }
  assert.ok(checked >= 21, String(checked));
});

test("members: of a wrong type", async () => {
  for (const operation of await withBodies()) {
    const { path, query, example } = operation;
    for (const [name, value] of Object.entries(example)) {
      for (const wrong of [typeof value === "string" ? 7 : "x", true, {}, ...(value === null ? [] : [{ a: null }])]) {
        const errors = errorsOf(path, await send(operation, query, { ...example, [name]: wrong }));
        assert.ok(
          errors.some((fault) => fault.includes(name)),
          `${path}: ${name}: ${errors.join()}`,
        );
      }
    }
  }
});

test("another content type: 415; a body that is too long: 413", async () => {
  for (const operation of await withBodies()) {
    const { path, query, example, types } = operation;
    for (const type of ["application/xml", "multipart/form-data"]) {
      const { status, body } = await send(operation, query, JSON.stringify(example), { "Content-Type": type });
      assert.deepEqual([status, body.type], [415, "/problems/unsupported-media-type"], path);
      const [, accepted] = / does not accept the body's Content-Type; send (.*)$/.exec(body.detail) ?? [];
      assert.deepEqual(accepted?.split(" or "), types, path);
    }
    const { status, body } = await send(operation, query, " ".repeat(70_000));
    assert.deepEqual([status, body.type], [413, "/problems/content-too-large"], path);
  }
});

const RULE: readonly [what: string, body: object, field: string][] = [
  ["no ip", { name: "x" }, "ip"],
  ["host bits", { ip: "10.0.0.1/8" }, "ip"],
  ["a name of 256 characters", { ip: "192.0.2.1", name: "x".repeat(256) }, "name"],
  ["a name with a line end", { ip: "192.0.2.1", name: "a\nb" }, "name"],
  ["a conflict mode that there is not", { ip: "192.0.2.1", conflict_resolution: "merge" }, "conflict_resolution"],
  ["no days", { ip: "192.0.2.1", expires_in_days: 0 }, "expires_in_days"],
  ["half a day", { ip: "192.0.2.1", expires_in_days: 0.5 }, "expires_in_days"],
  ["days beyond the year 9999", { ip: "192.0.2.1", expires_in_days: 1e15 }, "expires_in_days"],
  ["both expiries", { ip: "192.0.2.1", expires_in_days: 1, expires_at: null }, "expires_at"],
  ["no time zone", { ip: "192.0.2.1", expires_at: "2026-12-31T00:00:00" }, "expires_at"],
  ["a date alone", { ip: "192.0.2.1", expires_at: "2026-12-31" }, "expires_at"],
  ["a day that there is not", { ip: "192.0.2.1", expires_at: "2026-02-30T00:00:00Z" }, "expires_at"],
];
for (const [what, body, field] of RULE) {
  test(`addRule: ${what}`, async () => {
    const answer = await ask(t, "POST", `/v1/edl/ip-rulesets/${id}/rules`, { key, body });
    assert.ok(errorsOf("", answer).includes(field), answer.text);
  });
}

test("updateRule: without a member, or with ip", async () => {
  const path = `/v1/edl/ip-rulesets/${id}/rules/rule?ip=203.0.113.0/24`;
  errorsOf("", await ask(t, "PUT", path, { key, body: {} }));
  assert.deepEqual(errorsOf("", await ask(t, "PUT", path, { key, body: { ip: "192.0.2.1" } })), ["ip"]);
});

test("special-purpose addresses are rejected unless the server allows them", async (context) => {
  const strict = await startServer({ specialPurpose: false });
  context.after(() => strict.close());
  const { text } = await addKey(strict, await addOrganisation(strict, "strict"));
  const own = (await ask(strict, "GET", "/v1/edl/ip-rulesets/", { key: text })).body.items[0].id;
  for (const ip of ["10.0.0.0/8", "127.0.0.1", "169.254.1.1", "224.0.0.1", "203.0.113.9", "fe80::1", "0.0.0.0/0"]) {
    const { status, body } = await ask(strict, "POST", `/v1/edl/ip-rulesets/${own}/rules`, { key: text, body: { ip } });
    assert.deepEqual([status, Object.keys(body.validation_errors ?? {})], [400, ["ip"]], ip);
  }
  assert.equal(
    (await ask(strict, "POST", `/v1/edl/ip-rulesets/${own}/rules`, { key: text, body: { ip: "8.8.8.8" } })).status,
    201,
  );
});

test("unknown paths: 404; wrong methods: 405 with Allow; paths that are too long or malformed", async () => {
  for (const path of ["/v1", "/v1/edl/ip-rulesets/x/y", "/v1/cti/lookup/", "/v1/edl/ip-rulesets/rules:check/x/y"]) {
    const { status, body } = await ask(t, "GET", path, { key });
    assert.deepEqual([status, body.type, body.instance], [404, "/problems/not-found", path]);
  }
  const paths = new Map<string, string[]>();
  for (const { path, method } of await allOperations()) paths.set(path, [...(paths.get(path) ?? []), method]);
  for (const [path, methods] of paths) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"].filter(
      (each) => !methods.includes(each),
    )) {
      const { status, body, headers } = await ask(t, method, path, { key });
      assert.deepEqual([status, body.type], [405, "/problems/method-not-allowed"], `${method} ${path}`);
      assert.deepEqual(
        headers
          .get("allow")!
          .split(", ")
          .filter((each) => each !== "HEAD"),
        [...methods].sort(),
      );
    }
  }
  assert.equal((await ask(t, "GET", `/v1/cbs/lookup?ip=${"1".repeat(9000)}`, { key })).status, 414);
  assert.equal((await ask(t, "GET", "/%zz", { key })).status, 400);
  assert.deepEqual(Object.keys((await ask(t, "GET", "/v1/cti/lookup/%zz", { key })).body), ["message", "request_id"]);
});

test("a body of which no member is required may be left out, as the document says", async (context) => {
  const optional: string[] = [];
  for (const { method, path, query, described } of await allOperations()) {
    if (described.requestBody === undefined) continue;
    const { status, text } = await ask(t, method, `${path}?${query}`, { key });
    assert.equal(/body: is missing/.test(text), status === 400 && described.requestBody.required, text);
    if (!described.requestBody.required) optional.push(described.operationId);
  }
  context.diagnostic(optional.join(", "));
  assert.ok(optional.includes("previewDeployment"));
});

test("a rule that was read is accepted with changes, but not another's prefix or times", async () => {
  const path = `/v1/edl/ip-rulesets/${id}/rules/rule?ip=203.0.113.0/24`;
  const { body: rule } = await ask(t, "GET", path, { key });
  const put = (body: object) => ask(t, "PUT", path, { key, body });
  const changed = await put({ ...rule, name: "changed" });
  assert.deepEqual([changed.status, changed.body.name], [200, "changed"], changed.text);
  const { created_at, updated_at } = changed.body;
  for (const [name, value] of [
    ["ip", "203.0.113.0/25"],
    ["ip", "203.0.113.1/24"],
    ["created_at", "2020-01-01T00:00:00.000Z"],
    ["updated_at", "2020-01-01T00:00:00.000Z"],
    ["created_at", 7],
    ["createdAt", created_at],
  ] as const) {
    const answer = await put({ ip: rule.ip, created_at, updated_at, name: "x", [name]: value });
    assert.deepEqual(errorsOf(path, answer), [name]);
  }
});

test("an id with an encoded colon is unknown, whatever the method", async () => {
  for (const method of ["GET", "DELETE", "PATCH"])
    for (const path of ["/v1/edl/deployments/%3A.", "/v1/edl/deployments/a%3Apreview", "/v1/edl/lists/%3A"]) {
      const { status, body } = await ask(t, method, path, { key, ...(method === "PATCH" ? { body: {} } : {}) });
      assert.deepEqual([status, body.type], [404, "/problems/not-found"], `${method} ${path}`);
    }
});

test("a request id from the client is kept if it is a valid token", async () => {
  const idOf = async (given: string) =>
    (await ask(t, "GET", "/nowhere", { headers: { "X-Request-Id": given } })).headers.get("x-request-id");
  assert.equal(await idOf("abc-123"), "abc-123");
  for (const given of ["a b", "x".repeat(200), "<script>"]) assert.match((await idOf(given))!, /^[0-9a-f-]{36}$/);
});

test("a rejected body that has arrived completely leaves its connection open; one that is too long closes it", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (
    body: string,
  ): Promise<{ status: number | undefined; connection: string | undefined; isReused: boolean }> =>
    new Promise((resolve, reject) => {
      const headers = {
        "X-API-Key": key,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      };
      const sent = request(
        `${t.server.url}/v1/edl/ip-rulesets/${id}/rules`,
        { agent, method: "POST", headers },
        (response) => {
          response.resume().once("end", () =>
            resolve({
              status: response.statusCode,
              connection: response.headers.connection,
              isReused: sent.reusedSocket,
            }),
          );
        },
      );
      sent.once("error", reject).end(body);
    });
  assert.deepEqual(await post("{"), { status: 400, connection: "keep-alive", isReused: false });
  assert.deepEqual(await post('{"ip":"no address"}'), { status: 400, connection: "keep-alive", isReused: true });
  assert.deepEqual(await post(`"${"x".repeat(5000)}"`), { status: 413, connection: "close", isReused: true });
  agent.destroy();
});

test("bodies in one piece, in pieces and chunked are read alike; beyond the limit they get 413, and without an end 408", async () => {
  const send = (
    headers: Record<string, string | number>,
    pieces: readonly string[],
    ends = true,
    { server, key: own, id: rulesetId } = { server: t.server, key, id },
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${server.url}/v1/edl/ip-rulesets/${rulesetId}/rules`,
        { method: "POST", headers: { "X-API-Key": own, "Content-Type": "application/json", ...headers } },
        (response) => {
          resolve(response.statusCode!);
          response.resume().once("end", () => sent.destroy());
        },
      );
      sent.setNoDelay(true);
      sent.once("error", reject);
      const writeNext = (index: number): void => {
        if (index < pieces.length) sent.write(pieces[index], () => setTimeout(writeNext, 20, index + 1));
        else if (ends) sent.end();
      };
      writeNext(0);
    });
  const body = JSON.stringify({ ip: "203.0.113.0/24", name: "x".repeat(50) });
  const length = { "Content-Length": body.length };
  const pieces = [...body.matchAll(/.{1,9}/g)].map(String);
  assert.equal(await send(length, [body]), 200);
  assert.equal(await send(length, pieces), 200);
  assert.equal(await send({}, [body]), 200);
  assert.equal(await send({}, pieces), 200);
  assert.equal(await send({}, ["x".repeat(3000), "x".repeat(3000)], false), 413);
  const hasty = await startServer({ bodyTimeout: 1 });
  const other = (await addKey(hasty, await addOrganisation(hasty, "hasty"))).text;
  const [ruleset] = (await ask(hasty, "GET", "/v1/edl/ip-rulesets/", { key: other })).body.items;
  const its = { server: hasty.server, key: other, id: ruleset.id };
  assert.equal(await send(length, [body.slice(0, -1)], false, its), 408);
  assert.equal(await send({}, [body], false, its), 408);
  await hasty.close();
});
