import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { LOG_FORMATS, type LogFormat } from "../cases/log-formats.ts";
import { clientsIn, randomClient } from "./clients-in.ts";

const SEED = 20261127;
const LINES = 300;

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
