import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readAsnTable } from "../../data/asn-table.ts";
import { buildNetworkCatalogue } from "../../data/build-catalogue.ts";
import {
  logChunks,
  SAMPLE_LINES,
  SAMPLE_SEED,
  sampleGroups,
  visitorsFrom,
  writeLog,
} from "../../data/make-sample-log.ts";
import { readProviders } from "../../data/providers.ts";
import { isAddress } from "../../src/address/parse-address.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { freeze } from "../../src/table/freeze.ts";

const COMBINED =
  /^(\S+) - - \[(\d\d)\/Jun\/2026:(\d\d:\d\d:\d\d) \+0000\] "(?:GET|POST|HEAD) \/\S* HTTP\/(?:1\.1|2\.0)" \d{3} \d+ "[^"]+" "[^"]+"$/;

const asnTable = readAsnTable();
const providers = readProviders();
const groups = sampleGroups(asnTable, providers, SAMPLE_SEED);
const visitors = visitorsFrom([asnTable.ipv4, asnTable.ipv6], 1000, 1);

function log(options: Partial<Parameters<typeof logChunks>[0]>): string {
  return Buffer.concat([...logChunks({ lines: 1000, seed: 1, groups: [{ share: 1, visitors }], ...options })]).toString(
    "latin1",
  );
}

function linesOf(text: string): string[] {
  assert.ok(text.endsWith("\n"));
  return text.slice(0, -1).split("\n");
}

describe("the sample log", () => {
  const lines = linesOf(log({ lines: SAMPLE_LINES, seed: SAMPLE_SEED, groups }));

  test("is in combined format, in chronological order", () => {
    assert.equal(lines.length, SAMPLE_LINES);
    let before = "";
    for (const line of lines) {
      const [, , day, time] = COMBINED.exec(line) ?? assert.fail(line);
      assert.ok(`${day} ${time}` >= before && day === "17", line);
      before = `${day} ${time}`;
    }
  });

  test("has all types, IPv6, unmatched addresses and lines without an address", (context) => {
    const { trie, metadata } = buildNetworkCatalogue(asnTable, providers);
    const catalogue = new Catalogue(metadata, freeze(trie));
    const counts: Record<string, number> = { lines: lines.length };
    const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
    for (const line of lines) {
      const client = line.slice(0, line.indexOf(" "));
      if (!isAddress(client)) count("without address");
      else {
        if (client.includes(":")) count("ipv6");
        const nodes = catalogue.nodesOf(catalogue.table.lookup(client));
        count(nodes[0]?.type ?? "unmatched");
      }
    }
    context.diagnostic(JSON.stringify(counts));
    const least = {
      isp: 600,
      cloud: 300,
      saas: 150,
      cdn: 40,
      bot: 60,
      security: 50,
      ipv6: 200,
      unmatched: 60,
      "without address": 3,
    };
    for (const [what, atLeast] of Object.entries(least)) assert.ok((counts[what] ?? 0) >= atLeast, what);
  });

  test("if the client is not an address, the line contains no other address", () => {
    const addressless = lines.filter((line) => !isAddress(line.slice(0, line.indexOf(" "))));
    for (const line of addressless) assert.ok(!line.split(/[^0-9a-fA-F:.]+/).some(isAddress), line);
  });
});

describe("a generated log", () => {
  test("is the same for the same seed, and different for another", () => {
    assert.equal(log({}), log({}));
    assert.notEqual(log({}), log({ seed: 2 }));
    assert.deepEqual(visitorsFrom([asnTable.ipv4], 5, 1), visitorsFrom([asnTable.ipv4], 5, 1));
  });

  test("has the requested lines and approximately the requested bytes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ipsieve-log-"));
    try {
      const path = join(folder, "access.log");
      await writeLog(path, { lines: 20_000, bytes: 20_000 * 191, seed: 3, groups: [{ share: 1, visitors }] });
      const text = readFileSync(path, "latin1");
      const lines = linesOf(text);
      assert.equal(lines.length, 20_000);
      assert.ok(Math.abs(text.length / (20_000 * 191) - 1) < 0.01, String(text.length));
      for (const line of lines) assert.match(line, COMBINED);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("draws its addresses from the given prefixes", () => {
    const one = {
      family: 4,
      wordsPerPrefix: 1,
      count: 1,
      words: Uint32Array.of(0xc6336400),
      lengths: Uint8Array.of(24),
      asns: Uint32Array.of(1),
    } as const;
    const six = {
      family: 6,
      wordsPerPrefix: 4,
      count: 1,
      words: Uint32Array.of(0x20010db8, 0x80000000, 0, 0),
      lengths: Uint8Array.of(33),
      asns: Uint32Array.of(1),
    } as const;
    const drawn = visitorsFrom([one, six], 200, 1).map((visitor) => visitor.address);
    for (const address of drawn) assert.match(address, /^(198\.51\.100\.\d+|2001:db8:[89a-f][0-9a-f]{3}:[0-9a-f:]+)$/);
    assert.ok(new Set(drawn).size > 100);
  });
});
