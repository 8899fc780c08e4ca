/** Walks by cursor: every paged list, for keys and in the dashboard, while others write. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "../../src/client/client.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, BUNDLED, startServer, type TestServer } from "./start-server.ts";
import { rounds, sampled } from "../rounds.ts";

let t: TestServer;
let key = "";
let id = "";
let get: Record<"public" | "dashboard", (path: string, headers?: Record<string, string>) => Promise<Answer>>;
before(async () => {
  t = await startServer({ rulesetsPerOrganisation: 1000 }, BUNDLED);
  const organisation = await addOrganisation(t, "cursors");
  key = (await addKey(t, organisation)).text;
  const { token } = await addUser(t, organisation, "viewer");
  id = (await write("POST", "", { name: "cursors", purpose: "blocklist" })).body.id;
  get = {
    public: (path, headers = {}) => ask(t, "GET", `/v1${path}`, { key, headers }),
    dashboard: (path, headers = {}) => visit(t, "GET", path, { token, headers }),
  };
});
after(() => t.close());

const write = (method: string, path: string, body?: unknown) =>
  ask(t, method, `/v1/edl/ip-rulesets/${path}`, { key, body });

/** The part of a page's URL that depends on the scope. */
function parameterOf(next: string | null, name: "cursor" | "page"): string | null {
  return next === null ? null : new URL(next).searchParams.get(name);
}

type Item = Record<string, string>;

/** All items, page after page; `between` runs after each page. */
async function walk(
  scope: "public" | "dashboard",
  path: string,
  by: "cursor" | "page",
  size: number,
  between: () => Promise<unknown> = async () => {},
): Promise<{ items: Item[]; counts: number[]; pages: number }> {
  const items: Item[] = [];
  const counts: number[] = [];
  let at: string | null = by === "cursor" ? "" : "1";
  let pages = 0;
  for (; at !== null; pages++) {
    const { status, body, text } = await get[scope](
      `${path}${path.includes("?") ? "&" : "?"}page_size=${size}&${by}=${at}`,
    );
    assert.equal(status, 200, text);
    assert.ok(body.items.length <= size);
    if (by === "cursor") assert.equal(body.prev, null);
    items.push(...body.items);
    counts.push(body.count);
    await between();
    at = parameterOf(body.next, by);
  }
  return { items, counts, pages };
}

/** Rules that stay, and others that come and go before and after them. */
const stable = Array.from({ length: 300 }, (_, i) => `20.0.${i >> 2}.${(i & 3) * 64}/26`);
const coming = (i: number): string => `${i % 2 === 0 ? 10 : 30}.0.${(i >> 1) & 255}.0/24`;

/** Each call deletes ten rules, most of them at the front, and adds others. */
function churn(): () => Promise<void> {
  let n = 0;
  return async () => {
    const items = Array.from({ length: 10 }, (_, i) => ({
      op: n % 2 === 0 ? "delete" : "add",
      ip: coming(2 * i + (i === 9 ? 1 : 0)),
    }));
    n++;
    assert.equal((await write("POST", `${id}/rules:batch`, { items })).status, 200);
  };
}

async function fill(): Promise<void> {
  const rules = [...stable, ...Array.from({ length: 60 }, (_, i) => coming(i))].map((ip) => ({ ip }));
  assert.equal((await write("PUT", `${id}/rules`, { rules })).status, 200);
}

/** The permanent rules that a walk missed or showed twice. */
function errorsOf(items: readonly Item[]): string[] {
  const seen = new Map<string, number>();
  for (const { ip } of items) seen.set(ip!, (seen.get(ip!) ?? 0) + 1);
  return [
    ...stable.filter((ip) => seen.get(ip) !== 1),
    ...[...seen].filter(([, times]) => times > 1).map(([ip]) => ip),
  ];
}

/** Lists of the catalogue. */
const LISTS = [
  "/cbs/ranges?id=/cdn/cloudflare",
  "/cbs/ranges?id=/cdn/cloudflare&family=6",
  "/cbs/ranges?id=/cloud/aws&aggregate=true",
  "/cbs/providers",
  "/cbs/services?type=cloud",
  "/cbs/regions",
  "/cbs/search?q=cloud",
  "/cbs/search?q=1.1.1.1",
  "/cbs/search?q=zzzz",
];

for (const scope of ["public", "dashboard"] as const) {
  describe(scope, () => {
    test("rules: nothing is missed or shown twice while others write; count includes all", async () => {
      await fill();
      const { items, counts } = await walk(scope, `/edl/ip-rulesets/${id}/rules`, "cursor", 17, churn());
      assert.deepEqual(errorsOf(items), []);
      assert.ok(
        counts.every((count) => count >= 350 && count <= 360),
        counts.join(),
      );
      const running = new AbortController();
      const writing = (async () => {
        for (const change = churn(); !running.signal.aborted;) await change();
      })();
      for (let n = rounds({ short: 1, long: 3 }); n > 0; n--)
        assert.deepEqual(
          errorsOf((await walk(scope, `/edl/ip-rulesets/${id}/rules?active_only=true`, "cursor", 23)).items),
          [],
        );
      running.abort();
      await writing;
    });

    test("control: with page numbers, rules are missed or shown twice", async () => {
      await fill();
      assert.notDeepEqual(errorsOf((await walk(scope, `/edl/ip-rulesets/${id}/rules`, "page", 17, churn())).items), []);
    });

    test("rulesets: nothing is missed or shown twice while others are created and deleted", async () => {
      const made: string[] = [];
      for (let i = 0; i < 12; i++, t.clock.now += i % 2)
        made.push(
          (await write("POST", "", { name: `walk ${i}`, purpose: i % 3 === 0 ? "allowlist" : "blocklist" })).body.id,
        );
      const gone = made.splice(0, 4);
      const { items } = await walk(scope, "/edl/ip-rulesets/", "cursor", 3, async () => {
        const [next] = gone.splice(0, 1);
        if (next !== undefined) await write("DELETE", next);
      });
      const seen = items.map((item) => item["id"]!);
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(seen.filter((each) => made.includes(each)).sort(), [...made].sort());
      assert.ok(
        (await walk(scope, "/edl/ip-rulesets/?purpose=allowlist", "cursor", 2)).items.every(
          ({ purpose }) => purpose === "allowlist",
        ),
      );
      for (const each of made) await write("DELETE", each);
    });

    for (const path of sampled(LISTS, 2, scope === "public" ? 0 : 1)) {
      test(`${path}: cursors and pages yield the same items, all of them, and the same count`, async () => {
        const { count } = (await get[scope](path)).body;
        const size = Math.max(7, Math.ceil(count / 11));
        const [byCursor, byPage] = [await walk(scope, path, "cursor", size), await walk(scope, path, "page", size)];
        assert.ok(byPage.pages > 2 || count < 7, "there are several pages");
        assert.deepEqual(byCursor.items, byPage.items);
        assert.deepEqual([...new Set(byCursor.counts)], [byPage.items.length]);
        assert.equal(byCursor.pages, byPage.pages);
      });
    }

    test("cursors that no page returned, or together with page or a text form: 400 that names the cursor", async () => {
      const refused = async (path: string, accept?: string): Promise<void> => {
        const { status, body } = await get[scope](path, accept === undefined ? {} : { accept });
        assert.deepEqual([status, Object.keys(body.validation_errors ?? {})], [400, ["cursor"]], path);
      };
      const lists = [
        `/edl/ip-rulesets/${id}/rules?`,
        "/edl/ip-rulesets/?",
        "/cbs/ranges?id=/cdn/cloudflare&",
        "/cbs/providers?",
        "/cbs/services?",
        "/cbs/regions?",
        "/cbs/search?q=cloudflare&",
      ];
      for (const list of lists) {
        for (const cursor of [
          "x",
          "%00",
          "bm90aGluZw",
          "!!!!",
          "MjAuMC4wLjE=",
          "a".repeat(5000),
          Buffer.from("10.0.0.1/8").toString("base64url"),
        ])
          await refused(`${list}cursor=${cursor}`);
        await refused(`${list}cursor=&page=1`);
      }
      for (const type of ["text/plain", "text/csv"])
        for (const list of [lists[0]!, lists[2]!]) await refused(`${list}cursor=`, type);
    });
  });
}

test("a walk over mostly expired rules continues, with short pages", async () => {
  const own = (await write("POST", "", { name: "expired", purpose: "blocklist" })).body.id;
  const expired = new Date(t.clock.now - 1).toISOString();
  const rules = [
    ...Array.from({ length: 25_000 }, (_, i) => ({
      ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
      expires_at: expired,
    })),
    { ip: "20.0.0.1" },
    { ip: "30.0.0.1" },
  ];
  assert.equal((await write("PUT", `${own}/rules`, { rules })).status, 200);
  const { items, pages } = await walk("public", `/edl/ip-rulesets/${own}/rules?active_only=true`, "cursor", 100);
  assert.deepEqual(
    items.map(({ ip }) => ip),
    ["20.0.0.1", "30.0.0.1"],
  );
  assert.equal(pages, 3);
});

test("the client uses cursors: nothing is missed or returned twice while others write", async () => {
  await fill();
  const change = churn();
  const client = new Client({ baseUrl: t.server.url, key });
  const seen: Item[] = [];
  for await (const { ip } of client.rules(id, { pageSize: 17 })) {
    if (seen.push({ ip }) % 17 === 0) await change();
  }
  assert.deepEqual(errorsOf(seen), []);
});
