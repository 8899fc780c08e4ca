import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import {
  Client,
  ConnectionError,
  type InvalidAddress,
  ProblemError,
  ServiceError,
  ThreatLookupError,
} from "../../src/client/client.ts";
import { type FuzzServer, startFuzzServer } from "../api/fuzz/fuzz-server.ts";
import { addKey, addOrganisation } from "../api/start-server.ts";
import { freePort } from "../free-port.ts";
import { onlyLong, sampled } from "../rounds.ts";

let t: FuzzServer;
let client: Client;
let blocklist = "";
before(async () => {
  t = await startFuzzServer();
  client = new Client({ baseUrl: `${t.server.url}/`, key: t.key });
  blocklist = (await all(client.rulesets({ purpose: "blocklist" })))[0]!.id;
});
after(() => t.close());

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

// `pretest` has just written them anew.
test("the types match the current API documents of the server", { skip: onlyLong() }, async () => {
  const { DASHBOARD_OPERATIONS, OPERATIONS, operationTypes } = await import("../../build/generate-client-types.ts");
  assert.equal(readFileSync(OPERATIONS, "utf8"), await operationTypes("public"));
  assert.equal(readFileSync(DASHBOARD_OPERATIONS, "utf8"), await operationTypes("dashboard"));
});

test("calls return the bodies of responses; http returns the response with them", async () => {
  const path = { ruleset_id: blocklist };
  const { action, rule } = await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
    params: { path },
    body: { ip: "192.0.2.0/24", name: "office" },
  });
  assert.deepEqual([action, rule.ip, rule.name], ["created", "192.0.2.0/24", "office"]);
  assert.equal(
    (
      await client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", {
        params: { path, query: { ip: "192.0.2.0/24" } },
        body: { name: "other" },
      })
    ).name,
    "other",
  );
  assert.equal(
    await client.delete("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", {
      params: { path, query: { ip: "192.0.2.0/24" } },
    }),
    undefined,
  );
  const { data, response } = await client.http.GET("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path } });
  assert.deepEqual([data?.total_rules, response.headers.has("etag")], [0, true]);
  assert.equal((await client.get("/v1/cti/lookup/{ip}", { params: { path: { ip: "2001:db8::1" } } })).seen, false);
  assert.equal((await client.get("/v1/cbs/lookup", { params: { query: { ip: "1.1.1.1" } } })).found, true);
});

test("a conditional request: 304 has no body, and is not an error", async () => {
  const params = { path: { ruleset_id: blocklist } };
  const { response } = await client.http.GET("/v1/edl/ip-rulesets/{ruleset_id}", { params });
  const again = await client.http.GET("/v1/edl/ip-rulesets/{ruleset_id}", {
    params: { ...params, header: { "If-None-Match": response.headers.get("etag")! } },
  });
  assert.equal(again.response.status, 304);
});

test("conditional writes: If-Match is sent, 412 is an error of its kind", async () => {
  const path = { ruleset_id: blocklist };
  const rule = { path, query: { ip: "192.0.2.10" } };
  await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path }, body: { ip: "192.0.2.10" } });
  const { response } = await client.http.GET("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", { params: rule });
  const header = { "If-Match": response.headers.get("etag")! };
  assert.equal(
    (
      await client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", {
        params: { ...rule, header },
        body: { name: "in time" },
      })
    ).name,
    "in time",
  );
  const isStale = (error: unknown): boolean =>
    error instanceof ProblemError && error.status === 412 && error.kind === "precondition-failed";
  await assert.rejects(
    client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", { params: { ...rule, header }, body: { name: "late" } }),
    isStale,
  );
  await assert.rejects(
    client.delete("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", { params: { ...rule, header } }),
    isStale,
  );
  await assert.rejects(
    client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
      params: { path, header: { "If-None-Match": "*" } },
      body: { ip: "192.0.2.10" },
    }),
    isStale,
  );
  await client.delete("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", { params: rule });
});

test("text responses are read as text", async () => {
  const params = { path: { ruleset_id: blocklist }, query: { format: "text" as const } };
  const text: string = await client.get("/v1/edl/ip-rulesets/{ruleset_id}/rules:export", { params, parseAs: "text" });
  assert.equal(text, "");
});

test("iterators yield every item of every page once, in order", async () => {
  const { id } = await client.post("/v1/edl/ip-rulesets/", { body: { name: "pages", purpose: "blocklist" } });
  const rules = Array.from({ length: 25 }, (_, last) => ({ ip: `192.0.2.${last}` }));
  await client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path: { ruleset_id: id } }, body: { rules } });
  const seen = await all(client.rules(id, { pageSize: 10 }));
  assert.deepEqual(
    seen.map(({ ip }) => ip),
    rules.map(({ ip }) => ip),
  );
  assert.deepEqual(
    (await all(client.versions(id, { pageSize: 1 }))).map(({ change }) => change),
    ["replace-rules", "create-ruleset"],
  );
  const ranges = await all(client.ranges("/cdn", { pageSize: 1 }));
  assert.deepEqual(
    ranges.map(({ cidr }) => cidr),
    ["1.1.1.1", "192.0.2.0/24"],
  );
  for await (const rule of client.rules(id, { pageSize: 10 })) {
    assert.equal(rule.ip, "192.0.2.0");
    break;
  }
});

test("rejections are errors of their kinds, with everything that the service reported", async () => {
  const path = { ruleset_id: blocklist };
  const bad = client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path }, body: { ip: "10.0.0.1/8" } });
  await assert.rejects(
    bad,
    (error) =>
      error instanceof ProblemError &&
      error.kind === "validation-error" &&
      error.status === 400 &&
      error.validationErrors["ip"]!.length === 1,
  );
  await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path }, body: { ip: "192.0.2.9" } });
  const taken = client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
    params: { path },
    body: { ip: "192.0.2.9", conflict_resolution: "fail" },
  });
  await assert.rejects(
    taken,
    (error) =>
      error instanceof ProblemError &&
      error.kind === "conflict" &&
      (error.problem["existing"] as { ip: string }).ip === "192.0.2.9",
  );
  await assert.rejects(
    client.get("/v1/cti/lookup/{ip}", { params: { path: { ip: "x" } } }),
    (error) => error instanceof ThreatLookupError && error.status === 400 && error.requestId !== undefined,
  );
  const { text: readOnly } = await addKey(t, await addOrganisation(t, "client"), "read");
  const reader = new Client({ baseUrl: t.server.url, key: readOnly });
  await assert.rejects(reader.post("/v1/edl/ip-rulesets/", { body: { name: "x", purpose: "allowlist" } }), {
    name: "ProblemError",
    kind: "permission-denied",
    status: 403,
  });
});

test("429 of the service: the client waits if that is short enough, otherwise reports it", async () => {
  const about = { actor: "user:test", at: t.clock.now };
  const { organisation } = await t.server.store.write({ kind: "create-organisation", ...about, name: "limited" });
  await t.server.store.write({
    kind: "set-plan",
    ...about,
    organisationId: organisation.id,
    area: "edl",
    active: true,
    until: null,
    perMinute: 1,
    perMonth: null,
  });
  const { text: key } = await addKey(t, organisation.id);
  const impatient = new Client({ baseUrl: t.server.url, key, maxWait: 0 });
  await impatient.get("/v1/edl/ip-rulesets/");
  await assert.rejects(impatient.get("/v1/edl/ip-rulesets/"), { name: "ProblemError", kind: "rate-limit-exceeded" });
  // One second of the minute is left; it passes on the server's clock while the client waits.
  t.clock.now += 59_000;
  setTimeout(() => (t.clock.now += 1000), 200);
  const patient = new Client({ baseUrl: t.server.url, key, maxWait: 5000 });
  assert.equal((await patient.get("/v1/edl/ip-rulesets/")).count, 2);
});

/** A server that gives the scripted answers, and records the requests. */
async function scripted(
  answers: readonly [number, Record<string, string>][],
): Promise<{ url: string; asked: IncomingMessage[]; close(): void }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const [status, headers] = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(request);
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(status === 200 ? '{"items":[],"count":0,"next":null,"prev":null}' : "overloaded");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

test("a client that does not wait sends each request once, even if it may retry at once", async () => {
  const server = await scripted([
    [429, { "retry-after": "0" }],
    [200, {}],
  ]);
  await assert.rejects(new Client({ baseUrl: server.url, key: "x", maxWait: 0 }).get("/v1/edl/ip-rulesets/"), {
    status: 429,
  });
  assert.equal(server.asked.length, 1);
  server.close();
});

test("503: reads and writes are sent again, writes with the same Idempotency-Key; too long a wait is reported at once", async () => {
  const server = await scripted([
    [503, { "retry-after": "0" }],
    [503, { "retry-after": "0" }],
    [200, {}],
  ]);
  try {
    const patient = new Client({ baseUrl: server.url, key: "k" });
    await patient.post("/v1/edl/ip-rulesets/", { body: { name: "x", purpose: "allowlist" } });
    assert.equal(server.asked.length, 3);
    assert.equal(new Set(server.asked.map(({ headers }) => headers["idempotency-key"])).size, 1);
    assert.ok(server.asked[0]!.headers["idempotency-key"]!.length > 10);
  } finally {
    server.close();
  }
  const slow = await scripted([[503, { "retry-after": "3600" }]]);
  try {
    await assert.rejects(
      new Client({ baseUrl: slow.url, key: "k" }).get("/v1/edl/ip-rulesets/"),
      (error) => error instanceof ServiceError && error.status === 503,
    );
    assert.equal(slow.asked.length, 1);
  } finally {
    slow.close();
  }
});

for (const status of [301, 302, 303, 307, 308])
  test(`a redirect (${status}) is an error, and the key is not sent to its target`, async () => {
    const elsewhere = await scripted([[200, {}]]);
    const server = await scripted([[status, { location: `${elsewhere.url}/v1/edl/ip-rulesets/` }]]);
    try {
      await assert.rejects(
        new Client({ baseUrl: server.url, key: "secret" }).get("/v1/edl/ip-rulesets/"),
        (error: ServiceError) => {
          assert.deepEqual([error.name, error.status], ["ServiceError", status]);
          assert.match(error.message, /^the service redirects to http:\S+, and the key is not sent there; use/);
          return true;
        },
      );
      assert.deepEqual([server.asked.length, elsewhere.asked.length], [1, 0]);
    } finally {
      server.close();
      elsewhere.close();
    }
  });

test("a signal ends a request, a wait, and an iteration, with its reason", async () => {
  const server = await scripted([[429, { "retry-after": "30" }]]);
  try {
    const patient = new Client({ baseUrl: server.url, key: "k" });
    const reason = new Error("enough");
    const controller = new AbortController();
    const waiting = patient.get("/v1/edl/ip-rulesets/", { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await assert.rejects(waiting, reason);
    await assert.rejects(all(patient.rulesets({ signal: AbortSignal.abort(reason) })), reason);
  } finally {
    server.close();
  }
});

test("it needs only the globals of a browser", async () => {
  const root = join(import.meta.dirname, "../..");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/client/client.ts"],
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "ipsieve",
    write: false,
  });
  const page = createContext({
    fetch,
    Request,
    Response,
    Headers,
    URL,
    URLSearchParams,
    FormData,
    crypto,
    setTimeout,
    clearTimeout,
  });
  runInContext(outputFiles[0]!.text, page);
  const count = runInContext(
    `new ipsieve.Client(${JSON.stringify({ baseUrl: t.server.url, key: t.key })}).get("/v1/edl/ip-rulesets/", { params: { query: { purpose: "allowlist" } } }).then(({ count }) => count)`,
    page,
  );
  assert.equal(await count, 1);
});

test("types: correct code compiles, wrong code does not; also with the types of a browser", () => {
  const root = join(import.meta.dirname, "../..");
  for (const project of sampled(["browser.tsconfig.json", "tsconfig.json"], 2)) {
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "-p", join(import.meta.dirname, "example", project)],
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);
  }
});

test("without a response, the error has the location, the reason and the remedy, and the platform's error as its cause", async (t) => {
  const port = await freePort();
  const hangsUp = createServer((request, response) => {
    if (request.url!.includes("providers")) return void request.socket.destroy();
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 }).write('{"items":');
    setTimeout(() => request.socket.destroy(), 50);
  }).listen(0, "127.0.0.1");
  t.after(() => hangsUp.close());
  await new Promise((resolve) => hangsUp.on("listening", resolve));
  const other = (hangsUp.address() as AddressInfo).port;
  const failed = async (
    baseUrl: string,
    path: "/v1/cbs/providers" | "/v1/cbs/regions",
    code: string | RegExp,
    cure: RegExp,
  ) => {
    await assert.rejects(new Client({ baseUrl, key: "x" }).get(path), (error: unknown) => {
      assert.ok(error instanceof ConnectionError, String(error));
      assert.deepEqual([error.name, error.address], ["ConnectionError", baseUrl]);
      assert.match(error.code, new RegExp(code));
      assert.match(error.message, cure);
      assert.ok(error.cause instanceof TypeError);
      return true;
    });
  };
  await failed(
    `http://127.0.0.1:${port}`,
    "/v1/cbs/providers",
    "^ECONNREFUSED$",
    new RegExp(
      `^no response from http://127\\.0\\.0\\.1:${port} \\(ECONNREFUSED\\); nothing listens there: check that the service is running, and the service's address$`,
    ),
  );
  await failed(
    "http://nothing.invalid",
    "/v1/cbs/providers",
    /ENOTFOUND|EAI_AGAIN/,
    /its host name cannot be resolved/,
  );
  await failed(
    `http://127.0.0.1:${other}`,
    "/v1/cbs/providers",
    /UND_ERR_SOCKET|ECONNRESET/,
    /the connection was closed early/,
  );
  await failed(
    `http://127.0.0.1:${other}`,
    "/v1/cbs/regions",
    /UND_ERR_SOCKET|ECONNRESET/,
    /the connection was closed early/,
  );
  const reason = new Error("enough");
  await assert.rejects(client.get("/v1/cbs/providers", { signal: AbortSignal.abort(reason) }), reason);
});

test("any number of addresses: the results of the bulk operations, in order; invalid ones by position", async () => {
  const path = { ruleset_id: blocklist };
  const items = ["192.0.2.0/25", "2001:db8::/48"].map((ip) => ({ op: "add" as const, ip }));
  await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:batch", { params: { path }, body: { items } });
  const distinct = [...Array.from({ length: 40 }, (_, at) => `192.0.2.${at * 6}`), "2001:db8::1", "1.1.1.1"];
  const count = 12_000;
  let taken = 0;
  function* addresses(): Generator<string> {
    for (; taken < count; taken++) yield taken === 7000 ? "not\nan address" : distinct[taken % distinct.length]!;
  }
  const body = { ips: distinct };
  const [checks, services, threats] = await Promise.all([
    client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:check", { params: { path }, body }),
    client.post("/v1/cbs/lookup", { body }),
    client.post("/v1/cti/bulk_lookup", { body }),
  ]);
  const expected: [AsyncGenerator<object>, (ip: string) => unknown][] = [
    [client.checkEach(blocklist, addresses()), (ip) => (checks as Record<string, unknown>)[ip]],
    [client.lookUpServices(addresses()), (ip) => services[ip]],
    [client.lookUpThreats(addresses()), (ip) => ({ ip, ...threats[ip] })],
  ];
  for (const [answers, documentOf] of expected) {
    taken = 0;
    let received = 0;
    for await (const answer of answers) {
      if (received === 7000) {
        assert.deepEqual([Object.keys(answer), (answer as InvalidAddress).line], [["line", "error"], 7001]);
      } else {
        assert.deepEqual(answer, documentOf(distinct[received % distinct.length]!));
      }
      if (received++ === 0) assert.ok(taken < count, "addresses are taken as they are needed");
    }
    assert.equal(received, count);
  }
});

test("any number of addresses: an error response rejects, and so does a truncated response", async () => {
  const [unknown] = ["00000000-0000-4000-8000-000000000000"];
  await assert.rejects(all(client.checkEach(unknown!, ["1.1.1.1"])), { name: "ProblemError", kind: "not-found" });
  assert.deepEqual(await all(client.lookUpServices([])), []);
  const answer = '{"ip":"1.1.1.1"}\n{"line":2,"error":"Unauthorized; nothing after it was read"}\n';
  const cut = new Client({ baseUrl: t.server.url, key: t.key, fetch: async () => new Response(answer) });
  await assert.rejects(all(cut.lookUpServices(["1.1.1.1", "2.2.2.2", "3.3.3.3"])), {
    name: "IncompleteAnswer",
    message: /2 of 3 addresses of a request: Unauthorized/,
  });
});
