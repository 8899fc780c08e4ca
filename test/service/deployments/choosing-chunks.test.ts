import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../../src/address/address.ts";
import { chunkOf } from "../../../src/service/deployments/divide-list.ts";
import { choosingChunks } from "../../../src/service/deployments/feed-files.ts";
import { type ListText, prefixesOfList, writingList } from "../../../src/service/sources/list-text.ts";
import type { DeploymentDefinition } from "../../../src/store/records/deployment.ts";
import { inSlices } from "../../../src/turns/in-slices.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const FORTINET = { device: "fortinet-7.4.3", firewall_format: "fortinet" };
const MOST = 130_000;

/** Every other address, starting at 10.0.0.0. */
function* hosts(count: number): Generator<Prefix> {
  for (let at = 0; at < count; at++) yield { family: 4, w0: 0x0a00_0000 + 2 * at, w1: 0, w2: 0, w3: 0, length: 32 };
}

const textOf = (count: number): Promise<ListText> =>
  inSlices(writingList((family) => (family === 4 ? hosts(count) : [])));
const [full, tooLong] = await Promise.all([textOf(MOST), textOf(MOST + 1)]);
const chunksOf = (changes: Partial<DeploymentDefinition>, text: ListText, before?: number) =>
  inSlices(choosingChunks(definitionOf(changes), text, before));

test("a list for FortiOS up to 7.4.3 begins in as many files as it needs, each within its limit", async () => {
  assert.equal(await chunksOf(FORTINET, full), 1);
  assert.equal(await chunksOf(FORTINET, tooLong), 2);
  const counts = [0, 0];
  for (const prefix of prefixesOfList(tooLong[4])) counts[chunkOf(prefix, 2)]!++;
  assert.equal(counts[0]! + counts[1]!, MOST + 1);
  assert.ok(Math.max(...counts) <= MOST);
});

test("one file whose URL devices have stays one, and files stay as many as they are", async () => {
  assert.equal(await chunksOf(FORTINET, tooLong, 1), 1);
  assert.equal(await chunksOf(FORTINET, full, 2), 2);
  assert.equal(
    await chunksOf({ ...FORTINET, options: { chunk_entries: 100_000 } }, tooLong, 1),
    2,
    "as it was asked for",
  );
});

test("no other list is split by itself", async () => {
  assert.equal(await chunksOf({ firewall_format: "fortinet" }, tooLong), 1, "no device");
  assert.equal(await chunksOf({ ...FORTINET, firewall_format: "rpz" }, tooLong), 1, "a zone has one file");
  assert.equal(await chunksOf({ ...FORTINET, options: { overflow: "fit" } }, tooLong), 1, "it is shortened");
});
