import assert from "node:assert/strict";
import { test } from "node:test";
import { bareArray } from "../../../src/cbs/importers/keyed-lists.ts";
import { withoutPrivate } from "../../../src/cbs/importers/without-private.ts";
import { assertRefused, entriesOf } from "./lists.ts";

const importer = withoutPrivate(bareArray());

test("addresses for private use are left out, each with its position", () => {
  const list = importer(
    '["192.0.2.1", "172.31.0.7", "10.0.0.0/8", "2001:db8::/48", "192.168.1.0/24", "172.32.0.0/16"]',
  );
  assert.deepEqual(entriesOf(list), ["192.0.2.1 -", "2001:db8::/48 -", "172.32.0.0/16 -"]);
  assert.equal(list.warningCounts["left-out"], 3);
  assert.deepEqual(list.warnings[0], {
    code: "left-out",
    position: "entry 2",
    message: "entry 2: 172.31.0.7 is for private use and is left out",
  });
});

test("what only contains private addresses is kept, for the limits to refuse, and a list of nothing else is an error", () => {
  assert.deepEqual(entriesOf(importer('["172.0.0.0/8"]')), ["172.0.0.0/8 -"]);
  assertRefused(importer, ["private only", '["10.1.2.3"]', "empty", "line 1"]);
});

test("a list without any is the same list", () => {
  const list = importer('["192.0.2.1", "192.0.2.1"]');
  assert.deepEqual([list.entries.length, list.warningCounts], [2, { repeat: 1 }]);
});
