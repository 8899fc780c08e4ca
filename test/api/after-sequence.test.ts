/** Reading on one server what was written on another: X-Sequence of a response, sent back as X-After-Sequence. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { fillStore } from "../../bench/api/fill-store.ts";
import { Random } from "../../bench/data/random.ts";
import { Client } from "../../src/client/client.ts";
import type { StoreLocation } from "../../src/store/open-store.ts";
import { makeFastFolder } from "../store/harness/fast-folder.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { startProxy } from "../store/harness/proxy.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { LIMITS } from "./harness/replicas.ts";
import { ServiceProcess } from "./harness/service-process.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { onlyLong } from "../rounds.ts";

/** How often a negative control that needs a lagging server is tried. */
const ATTEMPTS = 10;

interface Told {
  readonly status: number;
  readonly sequence: string;
  readonly body: any;
}

/** Two server processes on one database, and a ruleset to which requests to both refer. */
class Pair {
  readonly urls: readonly string[];
  readonly key: string;
  readonly rulesetId: string;

  private constructor(urls: readonly string[], key: string, rulesetId: string) {
    this.urls = urls;
    this.key = key;
    this.rulesetId = rulesetId;
  }

  /** The pair, and how to end it. */
  static async start(locations: readonly StoreLocation[]): Promise<[Pair, () => Promise<unknown>]> {
    const { key, emptyId } = await fillStore(locations[0]!, 0, new Random(1));
    const services = await Promise.all(locations.map((location) => ServiceProcess.start(location, LIMITS)));
    const urls = services.map(({ port }) => `http://127.0.0.1:${port}`);
    return [new Pair(urls, key, emptyId), () => Promise.all(services.map((service) => service.end("SIGKILL")))];
  }

  async ask(
    at: number,
    path: string,
    {
      after,
      body,
      method = body === undefined ? "GET" : "POST",
    }: { after?: string; body?: unknown; method?: string } = {},
  ): Promise<Told> {
    const headers = {
      "X-API-Key": this.key,
      "Content-Type": "application/json",
      ...(after === undefined ? {} : { "X-After-Sequence": after }),
    };
    const response = await fetch(`${this.urls[at]}/v1/edl/ip-rulesets/${this.rulesetId}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      sequence: response.headers.get("x-sequence") ?? "",
      body: text === "" ? undefined : JSON.parse(text),
    };
  }
}

/** Writes on the first server and reads on the second at once. Returns how many reads did not include the write. */
async function staleReads(pair: Pair, rounds: number, prefix: string, isAfter: boolean): Promise<number> {
  let stale = 0;
  for (let i = 0; i < rounds; i++) {
    const ip = `${prefix}.${i}`;
    const added = await pair.ask(0, "/rules", { body: { ip } });
    assert.equal(added.status, 201);
    const read = await pair.ask(1, `/rules/rule?ip=${ip}`, isAfter ? { after: added.sequence } : {});
    if (isAfter) assert.ok(Number(read.sequence) >= Number(added.sequence));
    stale += read.status === 404 ? 1 : 0;
    const counted = await pair.ask(1, "", isAfter ? { after: added.sequence } : {});
    stale += counted.body.total_rules === i + 1 || !isAfter ? 0 : 1;
  }
  return stale;
}

async function holdsEverywhere(t: TestContext, pair: Pair): Promise<void> {
  assert.equal(await staleReads(pair, 30, "198.18.0", true), 0);
  // A list that is built while the old one is still in use is there as well.
  const rules = Array.from({ length: 20_000 }, (_, i) => ({ ip: `198.19.${i >> 8}.${i & 255}` }));
  const replaced = await pair.ask(0, "/rules?max_shrink=100", { method: "PUT", body: { rules } });
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body));
  const read = await pair.ask(1, "", { after: replaced.sequence });
  assert.deepEqual([read.status, read.body.total_rules], [200, 20_000]);
  // A second server that is read late, as on a busy machine, has more changes.
  let [stale, reads] = [0, 0];
  for (; stale === 0 && reads < 30 * ATTEMPTS; reads += 30)
    stale = await staleReads(pair, 30, `198.20.${reads / 30}`, false);
  t.diagnostic(`${stale} of ${reads} reads without the header did not know the write`);
  assert.ok(stale > 0, "negative control: without the header some do not");
}

function addTests(pair: () => Pair): void {
  test("every read after a write includes it, even if no notification arrives", (t) => holdsEverywhere(t, pair()));

  test("a write that changes nothing because another server was faster is confirmed when that server's write is readable", async () => {
    for (let i = 0; i < 10; i++) {
      const ip = `198.18.1.${i}`;
      await pair().ask(0, "/rules", { body: { ip } });
      const skipped = await pair().ask(1, "/rules", { body: { ip, conflict_resolution: "skip" } });
      assert.deepEqual([skipped.status, skipped.body.action], [200, "skipped"]);
      assert.equal((await pair().ask(1, `/rules/rule?ip=${ip}`)).status, 200);
    }
  });

  test("a client with the option reads its own writes, whichever server its requests reach", async () => {
    const { urls, key, rulesetId: ruleset_id } = pair();
    const path = { ruleset_id };
    const stale = async (readYourWrites: boolean, second: number): Promise<number> => {
      let turn = 0;
      const balanced = (request: Request): Promise<Response> =>
        fetch(new Request(request.url.replace(urls[0]!, urls[turn++ % 2]!), request));
      const client = new Client({ baseUrl: urls[0]!, key, readYourWrites, fetch: balanced });
      let misses = 0;
      for (let i = 0; i < 20; i++) {
        const ip = `198.18.${second}.${i}`;
        await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path }, body: { ip } });
        await client
          .get("/v1/edl/ip-rulesets/{ruleset_id}/rules/rule", { params: { path, query: { ip } } })
          .catch(() => misses++);
      }
      return misses;
    };
    assert.equal(await stale(true, 2), 0);
    let misses = 0;
    for (let second = 3; misses === 0 && second < 3 + ATTEMPTS; second++) misses = await stale(false, second);
    assert.ok(misses > 0, "negative control: a client that is not asked to does not");
  });
}

describe("two server processes on one PostgreSQL", { skip: onlyLong() || (await whyNoPostgres()) }, () => {
  let postgres: PostgresServer;
  let pair: Pair;
  let end: () => Promise<unknown>;
  before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    const proxy = await startProxy(url, { losesNotifications: true });
    const [started, endServers] = await Pair.start([{ url }, { url: proxy.url }]);
    pair = started;
    end = () => endServers().then(() => proxy.close());
  });
  after(async () => {
    await end?.();
    await postgres[Symbol.asyncDispose]();
  });

  addTests(() => pair);
});

describe("two server processes on one SQLite file", () => {
  const folder = makeFastFolder();
  let pair: Pair;
  let end: () => Promise<unknown>;
  before(async () => {
    const location = { file: join(folder, "store.db") };
    [pair, end] = await Pair.start([location, location]);
  });
  after(async () => {
    await end?.();
    rmSync(folder, { recursive: true, force: true });
  });

  addTests(() => pair);
});

describe("X-After-Sequence", () => {
  const LISTS = "/v1/edl/ip-rulesets/";
  const FAR = String(Number.MAX_SAFE_INTEGER);
  let t: TestServer;
  let key = "";
  let organisation = "";
  before(async () => {
    t = await startServer({ concurrentRequests: 8, perMinute: 1e9 });
    organisation = await addOrganisation(t, "sequences");
    key = (await addKey(t, organisation)).text;
  });
  after(() => t.close());
  const read = (after: string, who = key) => ask(t, "GET", LISTS, { key: who, headers: { "X-After-Sequence": after } });

  test("responses to authenticated callers name the last change, in both scopes; other responses do not", async () => {
    const user = await addUser(t, organisation, "editor");
    const last = String(t.server.services.memory.sequence);
    const made = await ask(t, "POST", LISTS, { key, body: { name: "x", purpose: "allowlist" } });
    assert.equal(made.headers.get("x-sequence"), String(Number(last) + 1));
    for (const answer of [
      await read(last),
      await ask(t, "GET", `${LISTS}x`, { key }),
      await visit(t, "GET", "/edl/ip-rulesets/", { token: user.token }),
    ]) {
      assert.equal(answer.headers.get("x-sequence"), made.headers.get("x-sequence"));
    }
    for (const answer of [
      await ask(t, "GET", LISTS),
      await ask(t, "GET", "/livez"),
      await ask(t, "GET", "/nowhere", { key }),
      await visit(t, "GET", "/edl/ip-rulesets/"),
    ])
      assert.equal(answer.headers.get("x-sequence"), null);
  });

  test("a value that is not a number gets 400, in both scopes", async () => {
    const user = await addUser(t, organisation, "viewer");
    for (const bad of ["x", "-1", "1.5", "1e3", "0x1", "1, 2", "9007199254740992", "9".repeat(30)]) {
      const answers = [
        await read(bad),
        await visit(t, "GET", "/edl/ip-rulesets/", { token: user.token, headers: { "X-After-Sequence": bad } }),
      ];
      for (const { status, body } of answers)
        assert.deepEqual([status, Object.keys(body.validation_errors)], [400, ["X-After-Sequence"]], bad);
    }
  });

  test("a change that does not arrive gets 503 with the reason, after a wait", async () => {
    const { status, headers, body } = await read(FAR);
    assert.deepEqual([status, headers.get("retry-after"), body.type], [503, "1", "/problems/service-unavailable"]);
    assert.match(body.detail, new RegExp(`this server does not have change ${FAR} \\(X-After-Sequence\\) after 5 s`));
  });

  test("a caller that waits for changes that never arrive gets only a fair share, and others are served meanwhile", async () => {
    const other = (await addKey(t, await addOrganisation(t, "others"))).text;
    const begin = performance.now();
    const asked = Promise.all(Array.from({ length: 40 }, () => read(FAR)));
    for (let i = 0; i < 20; i++) assert.equal((await ask(t, "GET", LISTS, { key: other })).status, 200);
    const answers = await asked;
    const waited = answers.filter(({ body }) => /does not have change/.test(body.detail)).length;
    const refused = answers.filter(({ body }) => /^the server is overloaded/.test(body.detail)).length;
    // Half of 8 may wait at the same time, for 5 s; on a busy machine, others come only when they have waited.
    const most = 4 * (1 + Math.floor((performance.now() - begin) / 5000));
    assert.ok(waited >= 1 && waited <= most, `${waited} of 40 waited; ${most} may`);
    assert.equal(waited + refused, 40);
    assert.equal((await read("0")).status, 200, "and all places are given back");
  });
});
