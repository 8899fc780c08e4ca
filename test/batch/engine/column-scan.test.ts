import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { identify } from "../../../src/batch/identify.ts";
import type { IdentifyOptions } from "../../../src/batch/identify-options.ts";
import { locateField } from "../../../src/batch/lines/fields/locate-field.ts";
import { fieldAddress } from "../../../src/batch/lines/fields/field-address.ts";
import { createFound } from "../../../src/batch/lines/find-address.ts";
import { KINDS, TEXT_SLACK, WORKSPACE_BYTES } from "../../../src/kernel/workspace.ts";
import { randomIpv6, randomQuad } from "../../kernel/random-lines.ts";
import { scanningKernel } from "../../kernel/scan-harness.ts";
import { rounds } from "../../rounds.ts";
import { makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";

const SEED = 20261123;
const TEXT_BYTES = 1 << 18;
const ROUNDS = rounds({ short: 40, long: 4000 });
const DELIMITERS = { csv: ",", tsv: "\t" };
type Syntax = keyof typeof DELIMITERS;

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);

/** What surrounds an address in a field, or stands in its place. */
const OTHERS = [
  "",
  "",
  "-",
  "x",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "01.2.3.4",
  "::",
  ":",
  "\r",
  " ",
  "\xef\xbb\xbf",
  "\0",
  ".",
];
const AROUND = [
  "?",
  " ?",
  "? ",
  "?/24",
  "?:80",
  "[?]",
  "[?]:80",
  "'?'",
  "?%eth0",
  "?.",
  "?x",
  "?\r",
  "? 1.1.1.1",
  "\xef\xbb\xbf?",
  "?\t?",
  "?,?",
];

function randomField(random: Random): string {
  const kind = random.below(10);
  if (kind < 2) return OTHERS[random.below(OTHERS.length)]!;
  const address = random.below(3) === 0 ? randomIpv6(random) : randomQuad(random);
  return kind < 8 ? address : AROUND[random.below(AROUND.length)]!.replaceAll("?", address);
}

function randomLine(random: Random, syntax: Syntax): string {
  const fields = Array.from({ length: random.below(7) }, () =>
    random.below(8) === 0 ? "y".repeat(random.below(90)) : randomField(random),
  );
  return fields.join(DELIMITERS[syntax]) + (random.below(6) === 0 ? "\r" : "");
}

function randomTable(random: Random, syntax: Syntax): Buffer {
  const lines = Array.from({ length: 1 + random.below(1500) }, () => randomLine(random, syntax));
  return Buffer.from(lines.join("\n") + (random.below(4) === 0 ? "" : "\n"), "latin1");
}

/** The number of lines whose column the kernel has decided, and not as the reference does. */
function differences(
  text: Buffer,
  syntax: Syntax,
  column: number,
  broken: number | null = null,
): [wrong: number, decided: number] {
  const room = scanningKernel(TEXT_BYTES);
  const { kernel, memory, at } = room;
  const bytes = Buffer.from(memory.buffer);
  if (broken !== null) bytes[at - WORKSPACE_BYTES + broken] = 1;
  text.copy(bytes, at);
  bytes[at + text.length] = 0x0a;
  const locate = locateField({ syntax, column });
  const found = createFound();
  const span = { bytes, start: 0, end: 0 };
  let [wrong, decided] = [0, 0];
  for (let next = at; next < at + text.length;) {
    next = kernel.scanColumn(next, at + text.length, DELIMITERS[syntax].charCodeAt(0), column);
    const words = new Map<number, string>();
    for (let index = 0; index < kernel.count4; index++) words.set(kernel.lines4[index]!, String(kernel.words4[index]));
    for (let index = 0; index < kernel.count6; index++)
      words.set(kernel.lines6[index]!, kernel.words6.subarray(4 * index, 4 * index + 4).join());
    const undecided = new Set(kernel.undecided.subarray(0, kernel.undecidedCount));
    for (let line = 0; line < kernel.chunkLines; line++) {
      if (undecided.has(line)) {
        if (words.has(line)) wrong++;
        continue;
      }
      const start = kernel.lineStarts[line]!;
      let end = kernel.lineStarts[line + 1]! - 1;
      if (end > start && bytes[end - 1] === 0x0d) end--;
      const family = locate(bytes, start, end, span) ? fieldAddress(bytes, span.start, span.end, "first", found) : 0;
      const expected = family === 0 ? undefined : found.subarray(0, family === 4 ? 1 : 4).join();
      if (words.get(line) !== expected) wrong++;
      decided++;
    }
  }
  return [wrong, decided];
}

test("what the kernel decides of a column is what the reference says", (t) => {
  const random = new Random(SEED);
  let all = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const syntax = random.below(2) === 0 ? "csv" : "tsv";
    const text = randomTable(random, syntax).subarray(0, TEXT_BYTES - TEXT_SLACK - 1);
    const [wrong, decided] = differences(text, syntax, random.below(6));
    assert.equal(wrong, 0, `seed ${SEED}, round ${round}`);
    all += decided;
  }
  t.diagnostic(`seed ${SEED}: ${all} lines decided`);
  assert.ok(all > 300 * ROUNDS);
});

test("a kernel that takes the letter g for a digit is caught", () => {
  const text = Buffer.from("x,1::g\n".repeat(10));
  assert.deepEqual(differences(text, "csv", 1), [0, 0]);
  assert.deepEqual(differences(text, "csv", 1, KINDS + 0x67), [10, 10]);
});

async function result(options: Partial<IdentifyOptions> & Pick<IdentifyOptions, "inputs">): Promise<unknown> {
  const output = join(folder, "rows");
  const { lines, addresses, matched, top, perMatch } = await identify({
    snapshot,
    format: "tsv",
    renderer: RENDERER,
    threads: 1,
    ...options,
    ...(options.format !== "none" && { output: { path: output } }),
  });
  const rows = options.format === "none" ? "" : readFileSync(output, "latin1");
  return { lines, addresses, matched, top, perMatch: [...perMatch], rows };
}

test("runs over columns give the same with both engines: rows, counts, line numbers, tables with quotes and without", async () => {
  const random = new Random(SEED);
  for (const syntax of ["csv", "tsv"] as const) {
    for (const quote of ["", '"']) {
      const path = join(folder, `table-${syntax}`);
      const lines = Array.from(
        { length: 6000 },
        () => `${randomLine(random, syntax)}${syntax === "csv" ? "," : "\t"}${quote}${randomQuad(random)}${quote}`,
      );
      writeFileSync(path, Buffer.from(`${lines.join("\n")}\n`, "latin1"));
      for (const options of [
        { format: "tsv" },
        { format: "jsonl", rows: "matched" },
        { format: "none", topAddresses: 20 },
        { format: "none", countMatches: true },
        { format: "append" },
        { format: "tsv", address: "last" },
        { format: "tsv", field: undefined },
      ] as const) {
        const both = [];
        for (const engine of ["webassembly", "typescript"] as const)
          both.push(
            await result({
              inputs: [path],
              engine,
              field: 2,
              fieldSyntax: syntax,
              header: false,
              limits: { shardBytes: 50_000 },
              ...options,
            }),
          );
        assert.deepEqual(both[0], both[1], `${syntax} ${JSON.stringify(options)}`);
      }
    }
  }
});
