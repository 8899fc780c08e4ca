import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import type { Address, Family, Prefix } from "../../src/address/address.ts";
import { trie, trieBytes } from "../../src/formats/data/trie.ts";

/** The file of these prefixes, which are sorted first. */
function fileOf(prefixes: readonly Prefix[]): Buffer {
  const entries = prefixes
    .toSorted(comparePrefixes)
    .map((prefix) => ({ prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 }));
  const about = { name: "x", title: "x", createdAt: 0, now: 0, purpose: "blocklist", serial: 1 } as const;
  const parts = [...trie.write({ kind: "rules", entries: () => entries, ...about })];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** A reader written from the specification alone; it works on strings of bits. */
class TrieReader {
  readonly #file: Buffer;
  readonly #count: number;
  #at = 0;

  constructor(file: Buffer) {
    this.#file = file;
    assert.equal(this.#take(9).toString("latin1"), "ELLIOTRIE");
    assert.equal(this.#take(2).readUInt16BE(), 2);
    assert.equal(this.#take(1).readUInt8(), 0);
    this.#count = this.#take(4).readUInt32BE();
    assert.equal(file.length, 9 + 2 + 1 + 3 * 4 + 9 * this.#count);
  }

  /** Whether a prefix covers the address. */
  has(address: Address): boolean {
    let node = this.#file.readUInt32BE(address.family === 4 ? 16 : 20);
    for (const [depth, bit] of [...`${bitsOf(address)}$`].entries()) {
      if (node === 0xffff_ffff) return false;
      assert.ok(node < this.#count, `there is no node ${node}`);
      const [left, right, flags] = this.#node(node);
      assert.equal(flags! >> 1, Math.min(depth, 127));
      if ((flags! & 1) === 1) return true;
      node = (bit === "1" ? right : left)!;
    }
    return false;
  }

  #node(number: number): number[] {
    const node = this.#file.subarray(24 + 9 * number);
    return [node.readUInt32BE(0), node.readUInt32BE(4), node.readUInt8(8)];
  }

  #take(bytes: number): Buffer {
    return this.#file.subarray(this.#at, (this.#at += bytes));
  }
}

function bitsOf({ family, w0, w1, w2, w3 }: Address): string {
  const words = family === 4 ? [w0] : [w0, w1, w2, w3];
  return words.map((word) => word.toString(2).padStart(32, "0")).join("");
}

/** Addresses where a prefix may begin or end. */
function* probesOf(prefixes: readonly Prefix[]): Generator<Address> {
  for (const family of [4, 6] as const) yield { family, w0: 0, w1: 0, w2: 0, w3: 0 };
  for (const prefix of prefixes) {
    const bits = prefix.family === 4 ? 32 : 128;
    yield prefix;
    for (const bit of [0, prefix.length - 1, prefix.length, bits - 1])
      if (bit >= 0 && bit < bits) yield flipped(prefix, bit);
  }
}

function flipped(address: Address, bit: number): Address {
  const word = `w${bit >> 5}` as "w0";
  return { ...address, [word]: (address[word] ^ (1 << (31 - (bit & 31)))) >>> 0 };
}

/** The number of addresses for which the file and the prefixes give different answers. */
function differences(prefixes: readonly Prefix[], file: Buffer): number {
  const reader = new TrieReader(file);
  let count = 0;
  for (const { family, w0, w1, w2, w3 } of probesOf(prefixes)) {
    const address = { family, w0, w1, w2, w3 };
    const host = prefixOf(address, family === 4 ? 32 : 128);
    if (reader.has(address) !== prefixes.some((prefix) => prefixContains(prefix, host))) count++;
  }
  return count;
}

const SMALL = ["0.0.0.0/1", "192.0.2.0/24", "192.0.2.128/25", "255.255.255.255", "::", "2001:db8::/32", "ffff::/16"];

test("a reader written from the specification finds what the prefixes cover, at every boundary", () => {
  const lists = [[], ["0.0.0.0/0"], ["::/0"], ["0.0.0.0/0", "::/0"], ["192.0.2.1"], ["2001:db8::1"], SMALL];
  for (const texts of lists) {
    const prefixes = texts.map((text) => parsePrefix(text));
    assert.equal(differences(prefixes, fileOf(prefixes)), 0, texts.join(" "));
  }
});

test("a family without prefixes has no root", () => {
  const roots = (texts: string[]) => {
    const file = fileOf(texts.map((text) => parsePrefix(text)));
    return [file.readUInt32BE(12), file.readUInt32BE(16), file.readUInt32BE(20)];
  };
  assert.deepEqual(roots([]), [0, 0xffff_ffff, 0xffff_ffff]);
  assert.deepEqual(roots(["192.0.2.0/24"]), [25, 0, 0xffff_ffff]);
  assert.deepEqual(roots(["2001:db8::/32"]), [33, 0xffff_ffff, 0]);
  assert.deepEqual(roots(["192.0.2.0/24", "2001:db8::/32"]), [58, 0, 25]);
});

test("random lists, including nested prefixes; the length is known in advance; a flipped bit is detected", (context) => {
  let state = 20_261_123;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const word = (): number => random(4) * 2 ** 30 + random(2 ** 30);
  let probes = 0;
  for (let round = 0; round < 100; round++) {
    const prefixes = Array.from({ length: 1 + random(40) }, () => {
      const family: Family = random(2) === 0 ? 4 : 6;
      const rest = family === 4 ? [0, 0, 0] : [word(), word(), word()];
      // Few different first words, so that prefixes share bits.
      const address = { family, w0: 0xc000_0200 + random(64), w1: rest[0]!, w2: rest[1]!, w3: rest[2]! };
      return prefixOf(address, random(family === 4 ? 33 : 129));
    });
    const file = fileOf(prefixes);
    const steps = trieBytes(prefixes.toSorted(comparePrefixes));
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    assert.equal(step.value, file.length);
    assert.equal(differences(prefixes, file), 0, prefixes.map(formatPrefix).join(" "));
    probes += 5 * prefixes.length + 2;
  }
  context.diagnostic(`${probes} addresses`);
  const prefixes = [parsePrefix("192.0.2.0/24")];
  const broken = fileOf(prefixes);
  broken[broken.length - 1]! ^= 1;
  assert.ok(differences(prefixes, broken) > 0, "the comparison finds an end that is missing");
  assert.equal(new TrieReader(fileOf(prefixes)).has(parseAddress("192.0.2.200")), true);
});
