import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress, parseAddressBytes } from "../../src/address/parse-address.ts";
import { checkTexts, compareParsers, describe } from "./address-differential.ts";
import { oraclePeer, systemPeer, uvPeer } from "./address-peers.ts";
import { brokenParsers } from "./broken-parsers.ts";
import { rounds } from "../rounds.ts";

const SEED = 20_261_121;
const TEXTS = rounds({ short: 20_000, long: 1_000_000 });

test("the parser accepts exactly what the oracle, libuv and the C library accept, with the same bits", (t) => {
  const system = systemPeer();
  if (system === undefined) t.diagnostic("left out: no python3 on glibc to call the C library's inet_pton with");
  const peers = system === undefined ? [oraclePeer, uvPeer] : [oraclePeer, uvPeer, system];
  const result = compareParsers(parseAddress, peers, SEED, TEXTS);
  t.diagnostic(`seed ${SEED}: ${describe(result)}`);
  assert.deepEqual(result.disagreements.slice(0, 10), []);
  // The texts must be worth the comparison: neither nearly all good nor nearly all bad, and hardly any left out.
  assert.ok(result.accepted > TEXTS / 4 && result.accepted < 0.75 * TEXTS);
  for (const peer of peers) assert.ok(result.compared[peer.name]! > 0.9 * TEXTS);
});

test("bytes at any offset of a buffer, canonical forms and error positions are right for generated texts", (t) => {
  checkTexts(SEED + 1, TEXTS / 5);
  t.diagnostic(`seed ${SEED + 1}: ${TEXTS / 5} texts`);
});

for (const [fault, parse] of Object.entries(brokenParsers)) {
  test(`negative control: the comparison catches a parser that ${fault}`, () => {
    assert.notEqual(
      compareParsers(parse, [oraclePeer], SEED, rounds({ short: 10_000, long: 50_000 })).disagreements.length,
      0,
    );
  });
}

test("negative control: a parser that reads one byte too far is caught", () => {
  const greedy: typeof parseAddressBytes = (bytes, start, end, out) =>
    parseAddressBytes(bytes, start, Math.min(end + 1, bytes.length), out);
  assert.throws(() => checkTexts(SEED + 1, 1000, greedy), assert.AssertionError);
});
