import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { formatPrefix } from "../../../src/address/prefix.ts";
import type { Family } from "../../../src/address/address.ts";
import { type ListEntry, readList } from "../../../src/cli/rule-lists/read-list.ts";
import { seededRandom } from "../../table/differential.ts";
import { temporaryFolder } from "../run-command.ts";

const SEED = 20_261_123;

let folder: ReturnType<typeof temporaryFolder>;
before(() => {
  folder = temporaryFolder({});
});
after(() => folder.remove());

/** Every form of line: those that are read from bytes, those that only look as if they were, and those that are not. */
const FORMS: readonly ((random: () => number) => string)[] = [
  (random) => `${random() % 256}.${random() % 300}.${random() % 256}.${random() % 256}`,
  (random) => `  10.${random() % 256}.0.0/16\t`,
  (random) => `10.${random() % 256}.${random() % 4}.0/${random() % 40}`,
  (random) => `2001:db8:${(random() & 0xffff).toString(16)}::/${48 + (random() % 20)}`,
  (random) => `2001:DB8::${(random() & 0xffff).toString(16)}\r`,
  (random) => `::ffff:192.0.2.${random() % 256}`,
  (random) => `::ffff:192.0.2.${(random() % 8) * 32}/${120 + (random() % 12)}`,
  (random) => `0.0.0.0/${random() % 2}${random() % 10}`,
  () => "192.0.2.0/",
  () => "192.0.2.0/-1",
  () => "192.0.2.0/24/24",
  () => "/24",
  () => "192.0.2.1,office",
  () => '"192.0.2.1"',
  () => "192.0.2.1-192.0.2.9",
  () => "192.0.2.1 # why",
  () => "\ufeff192.0.2.1",
  () => "192.0.2.1\u00a0",
  () => "::/8",
  () => "192.0.2.1\r\r",
  () => "",
  () => " \t\r",
  (random) => `# ${"long ".repeat(random() % 30_000)}`,
];

/** What a list is read as: an item for each line that is not empty, from its bytes alone where `fromBytes` is set. */
async function linesOf(path: string, fromBytes: boolean): Promise<{ read: string[]; plain: number }> {
  const read: string[] = [];
  let plain = 0;
  const entry = ({ prefixes, labels }: ListEntry): void =>
    void read.push([...prefixes.map(formatPrefix), ...labels].join());
  await readList(
    path,
    entry,
    ({ line, message }) => void read.push(`line ${line}: ${message}`),
    { expiry: null, name: null },
    ({ family, length, words: [w0, w1, w2, w3] }) => {
      if (!fromBytes) return false;
      plain++;
      read.push(formatPrefix({ family: family as Family, w0: w0!, w1: w1!, w2: w2!, w3: w3!, length }));
      return true;
    },
  );
  return { read, plain };
}

test("reading from bytes equals reading lines one by one, wherever the chunks of a file end", async (t) => {
  const random = seededRandom(SEED);
  const path = join(folder.path, "lines.txt");
  const lines = Array.from({ length: 20_000 }, (_, i) =>
    FORMS[i % 50 === 0 ? FORMS.length - 1 : random() % (FORMS.length - 1)]!(random),
  );
  writeFileSync(path, `\ufeff192.0.2.7\n${lines.join("\n")}`);
  const [bytes, texts] = [await linesOf(path, true), await linesOf(path, false)];
  t.diagnostic(`${texts.read.length} lines, ${bytes.plain} of them read from bytes`);
  assert.deepEqual(bytes.read, texts.read);
  assert.equal(texts.plain, 0);
  assert.ok(bytes.plain > 3_000 && bytes.plain < texts.read.length / 2);
  assert.equal(bytes.read[0], "192.0.2.7");
});
