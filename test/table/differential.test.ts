import assert from "node:assert/strict";
import { test } from "node:test";
import { PrefixTable } from "../../src/table/prefix-table.ts";
import {
  compareWithOracle,
  expectedReadBack,
  randomPrefixes,
  readBack,
  seededRandom,
  tableOf,
} from "./differential.ts";

const SEED = 20_261_121;

test("lookups equal the linear oracle's, and a table lists exactly the prefixes that went in", (t) => {
  const random = seededRandom(SEED);
  let compared = 0;
  const sets = 150;
  for (let i = 0; i < sets; i++) {
    const prefixes = randomPrefixes(random);
    const table = tableOf(prefixes);
    compared += compareWithOracle(table, prefixes, 8, random);
    table.checkStructure();
    assert.deepEqual(readBack(table), expectedReadBack(prefixes));
  }
  t.diagnostic(`seed ${SEED}: ${compared} answers over ${sets} sets, 0 disagreements`);
  assert.ok(compared > 500_000, `only ${compared} answers were compared`);
});

test("negative control: the comparison detects one wrong leaf in a table", () => {
  const random = seededRandom(SEED);
  let caught = 0;
  const tables = 40;
  for (let i = 0; i < tables; i++) {
    const prefixes = randomPrefixes(random);
    assert.ok(prefixes.length > 0);
    const table = tableOf(prefixes);
    const copy = table.buffer.slice(0);
    const root = new Int32Array(
      copy,
      table.sections[prefixes[0]!.family === 4 ? "root4" : "root6"].byteOffset,
      table.sections[prefixes[0]!.family === 4 ? "root4" : "root6"].byteLength / 4,
    );
    // The root slot of some prefix now says "no match" for all of its addresses.
    const slot = root.findIndex((entry) => entry !== 0);
    root[slot] = 0;
    try {
      compareWithOracle(new PrefixTable(copy, table.sections), prefixes, 8, random);
    } catch {
      caught++;
    }
  }
  assert.equal(caught, tables);
});
