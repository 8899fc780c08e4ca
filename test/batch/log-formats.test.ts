import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { identify } from "../../src/batch/identify.ts";
import { Random } from "../../bench/data/random.ts";
import { LOG_FORMATS, type LogFormat } from "../cases/log-formats.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "./fixture.ts";

const SEED = 20261127;
const LINES = 300;

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);

function randomClient(random: Random, family: 4 | 6): string {
  if (family === 4) return `203.0.113.${random.below(256)}`;
  // Eight groups, so that a port behind them is one.
  return `2001:db8:${Array.from({ length: 6 }, () => (1 + random.below(0xffff)).toString(16)).join(":")}`;
}

/** The clients that `identify` reads in these lines: those of rows that have an address. */
async function clientsIn(text: string, field: string | number | undefined): Promise<string[]> {
  const path = join(folder, "a.log");
  const output = join(folder, "rows.tsv");
  writeFileSync(path, text);
  await identify({
    inputs: [path],
    snapshot,
    engine: ENGINE,
    format: "tsv",
    renderer: RENDERER,
    output: { path: output },
    ...(field !== undefined && { field }),
  });
  const rows = readFileSync(output, "utf8").split("\n");
  return rows.map((row) => row.split("\t")[0]!).filter((address) => address !== "" && address !== "ip");
}

function textOf({ name, head = "", line, v6 }: LogFormat, family: 4 | 6, clients: readonly string[]): string {
  const end = name === "CloudTrail" || name === "Kinesis Firehose" ? "" : "\n";
  const lines = clients.map((client) => (family === 6 && v6 !== undefined ? v6 : line).replaceAll("?", client) + end);
  if (name === "Kinesis Firehose") return lines.join("");
  return head + (name === "CloudTrail" ? `${lines.join("").slice(0, -1)}]}` : lines.join(""));
}

for (const format of LOG_FORMATS) {
  test(`every line of ${format.name} names its client`, async () => {
    const random = new Random(SEED);
    for (const family of [4, 6] as const) {
      const clients = Array.from({ length: LINES }, () => randomClient(random, family));
      const text = textOf(format, family, clients);
      assert.deepEqual(await clientsIn(text, format.field), clients, text.slice(0, 300));
    }
  });
}

test(`${LOG_FORMATS.length} formats, and one that names somebody else is noticed`, async () => {
  const relay = { name: "a relay", line: "10.1.1.1 forwarded ?" };
  assert.ok(LOG_FORMATS.length >= 40);
  assert.notDeepEqual(await clientsIn(textOf(relay, 4, ["203.0.113.7"]), undefined), ["203.0.113.7"]);
});
