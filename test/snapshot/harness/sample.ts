import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { Random } from "../../../bench/data/random.ts";
import type { Prefix } from "../../../src/address/address.ts";
import { prefixOf } from "../../../src/address/prefix.ts";
import { ENTRY, HEADER, sealHead, SNAPSHOT_SECTIONS } from "../../../src/snapshot/format.ts";
import type { SnapshotContent } from "../../../src/snapshot/encode-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import type { PrefixTable } from "../../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";

export { Random };

/** Nested prefixes of both families, close enough together to cover one another; some with several values. */
export function sampleTrie(random: Random, prefixes: number): PrefixTrie {
  const trie = new PrefixTrie();
  for (let i = 0; i < prefixes; i++) {
    const prefix = samplePrefix(random);
    const values = random.below(8) === 0 ? 3 : 1;
    for (let k = 0; k < values; k++) trie.add(prefix, 1 + random.below(prefixes));
  }
  return trie;
}

function samplePrefix(random: Random): Prefix {
  if (random.below(2) === 0) {
    const word = ((0x0a00_0000 | (random.word() & 0x0003_ffff)) & (random.below(3) === 0 ? 0xff00_ffff : -1)) >>> 0;
    return prefixOf({ family: 4, w0: word, w1: 0, w2: 0, w3: 0 }, random.below(33));
  }
  const w0 = (0x2001_0db8 + (random.word() & 1)) >>> 0;
  return prefixOf(
    { family: 6, w0, w1: random.word(), w2: random.below(2) * random.word(), w3: random.below(2) * random.word() },
    random.below(129),
  );
}

export function sampleTable(random: Random, prefixes: number): PrefixTable {
  return freeze(sampleTrie(random, prefixes), {
    expiresAt: (value) => (value % 3 === 0 ? 1_700_000_000_000 + value : null),
  });
}

export function sampleContent(random: Random, prefixes = 60): SnapshotContent {
  const names = Array.from({ length: 5 }, () => `node-${random.below(1000)}`);
  return {
    table: sampleTable(random, prefixes),
    metadata: { title: "sample", names, nested: { ratio: 0.5, none: null } },
    kind: "sample",
  };
}

/** Runs `use` with a folder of its own, which is removed at the end. */
export async function inTemporaryFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "ipsieve-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes all checksums right again after a change; a section that a false section table places beyond the end of the
 * file is cut there.
 */
export function reseal(file: Uint8Array): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let i = 0; i < SNAPSHOT_SECTIONS.length; i++) {
    const entry = HEADER.size + i * ENTRY.size;
    const from = Number(view.getBigUint64(entry + ENTRY.byteOffset, true));
    const to = from + Number(view.getBigUint64(entry + ENTRY.byteLength, true));
    view.setUint32(entry + ENTRY.checksum, crc32(file.subarray(from, to)), true);
  }
  sealHead(file);
}

/** `--minutes N` and `--seed N` of a long run. */
export function longRunOptions(): { until: number; seed: number } {
  const valueOf = (flag: string, otherwise: number): number => {
    const at = process.argv.indexOf(flag);
    const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
    if (!Number.isFinite(value) || value <= 0) throw new Error(`${flag} needs a number above 0`);
    return value;
  };
  return { until: Date.now() + valueOf("--minutes", 1) * 60_000, seed: valueOf("--seed", 1) };
}
