import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { type CompiledList, compileList } from "../../src/deployments/compile.ts";
import { DEVICES as FOR_PEOPLE } from "../../src/dashboard/deployments/devices.ts";
import { DEVICES } from "../../src/deployments/devices.ts";
import { gatheringPrefixes } from "../../src/deployments/gathered.ts";
import { rejectionsOf } from "../../src/deployments/guard-list.ts";
import { RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import { finished } from "../../src/turns/finished.ts";

function listOf(...texts: string[]): CompiledList {
  const prefixes = texts.map((text) => parsePrefix(text));
  return compileList({ include: [finished(gatheringPrefixes("feed.txt", prefixes))], exclude: [] });
}

const codes = (...args: Parameters<typeof rejectionsOf>): string[] => rejectionsOf(...args).map(({ code }) => code);

test("a list within its limits is published, one entry or byte more is not", () => {
  const two = listOf("10.0.0.0/24", "2001:db8::/32");
  assert.deepEqual(codes(two, 27, { maxEntries: 2, maxBytes: 27 }), []);
  assert.deepEqual(codes(two, 27, {}), []);
  assert.deepEqual(codes(two, 28, { maxEntries: 1, maxBytes: 27 }), ["too-many-entries", "too-many-bytes"]);
  assert.equal(rejectionsOf(two, 28, { maxEntries: 1 })[0]!.message, "the list has 2 entries, more than the 1 allowed");
});

test("an empty list is published only if that is allowed", () => {
  assert.deepEqual(codes(listOf(), 0, {}), ["empty"]);
  assert.deepEqual(codes(listOf(), 0, { allowEmpty: true }), []);
});

test("prefixes that are too wide are named with their source, five at most", () => {
  const [rejection, ...others] = rejectionsOf(listOf("0.0.0.0/7", "10.0.0.0/8"), 1, {});
  assert.deepEqual(others, []);
  assert.equal(rejection!.message, "the includes have prefixes that are too wide: 0.0.0.0/7 of feed.txt");
  const seven = [2, 4, 6, 8, 10, 12, 14].map((first) => `${first}.0.0.0/7`);
  assert.match(
    rejectionsOf(listOf(...seven), 1, {})[0]!.message,
    /: 2\.0\.0\.0\/7 of .*, 10\.0\.0\.0\/7 of feed\.txt and 2 more$/,
  );
});

test("every device has a limit and an existing format", () => {
  for (const [name, { format, maxEntries, maxBytes }] of Object.entries(DEVICES)) {
    assert.ok(RULE_EXPORT_FORMATS.includes(format), name);
    assert.ok(maxEntries !== undefined || maxBytes !== undefined, name);
  }
});

/** The limits that a description says. */
function limitsIn(about: string) {
  const entries = /([\d,]+) (?:entries|items)/.exec(about)?.[1];
  const megabytes = /(\d+) MB/.exec(about)?.[1];
  return {
    maxEntries: entries === undefined ? undefined : Number(entries.replaceAll(",", "")),
    maxBytes: megabytes === undefined ? undefined : Number(megabytes) * 1e6,
  };
}

test("the limits of a device are those that its description says", () => {
  for (const [name, { about, format, maxEntries, maxBytes, chunkEntries }] of Object.entries(DEVICES)) {
    assert.deepEqual(limitsIn(about), { maxEntries, maxBytes }, name);
    const [title, usual] = FOR_PEOPLE[name as keyof typeof FOR_PEOPLE];
    assert.deepEqual([limitsIn(title), usual], [{ maxEntries, maxBytes }, format], `${name} in the dashboard`);
    assert.ok(chunkEntries === undefined || chunkEntries < maxEntries!, name);
  }
});
