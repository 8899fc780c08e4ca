import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import type { IdentifyOptions } from "../../../src/batch/identify-options.ts";
import { identify } from "../../../src/batch/identify.ts";
import { CatalogueBuilder } from "../../../src/cbs/catalogue-builder.ts";
import { CATALOGUE_RENDERER } from "../../../src/datasets/catalogue-renderer.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import type { Snapshot } from "../../../src/snapshot/snapshot.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { rounds } from "../../rounds.ts";
import { temporaryFolder } from "../fixture.ts";

const SEED = 20261126;
const NOW = 1_000_000;
const PLAIN = new URL("./plain-renderer.ts", import.meta.url).href;
const ONE_KEY = new URL("./one-key-renderer.ts", import.meta.url).href;
const SHIFTED = new URL("./shifted-texts-renderer.ts", import.meta.url).href;
const FORMATS = ["tsv", "csv", "jsonl", "append"] as const;
const LABELS = ["as-1", "as-22", "/cloud/aws", "/cloud/aws/s3", '"quoted"', "=formula", "naïve"];
/** Whose ids are encoded at once. */
const ASCII_LABELS = LABELS.slice(0, -1).concat("a label of more than sixteen bytes", "x".repeat(200));
const folder = temporaryFolder();

/** Few labels over many prefixes of both families: alone, nested, several for a prefix, and expired ones. */
async function snapshotOf(random: Random, labels: readonly string[] = LABELS): Promise<Snapshot> {
  const builder = new CatalogueBuilder();
  for (let count = 0; count < 400; count++) {
    const prefix =
      random.below(4) === 0
        ? `2001:db8:${random.below(64).toString(16)}::/${[40, 44, 48][random.below(3)]!}`
        : `10.${random.below(64)}.${random.below(4) * 64}.0/${[14, 16, 18, 20, 24, 32][random.below(6)]!}`;
    builder.add(
      parsePrefix(prefix, "mask"),
      labels[random.below(labels.length)]!,
      null,
      random.below(8) === 0 ? NOW - 1 + random.below(2) : null,
    );
  }
  const path = join(folder, "shared.ipsieve");
  const { table, metadata } = builder.freeze({ title: "Test", createdAt: new Date(0), sources: [] });
  await writeSnapshot(path, { table, metadata, kind: "catalogue" });
  return openSnapshot(path);
}

function logOf(random: Random): string {
  const lines = Array.from({ length: 3000 }, () => {
    if (random.below(20) === 0) return "no address";
    const word = () => random.below(2 ** 16);
    if (random.below(4) === 0)
      return formatAddress({
        family: 6,
        w0: 0x20010db8,
        w1: random.below(64) * 65536 + word(),
        w2: word(),
        w3: word(),
      });
    return `10.${random.below(70)}.${random.below(256)}.${random.below(256)} "GET /"`;
  });
  return `${lines.join("\n")}\n`;
}

async function rowsOf(options: Omit<IdentifyOptions, "output">): Promise<string> {
  const path = join(folder, "rows");
  await identify({ ...options, now: NOW, output: { path } });
  return readFileSync(path, "latin1");
}

test("shared templates give the rows of templates by match", async () => {
  const random = new Random(SEED);
  for (let round = rounds({ short: 2, long: 6 }); round > 0; round--) {
    const snapshot = await snapshotOf(random, round % 2 === 0 ? LABELS : ASCII_LABELS);
    const input = join(folder, "shared.log");
    writeFileSync(input, logOf(random));
    for (const format of FORMATS) {
      const expected = await rowsOf({
        inputs: [input],
        snapshot,
        format,
        renderer: PLAIN,
        threads: 1,
        engine: "typescript",
      });
      for (const engine of ["webassembly", "typescript"] as const) {
        for (const [threads, templateBytes] of [
          [1, 64 << 20],
          [1, 3000],
          [2, 20_000],
        ] as const) {
          const limits = { templateBytes, shardBytes: 40_000, workerBytes: 1 };
          const options = { inputs: [input], snapshot, format, threads, engine, limits };
          const actual = await rowsOf({ ...options, renderer: CATALOGUE_RENDERER });
          assert.ok(actual === expected, `${format} ${engine} ${threads} ${templateBytes}, seed ${SEED}`);
        }
      }
    }
  }
});

test("keys that take different matches for the same are caught", async () => {
  const random = new Random(SEED);
  const snapshot = await snapshotOf(random);
  const input = join(folder, "caught.log");
  writeFileSync(input, logOf(random));
  for (const engine of ["webassembly", "typescript"] as const) {
    const options = { inputs: [input], snapshot, format: "tsv", threads: 1, engine } as const;
    assert.notEqual(await rowsOf({ ...options, renderer: ONE_KEY }), await rowsOf({ ...options, renderer: PLAIN }));
  }
});

test("texts of other matches are caught", async () => {
  const random = new Random(SEED);
  const snapshot = await snapshotOf(random, ["as-1", "as-22"]);
  const input = join(folder, "shifted.log");
  writeFileSync(input, logOf(random));
  for (const format of ["tsv", "csv", "append"] as const) {
    const options = { inputs: [input], snapshot, format, threads: 1, engine: "webassembly" } as const;
    const expected = await rowsOf({ ...options, renderer: PLAIN });
    assert.equal(await rowsOf({ ...options, renderer: CATALOGUE_RENDERER }), expected);
    assert.notEqual(await rowsOf({ ...options, renderer: SHIFTED }), expected);
  }
});
