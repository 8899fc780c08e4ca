import assert from "node:assert/strict";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import express, { type ErrorRequestHandler } from "express";
import fastify from "fastify";
import { guard as middleware } from "../../src/express.ts";
import { guard as plugin } from "../../src/fastify.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { freeze } from "../../src/table/freeze.ts";
import { smallNetworks } from "../networks/small-networks.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { type Answer, ask, ask2 } from "./ask.ts";
import { type Host, HOSTS, type HostOptions, type StartHost } from "./hosts.ts";

function rulesetOf(rules: Readonly<Record<string, string>>): Ruleset {
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  for (const [prefix, name] of Object.entries(rules)) ruleset.add(prefix, { name });
  return ruleset;
}

const DENY = rulesetOf({ "203.0.113.0/24": "scanners", "2001:db8:bad::/48": "six", "198.51.100.7": "one" });
const ALLOW = rulesetOf({ "203.0.113.5": "office" });
/** The options of a server that is reached through a proxy on this machine. */
const BEHIND_PROXY: HostOptions = { deny: DENY, allow: ALLOW, trustedProxies: ["127.0.0.1"] };

/** Bing's list, fetched now. */
function crawlerCatalogue(): Catalogue {
  const builder = new CatalogueBuilder();
  builder.add(parsePrefix("157.55.39.0/24"), "/bot/microsoft/bingbot", "bingbot");
  const nothing = { version: null, url: null, license: null, attribution: null, publishedAt: null, changedAt: null };
  const sources = [{ id: "bingbot", name: "Microsoft", ...nothing, fetchedAt: new Date().toISOString() }];
  const { trie, metadata } = builder.build({ title: "Test", createdAt: new Date(), sources });
  return new Catalogue(metadata, freeze(trie));
}

async function started(t: TestContext, start: StartHost, ...args: Parameters<StartHost>): Promise<Host> {
  const host = await start(...args);
  t.after(() => host.close());
  return host;
}

interface Told {
  readonly address: string | null;
  readonly isAllowed: boolean;
  readonly reason: string;
  readonly rule: string | null;
  readonly services: readonly string[] | null;
  readonly network: object | null;
}

function toldIn({ status, body }: Answer): Told {
  assert.equal(status, 200, body);
  return JSON.parse(body) as Told;
}

for (const [name, { start, isHttp2 }] of Object.entries(HOSTS)) {
  const via = (at: number | string, forwarded: string | readonly string[]): Promise<Answer> =>
    (isHttp2 ? ask2 : ask)(at as number, { "x-forwarded-for": forwarded });

  test(`${name}: who calls itself a crawler and is elsewhere is denied`, async (t) => {
    const catalogue = crawlerCatalogue();
    const { at } = await started(t, start, {
      deny: [DENY, { impostors: true }],
      allow: ALLOW,
      catalogue,
      trustedProxies: ["127.0.0.1"],
    });
    const from = (client: string, agent: string): Promise<Answer> =>
      (isHttp2 ? ask2 : ask)(at as number, { "x-forwarded-for": client, "user-agent": agent });
    const denied = await from("192.0.2.1", "Bingbot/2.0");
    assert.equal(denied.status, 403);
    assert.match(JSON.parse(denied.body).detail, /names a crawler that does not come from this address/);
    assert.equal((await from("203.0.113.5", "bingbot/2.0")).status, 200, "allowed by a rule");
    assert.equal((await from("203.0.113.9", "bingbot/2.0")).status, 403);
    for (const [client, agent] of [
      ["157.55.39.1", "bingbot/2.0"],
      ["192.0.2.1", "Mozilla/5.0"],
      ["192.0.2.1", "YandexBot/3.0"],
    ] as const)
      assert.equal((await from(client, agent)).status, 200, `${client} ${agent}`);
  });

  test(`${name}: a denied client gets a problem document, the handler knows the others`, async (t) => {
    const { at } = await started(t, start, BEHIND_PROXY);
    const denied = await via(at, "203.0.113.9");
    assert.equal(denied.status, 403);
    assert.match(denied.type!, /^application\/problem\+json\b/);
    assert.deepEqual(JSON.parse(denied.body), {
      type: "/problems/permission-denied",
      title: "Permission Denied",
      status: 403,
      detail: "The client's address is not allowed.",
      instance: "/",
    });
    const known = { isAllowed: true, services: null, network: null };
    const unruled = { address: "192.0.2.1", reason: "no-rule", rule: null, ...known };
    assert.deepEqual(toldIn(await via(at, "192.0.2.1")), unruled);
    const allowed = { address: "203.0.113.5", reason: "allow-rule", rule: "office", ...known };
    assert.deepEqual(toldIn(await via(at, "203.0.113.5")), allowed, "allow before block");
  });

  test(`${name}: no header admits a denied client`, async (t) => {
    const { at } = await started(t, start, BEHIND_PROXY);
    const spoofed = [
      "192.0.2.1, 203.0.113.9",
      "127.0.0.1, 203.0.113.9",
      "203.0.113.5, 203.0.113.9, 127.0.0.1",
      "192.0.2.1, ::ffff:203.0.113.9",
      "192.0.2.1, [::ffff:cb00:7109]:443",
      "192.0.2.1, 203.0.113.9:8080",
      "192.0.2.1, [2001:db8:bad::1]",
      "192.0.2.1, 2001:0DB8:0bad::1",
      ["192.0.2.1", "203.0.113.9"],
      ["203.0.113.9", "127.0.0.1"],
    ];
    for (const header of spoofed) assert.equal((await via(at, header)).status, 403, String(header));
    for (const header of ["unknown", "192.0.2.1, 127.0.0.256", "192.0.2.1 203.0.113.9", "0xcb007109"]) {
      const { status, body } = await via(at, header);
      assert.equal(status, 403, header);
      assert.match(body, /cannot be determined/);
    }
  });

  test(`${name}: without trusted proxies no header counts, and the other header never does`, async (t) => {
    const direct = await started(t, start, { deny: rulesetOf({ "127.0.0.1": "here" }) });
    assert.equal((await via(direct.at, "192.0.2.1")).status, 403);
    const other = await started(t, start, { ...BEHIND_PROXY, proxyHeader: "forwarded" });
    assert.equal(toldIn(await via(other.at, "203.0.113.9")).address, "127.0.0.1");
  });

  test(`${name}: other reasons to deny, report-only mode, and a custom response`, async (t) => {
    const closed = await started(t, start, { ...BEHIND_PROXY, otherwise: "deny" });
    assert.equal((await via(closed.at, "192.0.2.1")).status, 403);
    assert.equal((await via(closed.at, "203.0.113.5")).status, 200);
    const watched = await started(t, start, { ...BEHIND_PROXY, enforce: false });
    const { isAllowed, reason, rule } = toldIn(await via(watched.at, "203.0.113.9"));
    assert.deepEqual([isAllowed, reason, rule], [false, "deny-rule", "scanners"]);
    const own = await started(t, start, { ...BEHIND_PROXY, deniedText: "go away" });
    const { status, body } = await via(own.at, "203.0.113.9");
    assert.deepEqual([status, body], [451, "go away"]);
  });

  test(`${name}: a holder is read at every request, and no request passes while it is empty`, async (t) => {
    const holder: { current: { content: Ruleset } | undefined } = { current: undefined };
    const { at } = await started(t, start, { ...BEHIND_PROXY, deny: [DENY, holder] });
    assert.equal((await via(at, "192.0.2.1")).status, 500);
    holder.current = { content: rulesetOf({ "192.0.2.2": "two" }) };
    assert.equal((await via(at, "192.0.2.1")).status, 200);
    holder.current = { content: rulesetOf({ "192.0.2.1": "one" }) };
    assert.equal((await via(at, "192.0.2.1")).status, 403);
    assert.equal((await via(at, "203.0.113.9")).status, 403, "the first ruleset counts as well");
  });

  test(`${name}: the services of the client`, async (t) => {
    const { at } = await started(t, start, { ...BEHIND_PROXY, catalogue: await openCatalogue() });
    assert.deepEqual(toldIn(await via(at, "1.1.1.1")).services, ["/cdn/cloudflare"]);
    assert.deepEqual(toldIn(await via(at, "192.0.2.1")).services, []);
  });

  test(`${name}: the network of the client`, async (t) => {
    const networks = smallNetworks();
    const { at } = await started(t, start, { ...BEHIND_PROXY, networks });
    assert.deepEqual(toldIn(await via(at, "1.1.1.1")).network, networks.lookup("1.1.1.1"));
    assert.equal(toldIn(await via(at, "198.51.100.1")).network, null);
    assert.equal(toldIn(await via(at, "unknown, 192.0.2.200")).network, null);
  });

  if (isHttp2) continue;

  test(`${name}: requests on one connection are decided one by one, and HEAD has no body`, async (t) => {
    const { at } = await started(t, start, BEHIND_PROXY);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    for (const [client, status] of [
      ["192.0.2.1", 200],
      ["203.0.113.9", 403],
      ["192.0.2.1", 200],
      ["203.0.113.9", 403],
    ] as const) {
      const answer = await ask(at, { "x-forwarded-for": client }, { agent, path: "/a/b?secret=1#c" });
      assert.equal(answer.status, status);
      if (status === 403) assert.equal(JSON.parse(answer.body).instance, "/a/b");
    }
    const head = await ask(at, { "x-forwarded-for": "203.0.113.9" }, { agent, method: "HEAD" });
    assert.deepEqual([head.status, head.body], [403, ""]);
  });

  test(`${name}: a Unix socket is trusted only if configured`, (t) =>
    inTemporaryFolder(async (folder) => {
      const trusted = await start({ ...BEHIND_PROXY, trustedProxies: ["unix"] }, { path: join(folder, "a") });
      const other = await start(BEHIND_PROXY, { path: join(folder, "b") });
      try {
        assert.equal(toldIn(await via(join(folder, "a"), "192.0.2.1")).address, "192.0.2.1");
        assert.equal((await via(join(folder, "a"), "203.0.113.9")).status, 403);
        assert.equal((await ask(join(folder, "a"), {})).status, 403);
        assert.equal((await via(join(folder, "b"), "192.0.2.1")).status, 403);
      } finally {
        await trusted.close();
        await other.close();
      }
      t.diagnostic("two sockets");
    }));

  test(`${name}: a server for both families sees IPv4 clients as IPv4`, async (t) => {
    const options = { deny: rulesetOf({ "127.0.0.1": "here" }) };
    const { at } = await started(t, start, options, { host: "::", port: 0 });
    assert.equal((await ask(at, {})).status, 403);
    assert.equal(toldIn(await ask(at, {}, { host: "::1" })).address, "::1");
  });
}

test("unknown options are rejected at the start, by name", async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ denny: DENY }, /no option "denny"; the options are .*, enforce, onDeny$/],
    [{ deny: "list.txt" }, /^deny is a Ruleset, or a holder of one, not "list.txt"/],
    [{ allow: [ALLOW, null] }, /^allow is/],
    [{ deny: new Map() }, /^deny is/],
    [{ catalogue: ALLOW }, /^catalogue is/],
    [{ otherwise: "block" }, /^otherwise is allow or deny, not "block"/],
    [{ proxyHeader: "X-Real-IP" }, /^proxyHeader is x-forwarded-for or forwarded/],
    [{ enforce: 0 }, /^enforce is/],
    [{ trustedProxies: "10.0.0.0/8" }, /^trustedProxies is an array/],
    [{ onDeny: 403 }, /^onDeny is a function/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => middleware(options as HostOptions), { name: "TypeError", message });
    await assert.rejects(async () => fastify().register(plugin, options as HostOptions), {
      name: "TypeError",
      message,
    });
  }
});

test("fastify: the guard applies to every route of the instance, whatever the order, and to unknown routes", async () => {
  const app = fastify();
  app.get("/before", () => "in");
  void app.register(plugin, { deny: rulesetOf({ "127.0.0.1": "here" }), prefix: "/v1", logLevel: "warn" });
  app.get("/after", () => "in");
  void app.register(async (within) => void within.get("/within", () => "in"));
  for (const url of ["/before", "/after", "/within", "/nowhere"])
    assert.equal((await app.inject(url)).statusCode, 403, url);
  await app.close();
});

test("fastify: an onDeny that sends nothing is an error, and the request is denied", async () => {
  const app = fastify();
  let calls = 0;
  void app.register(plugin, { deny: rulesetOf({ "127.0.0.1": "here" }), onDeny: async () => void calls++ });
  app.get("/", () => assert.fail("the request came in"));
  const { statusCode, body } = await app.inject("/");
  assert.deepEqual([statusCode, calls], [500, 1]);
  assert.match(body, /has sent no reply/);
  await app.close();
});

test("express: errors of onDeny go to the error handler, and the request is denied", async (t) => {
  for (const onDeny of [
    (): void => {
      throw new Error("first");
    },
    () => Promise.reject(new Error("second")),
  ]) {
    const app = express();
    app.use(middleware({ deny: rulesetOf({ "127.0.0.1": "here" }), onDeny }));
    app.use(() => assert.fail("the request came in"));
    app.use(
      ((error, _request, response, _next) => void response.status(500).send(error.message)) as ErrorRequestHandler,
    );
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const { status, body } = await ask((server.address() as AddressInfo).port, {});
    assert.deepEqual([status, body.length > 0 && ["first", "second"].includes(body)], [500, true], body);
  }
});

test("impostors are denied by a catalogue only, and by no misspelt option", () => {
  const deny = (given: unknown) => () => middleware({ deny: given as never });
  assert.throws(deny({ impostors: true }), /give it a catalogue/);
  assert.throws(deny({ impostors: "yes" }), /deny\.impostors is true or false/);
  assert.throws(deny({ impostors: true, impostor: 1 }), /there is no option "impostor"/);
  assert.throws(deny({ imposters: true }), /deny is a Ruleset, or a holder of one/);
  middleware({ deny: { impostors: false } });
});
