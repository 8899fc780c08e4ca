import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { checkTexts, compareParsers, describe } from "./address-differential.ts";
import type { Parse } from "./address-differential.ts";
import { oraclePeer, systemPeer, uvPeer } from "./address-peers.ts";

const SEED = 20_261_121;

test("the parser accepts exactly what the oracle, libuv and the C library accept, with the same bits", (t) => {
  const system = systemPeer();
  if (system === undefined) t.diagnostic("left out: no python3 on glibc to call the C library's inet_pton with");
  const peers = system === undefined ? [oraclePeer, uvPeer] : [oraclePeer, uvPeer, system];
  const result = compareParsers(parseAddress, peers, SEED, 1_000_000);
  t.diagnostic(`seed ${SEED}: ${describe(result)}`);
  assert.deepEqual(result.disagreements.slice(0, 10), []);
  // The texts must be worth the comparison: neither nearly all good nor nearly all bad, and hardly any left out.
  assert.ok(result.accepted > 250_000 && result.accepted < 750_000);
  for (const peer of peers) assert.ok(result.compared[peer.name]! > 900_000);
});

test("bytes anywhere in a buffer, canonical forms and error positions hold for generated texts", (t) => {
  checkTexts(SEED + 1, 200_000);
  t.diagnostic(`seed ${SEED + 1}: 200000 texts`);
});

const broken: Record<string, Parse> = {
  "accepts leading zeros": (text) => parseAddress(text.replace(/(^|[.:])0+(?=[0-9]+\.)/g, "$1")),
  "keeps only the low byte of a character": (text) => parseAddress(text.replace(/[^\0-\xff]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) & 255))),
  "lets :: stand for no group": (text) => parseAddress(text.split(/::?/).length === 8 ? text.replace("::", ":") : text),
  "drops a zone id": (text) => parseAddress(text.replace(/%.*/, "")),
  "trims": (text) => parseAddress(text.trim()),
  "loses the last bit": (text) => {
    const address = parseAddress(text);
    return address.family === 4 ? { ...address, w0: (address.w0 & -2) >>> 0 } : address;
  },
};

for (const [fault, parse] of Object.entries(broken)) {
  test(`negative control: the comparison catches a parser that ${fault}`, () => {
    assert.notEqual(compareParsers(parse, [oraclePeer], SEED, 50_000).disagreements.length, 0);
  });
}
