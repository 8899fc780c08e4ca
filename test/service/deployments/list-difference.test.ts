/** What a change of a list adds and removes, against sets of single addresses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import type { Expression } from "../../../src/rulesets/export-rules.ts";
import { formatNamed } from "../../../src/service/deployments/deployment-formats.ts";
import { listDifference, type WrittenList } from "../../../src/service/deployments/list-difference.ts";
import { writingList } from "../../../src/service/sources/list-text.ts";
import { AddressSet } from "../../../src/sets/address-set.ts";
import { finished } from "../../../src/turns/finished.ts";
import { rounds } from "../../rounds.ts";
import { seededRandom } from "../../table/differential.ts";

const ROUNDS = rounds({ short: 500, long: 25_000 });
const SEED = 35;
/** Lists are of blocks of 32 addresses, one of each family. */
const BITS = 5;

interface Block {
  readonly family: 4 | 6;
  readonly first: number;
  /** In bits. */
  readonly size: number;
}

interface List extends WrittenList {
  /** The addresses that its files have. */
  readonly addresses: ReadonlySet<string>;
}

/** All can express everything but the second and the third one: no IPv6, and nothing wider than four addresses. */
const FORMATS: readonly (readonly [Expression, (block: Block) => boolean])[] = [
  [formatNamed("text"), () => true],
  [formatNamed("sophos"), ({ family }) => family === 4],
  [{ expresses: { 4: [{ from: 30, to: 32 }], 6: [{ from: 126, to: 128 }] } }, ({ size }) => size <= 2],
];

const random = seededRandom(SEED);

function anyList(): List {
  return listOf([...cut(4, anyMembers()), ...cut(6, anyMembers())]);
}

function listOf(blocks: readonly Block[], [expression, expresses] = FORMATS[random() % FORMATS.length]!): List {
  const prefixes = (family: 4 | 6) =>
    blocks.filter((block) => block.family === family).map((block) => parsePrefix(textOf(block)));
  const addresses = new Set(blocks.filter(expresses).flatMap(addressesIn));
  return { text: finished(writingList(prefixes)), expression, addresses };
}

function anyMembers(): ReadonlySet<number> {
  const members = new Set<number>();
  for (let left = random() % 4; left > 0; left--) {
    const count = 2 ** (random() % (BITS + 1));
    const first = Math.floor((random() % 2 ** BITS) / count) * count;
    for (let at = first; at < first + count; at++) members.add(at);
  }
  return members;
}

/** At random, so that the same addresses are written in several ways. */
function cut(family: 4 | 6, members: ReadonlySet<number>, first = 0, size = BITS): Block[] {
  const count = 2 ** size;
  const has = [...Array(count).keys()].filter((at) => members.has(first + at)).length;
  if (has === 0) return [];
  if (has === count && (size === 0 || random() % 3 > 0)) return [{ family, first, size }];
  return [...cut(family, members, first, size - 1), ...cut(family, members, first + count / 2, size - 1)];
}

function textOf({ family, first, size }: Block): string {
  return family === 4 ? `192.0.2.${first}/${32 - size}` : `2001:db8::${first.toString(16)}/${128 - size}`;
}

function addressesIn({ family, first, size }: Block): string[] {
  return Array.from({ length: 2 ** size }, (_, at) => textOf({ family, first: first + at, size: 0 }));
}

function lacking(one: List, other: List): AddressSet {
  return setOf([...one.addresses].filter((address) => !other.addresses.has(address)));
}

function setOf(texts: readonly string[]): AddressSet {
  return AddressSet.of(texts.map((text) => parsePrefix(text)));
}

const isSame = (one: AddressSet, other: AddressSet): boolean => one.symmetricDifference(other).isEmpty;

/** Two ways to get it wrong: by comparing lines, and by counting what the files leave out. */
const BROKEN: readonly ((one: List, other: List) => AddressSet)[] = [
  (one, other) => setOf([...linesOf(one)].filter((line) => !linesOf(other).has(line))),
  (one, other) => setOf([...linesOf(one)]).difference(setOf([...linesOf(other)])),
];

function linesOf({ text }: List): Set<string> {
  return new Set(`${String(text[4])}${String(text[6])}`.split("\n").filter((line) => line !== ""));
}

test("a difference has the addresses that the files of one list lack, whatever their prefixes and formats", async () => {
  const caught = BROKEN.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const [before, after] = [anyList(), anyList()];
    const { listed, unlisted } = await listDifference(before, after);
    const about = `round ${round}: ${[...linesOf(before)].join(" ")} -> ${[...linesOf(after)].join(" ")}`;
    assert.ok(isSame(listed, lacking(after, before)), about);
    assert.ok(isSame(unlisted, lacking(before, after)), about);
    for (const [index, broken] of BROKEN.entries()) if (!isSame(broken(after, before), listed)) caught[index]!++;
  }
  for (const count of caught) assert.ok(count > ROUNDS / 10, `broken variants were caught ${caught.join(", ")} times`);
});

test("the same addresses cut in another way are no difference", async () => {
  for (let round = 0; round < ROUNDS / 10; round++) {
    const members = anyMembers();
    const [one, other] = [listOf(cut(4, members), FORMATS[0]), listOf(cut(4, members), FORMATS[0])];
    const { listed, unlisted } = await listDifference(one, other);
    assert.deepEqual([listed.isEmpty, unlisted.isEmpty], [true, true]);
  }
});
