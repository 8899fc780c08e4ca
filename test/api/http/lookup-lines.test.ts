import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { lookUpLines, type LookUpTexts } from "../../../src/api/http/lookup-lines.ts";
import { lookUpTexts } from "../../../src/cti/bulk-lookup.ts";
import { CtiDataset } from "../../../src/cti/dataset.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

test("a chunk of invalid lines, whose response is fifty times as long, is answered in pieces, and other work runs in between", async () => {
  const { metadata, table } = await openSnapshot(THREATS);
  const lines = 32_768;
  let lookups = 0;
  let turns = 0;
  let isOver = false;
  const takeTurn = (): void => void (!isOver && ++turns && setImmediate(takeTurn));
  setImmediate(takeTurn);
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from("x\n".repeat(lines));
  }
  const answers: string[] = [];
  const dataset = new CtiDataset(metadata, table);
  const lookUp: LookUpTexts = (texts) => lookUpTexts(dataset, texts, (count) => (lookups += count));
  for await (const text of lookUpLines(lookUp, body())) answers.push(text);
  isOver = true;
  const all = answers.join("").trimEnd().split("\n");
  assert.deepEqual([all.length, lookups], [lines, lines]);
  assert.deepEqual(JSON.parse(all.at(-1)!), {
    line: lines,
    error: '"x" at position 0: the character "x" is not valid in an address',
  });
  assert.ok(
    answers.every(({ length }) => length < 256 << 10),
    "no piece of the answer takes much memory while it waits to be read",
  );
  assert.ok(turns >= 8 && answers.length >= 8, `${turns} turns, ${answers.length} pieces`);
});

test("a malformed line of JSON, or one with a repeated address, is an error with its position", async () => {
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from('"8.8.\n{"ip":"1.1.1.1","ip":"8.8.8.8"}\n{"ip":"8.8.8.8"}}\n{"ip":"1.1.1.1","a":{"a":1}}\n');
  }
  let text = "";
  for await (const answers of lookUpLines((ips) => ips.map((ip) => JSON.stringify(ip)), body())) text += answers;
  assert.deepEqual(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      { line: 1, error: 'invalid JSON: unexpected "\\"" at position 0' },
      { line: 2, error: "duplicate property at position 16; send it once" },
      { line: 3, error: 'invalid JSON: unexpected "}" at position 16' },
      "1.1.1.1",
    ],
  );
});
