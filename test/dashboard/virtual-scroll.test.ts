/**
 * Which rows of a long list are in view when the browser's scroll height is less than that of all rows: on a model,
 * without a browser.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { relationOf } from "../../src/dashboard/rulesets/prefix-relation.ts";
import { guessType } from "../../src/dashboard/rulesets/read-list.ts";
import { filterQuery, readFilter, readSearch, requestQuery } from "../../src/dashboard/rulesets/rule-filter.ts";
import { VirtualScroll } from "../../src/dashboard/rulesets/virtual-scroll.ts";

const EXTENT = { rowHeight: 42, viewport: 600 };

function scrollOver(rows: number): VirtualScroll {
  const scroll = new VirtualScroll();
  scroll.resize({ ...EXTENT, rows });
  return scroll;
}

test("every row can be reached by the scroll bar, whatever the number of rows", () => {
  for (const rows of [0, 1, 14, 15, 1000, 142_857, 142_858, 1_000_000, 20_000_000]) {
    const scroll = scrollOver(rows);
    assert.ok(scroll.height <= 6_000_000 && scroll.height <= rows * 42);
    const most = Math.max(0, scroll.height - EXTENT.viewport);
    scroll.scrolled(most, false);
    assert.equal(scroll.range()[1], Math.max(0, rows - 1));
    scroll.scrolled(0, false);
    assert.equal(scroll.range()[0], 0);
    for (let part = 0; part <= 1; part += 0.01) {
      scroll.scrolled(Math.round(most * part), false);
      const [first, last] = scroll.range();
      assert.ok(first <= last && first >= 0 && last < Math.max(1, rows));
      assert.ok(
        Math.abs(first - part * Math.max(0, rows - EXTENT.viewport / 42)) <= 1 + rows / Math.max(1, most),
        `${rows} rows, ${part}: ${first}`,
      );
    }
  }
});

test("the wheel moves rows by its pixels at any position, and drift is corrected", () => {
  const scroll = scrollOver(1_000_000);
  for (const part of [0, 0.2, 0.5, 0.999]) {
    let native = Math.round(part * (scroll.height - EXTENT.viewport));
    scroll.scrolled(native, false);
    for (let turn = 0; turn < 200; turn++) {
      const before = scroll.top;
      native += 100;
      scroll.scrolled(native, true);
      assert.equal(scroll.top, Math.min(before + 100, 1_000_000 * 42 - 600));
      if (turn % 10 === 0) native = scroll.settle();
      // The browser reports that the position was corrected.
      scroll.scrolled(native, true);
    }
    const { top } = scroll;
    scroll.scrolled(scroll.settle(), false);
    assert.equal(scroll.top, top);
  }
});

test("scrolling to a row moves as little as possible", () => {
  const scroll = scrollOver(1_000_000);
  scroll.show(500_000);
  assert.deepEqual(scroll.range(), [499_986, 500_000]);
  const { top } = scroll;
  scroll.show(499_990);
  assert.equal(scroll.top, top);
  scroll.show(499_000);
  assert.equal(scroll.range()[0], 499_000);
  scroll.resize({ rowHeight: 66, viewport: 600, rows: 1_000_000 });
  assert.equal(scroll.range()[0], 499_000);
  scroll.resize({ rowHeight: 66, viewport: 600, rows: 3 });
  assert.deepEqual(scroll.range(), [0, 2]);
});

test("searches: addresses, prefixes and beginnings of addresses as such, everything else in names", () => {
  for (const ip of [
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "2001:db8::/32",
    "::ffff:10.0.0.1",
    " 192.0.2.1 ",
    "10.1",
    "2.57.",
  ])
    assert.deepEqual(readSearch(ip), { ip: ip.trim(), name: undefined });
  for (const name of ["office", "10", "1.2.3.4.5", "db8", "feed 10.0.0.1"])
    assert.deepEqual(readSearch(name), { name, ip: undefined });
  assert.deepEqual(readSearch("  "), { name: undefined, ip: undefined });
});

test("a filter is read back from the URL, and invalid parts are ignored", () => {
  const filter = { state: "expiring" as const, days: 30, name: "a & b", ip: undefined };
  const query = new URLSearchParams(
    Object.entries(filterQuery(filter)).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  assert.deepEqual(readFilter(query), filter);
  assert.deepEqual(requestQuery(filter), { state: "expiring", expiring_within_days: 30, name: "a & b" });
  assert.deepEqual(readFilter(new URLSearchParams("state=x&days=-1")), {
    state: undefined,
    days: 7,
    name: undefined,
    ip: undefined,
  });
});

test("recognized formats of lists", () => {
  assert.equal(guessType("10.0.0.1\n"), "text/plain");
  assert.equal(guessType('\n{"ip":"10.0.0.1"}'), "application/x-ndjson");
  assert.deepEqual(
    ["ip", "ip,name", "name,ip,expires_at", '\ufeff"IP","name"'].map((text) => guessType(text)),
    Array.from({ length: 4 }, () => "text/csv"),
  );
  assert.deepEqual(
    [guessType("x", "a.CSV"), guessType("x", "a.jsonl"), guessType("x", "a.ndjson"), guessType("x", "a.txt")],
    ["text/csv", "application/x-ndjson", "application/x-ndjson", "text/plain"],
  );
});

test("how a rule relates to the searched address", () => {
  const relations = [
    ["10.0.0.0/8", "10.1.1.1"],
    ["10.1.1.1", "10.1.1.1/32"],
    ["10.1.1.1", "10.0.0.0/8"],
    ["10.1.1.1", "::ffff:10.1.1.1"],
    ["10.0.0.0/8", "::ffff:10.1.0.0/112"],
    ["2001:db8::1", "2001:db8::/32"],
  ] as const;
  assert.deepEqual(
    relations.map(([found, searched]) => relationOf(found, searched)),
    ["covers it", "the same", "within it", "the same", "covers it", "within it"],
  );
});
