import assert from "node:assert/strict";
import { test } from "node:test";
import { layerAges } from "../../src/cbs/catalogue-ages.ts";
import { ageNotice } from "../../src/cli/snapshots/catalogue-history.ts";

const CREATED = new Date("2026-06-17T19:00:00Z");
const after = (days: number, milliseconds = 0): number => CREATED.getTime() + days * 86_400_000 + milliseconds;

test("a catalogue reports its age from the 31st full day on, with the remedy", () => {
  for (const now of [after(0), after(-3), after(30), after(31, -1)])
    assert.equal(ageNotice(CREATED, now, true), undefined);
  const remedy = '31 days old (2026-06-17); "ipsieve cbs update" fetches the publishers\' current lists';
  assert.equal(ageNotice(CREATED, after(31), true), `the bundled catalogue is ${remedy}`);
  assert.equal(ageNotice(CREATED, after(31), false), `the catalogue is ${remedy}`);
});

test("each layer is as old as its newest source, and an old one says how to renew it", () => {
  const source = {
    name: "x",
    version: null,
    url: null,
    license: null,
    attribution: null,
    publishedAt: null,
    fetchedAt: null,
    changedAt: null,
  };
  const sources = [
    { ...source, id: "aws", publishedAt: "2026-01-01T00:00:00.000Z", fetchedAt: new Date(after(100)).toISOString() },
    { ...source, id: "tor", fetchedAt: new Date(after(5)).toISOString() },
    { ...source, id: "asn", publishedAt: CREATED.toISOString() },
    { ...source, id: null },
  ];
  const ages = layerAges({ sources }, after(120));
  assert.deepEqual(
    ages.map(({ layer, sources, age_days, is_old, advice }) => [layer, sources, age_days, is_old, advice === null]),
    [
      ["official", 2, 20, false, true],
      ["as-numbers", 1, 120, true, false],
    ],
  );
  assert.deepEqual(
    [ages[0]!.oldest_at, ages[0]!.newest_at],
    [new Date(after(5)).toISOString(), new Date(after(100)).toISOString()],
  );
  assert.match(layerAges({ sources }, after(300))[0]!.advice!, /ipsieve cbs update/);
  const released = "newer releases of ipsieve include newer AS numbers";
  assert.equal(ages[1]!.advice, released, "the official lists are there already");
  const [withoutLists] = layerAges({ sources: sources.slice(2) }, after(120));
  assert.equal(withoutLists!.advice, `${released}; "ipsieve cbs update" adds the official lists`);
});
