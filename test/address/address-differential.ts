import assert from "node:assert/strict";
import type { Address } from "../../src/address/address.ts";
import { AddressError } from "../../src/address/address-error.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { addressErrorOf, parseAddress, parseAddressBytes } from "../../src/address/parse-address.ts";
import { oracleFormat } from "../oracle/address-oracle.ts";
import { addressText, seededRandom } from "./address-texts.ts";
import type { Random } from "./address-texts.ts";
import { withoutStacks } from "../../src/address/without-stacks.ts";
import type { Answer, Peer } from "./address-peers.ts";

export interface Disagreement {
  peer: string;
  text: string;
  ours: string;
  theirs: string;
}

export interface Differential {
  texts: number;
  accepted: number;
  /** Answers compared, by the name of the peer. */
  compared: Record<string, number>;
  abstained: Record<string, number>;
  disagreements: Disagreement[];
}

export type Parse = (text: string) => Address;

export function noAnswers(): Differential {
  return { texts: 0, accepted: 0, compared: {}, abstained: {}, disagreements: [] };
}

/** Compares the parser with every peer on `count` generated texts; the outcome is added to `result`. */
export function compareParsers(
  parse: Parse,
  peers: readonly Peer[],
  seed: number,
  count: number,
  result: Differential = noAnswers(),
): Differential {
  const random = seededRandom(seed);
  for (let left = count; left > 0; left -= 100_000) {
    const texts = Array.from({ length: Math.min(100_000, left) }, () => addressText(random));
    const ours = withoutStacks(() => texts.map((text) => answerOf(parse, text)));
    result.texts += texts.length;
    result.accepted += ours.filter((answer) => answer !== null).length;
    for (const peer of peers) comparePeer(peer, texts, ours, result);
  }
  return result;
}

function comparePeer(peer: Peer, texts: readonly string[], ours: readonly Answer[], result: Differential): void {
  let compared = 0;
  let abstained = 0;
  peer.answers(texts).forEach((theirs, index) => {
    if (theirs === undefined) {
      abstained++;
      return;
    }
    compared++;
    if (theirs === ours[index]) return;
    result.disagreements.push({
      peer: peer.name,
      text: texts[index]!,
      ours: String(ours[index]),
      theirs: String(theirs),
    });
  });
  result.compared[peer.name] = (result.compared[peer.name] ?? 0) + compared;
  result.abstained[peer.name] = (result.abstained[peer.name] ?? 0) + abstained;
}

function answerOf(parse: Parse, text: string): Answer {
  try {
    return numberOf(parse(text));
  } catch (error) {
    if (error instanceof AddressError) return null;
    throw error;
  }
}

/**
 * The 128 bits. A mapped address stored as IPv6 would be indistinguishable from the IPv4 one here, so it is rejected.
 */
export function numberOf(address: Address): bigint {
  const { family, w0, w1, w2, w3 } = address;
  const number = [w0, w1, w2, w3].reduce((value, word) => (value << 32n) | BigInt(word), 0n);
  if (family === 6) {
    assert.notEqual(number >> 32n, 0xffffn, "a mapped address was left as IPv6");
    return number;
  }
  assert.equal(w1 | w2 | w3, 0, "an IPv4 address has more than one word");
  return (0xffffn << 32n) | BigInt(w0);
}

/**
 * Checks what the peers cannot: the same text gives the same result from bytes in the middle and at the end of a buffer
 * whose other bytes would continue it; an accepted text has the canonical form of the oracle and survives a round trip;
 * and the error of a rejected one points into it. Throws at the first check that fails.
 */
export function checkTexts(seed: number, count: number, parseBytes = parseAddressBytes): void {
  const random = seededRandom(seed);
  for (let index = 0; index < count; index++) {
    const text = addressText(random);
    const result = parseText(text);
    if (/^[\0-\x7f]*$/.test(text))
      assert.deepEqual(parseInBuffer(text, random, parseBytes), result, `bytes of ${JSON.stringify(text)}`);
    if ("error" in result) {
      const { value, position } = addressErrorOf(result.error, text);
      assert.equal(value, text);
      assert.ok(position >= 0 && position <= text.length && position <= 46, `${position} in ${JSON.stringify(text)}`);
    } else {
      const canonical = formatAddress(result);
      assert.equal(canonical, oracleFormat(numberOf(result)), text);
      assert.deepEqual(parseAddress(canonical), result, text);
    }
  }
}

type Result = Address | { error: number };

function parseText(text: string): Result {
  const bytes = Uint8Array.from(text, (character) => Math.min(character.charCodeAt(0), 0xff));
  return parseSpan(bytes, 0, bytes.length, parseAddressBytes);
}

function parseInBuffer(text: string, random: Random, parseBytes: typeof parseAddressBytes): Result {
  const neighbours = "0123456789abcdef.:";
  const before = random(20);
  const after = random(2) === 0 ? 0 : random(20);
  const bytes = new Uint8Array(before + text.length + after).map(() =>
    neighbours.charCodeAt(random(neighbours.length)),
  );
  for (let at = 0; at < text.length; at++) bytes[before + at] = text.charCodeAt(at);
  return parseSpan(bytes, before, before + text.length, parseBytes);
}

function parseSpan(bytes: Uint8Array, start: number, end: number, parseBytes: typeof parseAddressBytes): Result {
  const out = new Uint32Array(4);
  const result = parseBytes(bytes, start, end, out);
  if (result === 4) return { family: 4, w0: out[0]!, w1: 0, w2: 0, w3: 0 };
  if (result === 6) return { family: 6, w0: out[0]!, w1: out[1]!, w2: out[2]!, w3: out[3]! };
  assert.ok(result < 0);
  return { error: result };
}

/** The counts in one line. */
export function describe({ texts, accepted, compared, abstained, disagreements }: Differential): string {
  const peers = Object.entries(compared).map(([name, count]) => `${name} ${count} (${abstained[name]} abstained)`);
  return `${texts} texts, ${accepted} accepted; compared with ${peers.join(", ")}: ${disagreements.length} disagreements`;
}
