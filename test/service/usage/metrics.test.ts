import assert from "node:assert/strict";
import { test } from "node:test";
import type { Settings } from "../../../src/service/settings.ts";
import { ask, startServer } from "../../api/start-server.ts";

const TOKEN = "c2VjcmV0LW9mLWEtdGVzdA==";
const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** Statuses of `/metrics`, by the settings and by what a request sends. */
const CASES: readonly [
  what: string,
  settings: Partial<Settings>,
  requests: readonly [headers: Record<string, string>, status: number][],
][] = [
  [
    "auto, on a loopback address",
    {},
    [
      [{}, 200],
      [bearer(TOKEN), 200],
      ...["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"].map((name): [Record<string, string>, number] => [
        { [name]: "192.0.2.1" },
        404,
      ]),
    ],
  ],
  ["auto, with trusted proxies", { trustProxy: "127.0.0.1" }, [[{}, 404]]],
  ["auto, on all addresses", { host: "0.0.0.0" }, [[{}, 404]]],
  [
    "on, on all addresses",
    { host: "0.0.0.0", metrics: "on" },
    [
      [{}, 200],
      [{ Via: "1.1 proxy" }, 200],
    ],
  ],
  [
    "off",
    { metrics: "off", metricsToken: TOKEN },
    [
      [{}, 404],
      [bearer(TOKEN), 404],
    ],
  ],
  [
    "a token",
    { host: "0.0.0.0", metricsToken: TOKEN },
    [
      [{}, 401],
      [bearer(`${TOKEN}x`), 401],
      [bearer(""), 401],
      [{ Authorization: TOKEN }, 401],
      [bearer(TOKEN), 200],
      [{ ...bearer(TOKEN), Via: "1.1 proxy" }, 200],
    ],
  ],
];

for (const [what, settings, requests] of CASES) {
  test(`metrics: ${what}`, async (context) => {
    const t = await startServer(settings);
    context.after(() => t.close());
    const nowhere = await ask(t, "GET", "/nowhere");
    for (const [headers, status] of requests) {
      const answer = await ask(t, "GET", "/metrics", { headers });
      assert.equal(answer.status, status, JSON.stringify(headers));
      assert.equal(answer.text.includes("ipsieve_rules{"), status === 200);
      if (status === 401) assert.equal(answer.headers.get("www-authenticate"), "Bearer");
      // The same as for a path that does not exist.
      if (status === 404) assert.deepEqual(answer.body, JSON.parse(nowhere.text.replaceAll("/nowhere", "/metrics")));
    }
    assert.ok(!t.logged().includes(TOKEN));
  });
}

test("metrics: each one says what it counts, by a name of ours", async (context) => {
  const t = await startServer();
  context.after(() => t.close());
  const { text } = await ask(t, "GET", "/metrics");
  const helps = text.split("\n").filter((line) => line.startsWith("# HELP "));
  assert.ok(helps.length > 20, String(helps.length));
  for (const line of helps) assert.match(line, /^# HELP (ipsieve|process|nodejs)_[a-z0-9_]+ \S+( \S+)+$/);
  // A state without a name, or a deployment that is in none, would be a line of its own.
  for (const [, labels] of text.matchAll(/^ipsieve_\w+\{(.*)\}/gm)) assert.doesNotMatch(labels!, /=""/);
  assert.deepEqual(
    [...text.matchAll(/^ipsieve_external_lists\{state="(\w*)"\}/gm)].map(([, state]) => state),
    ["ok", "failed", "refused", "inactive"],
  );
});
