/** What pages are searched by, and how numbers and times are written: functions, without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ticksOf } from "../../src/dashboard/charts/scale.ts";
import { formatBytes, formatLocal, formatRelative, formatUtc } from "../../src/dashboard/format.ts";
import { hrefOf, matchPath, readLocation } from "../../src/dashboard/location.ts";

test("the part of the URL after #: a path and a query", () => {
  const read = (hash: string) => [readLocation(hash).path, readLocation(hash).query.toString()];
  assert.deepEqual(read("#/lookup?ip=2001:db8::/32"), ["/lookup", "ip=2001%3Adb8%3A%3A%2F32"]);
  assert.deepEqual(read("#/join?token=a?b"), ["/join", "token=a%3Fb"]);
  assert.deepEqual(
    [read(""), read("#"), read("#/"), read("#main"), read("#/keys/")],
    [
      ["/", ""],
      ["/", ""],
      ["/", ""],
      ["/", ""],
      ["/keys", ""],
    ],
  );
});

test("a pattern's named parts", () => {
  assert.deepEqual(matchPath("/rulesets/:ruleset_id", "/rulesets/a%2Fb"), { ruleset_id: "a/b" });
  assert.deepEqual(matchPath("/rulesets/:ruleset_id", "/rulesets/%"), { ruleset_id: "%" });
  assert.deepEqual(matchPath("/", "/"), {});
  assert.deepEqual(
    [matchPath("/rulesets/:ruleset_id", "/rulesets"), matchPath("/keys", "/users"), matchPath("/keys", "/keys/1")],
    [undefined, undefined, undefined],
  );
});

test("URLs round-trip", () => {
  const href = hrefOf("/lookup", { ip: "10.0.0.0/8", other: "", none: undefined });
  assert.equal(href, "#/lookup?ip=10.0.0.0%2F8");
  assert.equal(readLocation(href).query.get("ip"), "10.0.0.0/8");
  assert.equal(hrefOf("/keys"), "#/keys");
});

test("sizes", () => {
  assert.deepEqual([0, 999, 1000, 1536, 123_456, 5_000_000_000].map(formatBytes), [
    "0 B",
    "999 B",
    "1.0 KB",
    "1.5 KB",
    "123 KB",
    "5.0 GB",
  ]);
});

test("times", () => {
  const at = new Date("2026-11-22T13:03:07.123Z");
  assert.equal(formatUtc(at), "2026-11-22 13:03:07 UTC");
  const back = (text: string): number => new Date(text.replace(" ", "T")).getTime();
  assert.equal(back(formatLocal(at, { seconds: true })), at.getTime() - 123);
  assert.equal(back(formatLocal(at)), at.getTime() - 7123);
  const from = (seconds: number): string => formatRelative(new Date(at.getTime() + seconds * 1000), at);
  assert.deepEqual([-10, -180, -7300, -86_400 * 3, 86_400 * 45, 0].map(from), [
    "now",
    "3 minutes ago",
    "2 hours ago",
    "3 days ago",
    "next month",
    "now",
  ]);
});

test("ticks of an axis reach the maximum, and are round numbers", () => {
  assert.deepEqual(ticksOf(0), [0, 1]);
  assert.deepEqual(ticksOf(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksOf(0.31), [0, 0.1, 0.2, 0.3, 0.4]);
  assert.deepEqual(ticksOf(1234), [0, 500, 1000, 1500]);
  assert.deepEqual(
    [1, 2, 3].map((greatest) => ticksOf(greatest, { isCount: true })),
    [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
    ],
  );
  for (let greatest = 0.001; greatest < 1e9; greatest *= 1.37) {
    const ticks = ticksOf(greatest);
    assert.ok(
      ticks.at(-1)! >= greatest * 0.999999 && ticks.length >= 3 && ticks.length <= 7,
      `${greatest}: ${ticks.join()}`,
    );
  }
});
