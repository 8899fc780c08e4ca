/**
 * Lists that cannot mark an expired rule have only active rules unless requested otherwise: at every path, for keys and
 * in the dashboard.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

/** As addresses, as names in DNS, and as numbers. */
const ONE = /\b192\.0\.2\.1\b|\b1\.2\.0\.192\b|\b3221225985\b/;
const OTHER = /\b192\.0\.2\.2\b|\b2\.2\.0\.192\b|\b3221225986\b/;
/** These have no allowlists: see below. MMDB is no text: deployments.test.ts reads it. */
const OTHERS: ReadonlySet<string> = new Set(["crowdsec-csv", "exabgp-flowspec", "mmdb"]);

let t: TestServer;
let path = "";
let put: (body: object) => Promise<Answer>;
let get: Record<"public" | "dashboard", (end: string, accept?: string) => Promise<Answer>>;
before(async () => {
  t = await startServer();
  const organisation = await addOrganisation(t, "texts");
  const key = (await addKey(t, organisation)).text;
  const { token } = await addUser(t, organisation, "viewer");
  path = `/edl/ip-rulesets/${(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id}`;
  const rules = [{ ip: "192.0.2.1" }, { ip: "192.0.2.2", expires_at: new Date(t.clock.now).toISOString() }];
  assert.equal((await ask(t, "PUT", `/v1${path}/rules`, { key, body: { rules } })).status, 200);
  put = (body) => ask(t, "PUT", `/v1${path}/rules?max_shrink=100`, { key, body });
  get = {
    public: (end, accept = "*/*") => ask(t, "GET", `/v1${path}${end}`, { key, headers: { accept } }),
    dashboard: (end, accept = "*/*") => visit(t, "GET", `${path}${end}`, { token, headers: { accept } }),
  };
});
after(() => t.close());

for (const scope of ["public", "dashboard"] as const) {
  for (const [form, end, accept] of [
    ...["text/plain", "text/csv", "application/x-ndjson"].map((type) => [type, "/rules?", type]),
    ...RULE_EXPORT_FORMATS.filter((format) => !OTHERS.has(format)).map((format) => [
      format,
      `/rules:export?format=${format}&`,
      undefined,
    ]),
  ] as const) {
    test(`${scope}, ${end}${form}: active rules only, unless active_only=false`, async () => {
      const listed = await Promise.all(
        ["", "active_only=true", "active_only=false"].map((query) => get[scope](end + query, accept)),
      );
      assert.deepEqual(
        listed.map(({ status, text }) => [status, ONE.test(text), OTHER.test(text)]),
        [
          [200, true, false],
          [200, true, false],
          [200, true, true],
        ],
      );
      const tags = listed.map(({ headers }) => headers.get("etag"));
      assert.equal(tags[0], tags[1]);
      assert.notEqual(tags[0], tags[2]);
    });
  }

  test(`${scope}: JSON lists all rules unless active_only=true`, async () => {
    const counts = await Promise.all(
      ["", "?active_only=false", "?active_only=true"].map(
        async (query) => (await get[scope](`/rules${query}`)).body.count,
      ),
    );
    assert.deepEqual(counts, [2, 2, 1]);
    assert.equal((await get[scope]("/rules", "")).body.count, 2, "an empty Accept asks for nothing in particular");
  });
}

describe("sets of firewalls", () => {
  test("a blocklist and an allowlist have opposite effects, and formats that can only block have no allowlist", async () => {
    assert.match((await get.public("/rules:export?format=postfix")).text, / OK\n/);
    assert.match((await get.public("/rules:export?format=iptables")).text, / -j ACCEPT\n/);
    for (const format of ["crowdsec-csv", "exabgp-flowspec"]) {
      const { status, body } = await get.public(`/rules:export?format=${format}`);
      assert.deepEqual([status, Object.keys(body.validation_errors)], [400, ["format"]]);
    }
  });

  test("the serial number of a zone rises from second to second, and its ETag with it", async () => {
    const serials: number[] = [];
    const tags = new Set<string>();
    for (let second = 0; second < 3; second++) {
      const { text, headers } = await get.public("/rules:export?format=rpz");
      serials.push(Number(/ SOA \S+ \S+ (\d+) /.exec(text)![1]));
      tags.add(headers.get("etag")!);
      t.clock.now += 1000;
    }
    assert.deepEqual(
      serials.map((serial) => serial - serials[0]!),
      [0, 1, 2],
    );
    assert.equal(tags.size, 3);
  });

  for (const scope of ["public", "dashboard"] as const) {
    for (const format of ["ipset", "nftables"] as const) {
      test(`${scope}, ${format}: named as requested, or after the ruleset; no name becomes a line`, async () => {
        const own = await get[scope](`/rules:export?format=${format}`);
        assert.match(own.text, /My_Allowlist_rules_[0-9a-f]{6}_4/);
        const named = await get[scope](`/rules:export?format=${format}&set_name=office_1`);
        assert.match(named.text, /\boffice_1_4\b/);
        assert.notEqual(named.headers.get("etag"), own.headers.get("etag"));
        for (const name of ["", "1a", "a b", "a%0Ab", "a;b", "a".repeat(26), "-x", "%C3%A9"]) {
          const { status, body } = await get[scope](`/rules:export?format=${format}&set_name=${name}`);
          assert.deepEqual([status, Object.keys(body.validation_errors)], [400, ["set_name"]], name);
        }
      });
    }
    test(`${scope}: formats without sets accept no name`, async () => {
      for (const format of ["text", "csv", "ndjson", "nginx", "squid"])
        assert.equal((await get[scope](`/rules:export?format=${format}&set_name=a`)).status, 400);
    });
  }

  test("timeouts count from the second of the request, and so does the ETag", async () => {
    const end = t.clock.now + 10_500;
    assert.equal(
      (await put({ rules: [{ ip: "192.0.2.1", expires_at: new Date(end).toISOString() }, { ip: "192.0.2.2" }] }))
        .status,
      200,
    );
    const tags = new Set<string>();
    for (const [now, seconds] of [
      [end - 10_500, 11],
      [end - 10_000, 11],
      [end - 9_000, 10],
      [end - 500, 1],
    ] as const) {
      t.clock.now = now;
      const { text, headers } = await get.public("/rules:export?format=nftables");
      assert.ok(
        text.includes(`192.0.2.1 timeout ${seconds}s\n`) || text.includes(`192.0.2.1 timeout ${seconds}s,`),
        text,
      );
      tags.add(headers.get("etag")!);
    }
    t.clock.now = end;
    assert.doesNotMatch((await get.public("/rules:export?format=nftables")).text, /192\.0\.2\.1\b/);
    const [first, second] = [
      await get.public("/rules:export?format=ipset"),
      ((t.clock.now += 60_000), await get.public("/rules:export?format=ipset")),
    ];
    assert.equal(first.headers.get("etag"), second.headers.get("etag"), "nothing expires any more");
    assert.equal(tags.size, 3);
  });
});
