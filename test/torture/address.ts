/**
 * R7: compares the address parser with the oracle, libuv and the C library for a given time: `npm run torture -- address
 * -- --minutes 5 [--seed N]`. Prints the counts; exits 1 at the first disagreement, with the seed of the texts that
 * show it. Starts with the negative controls: every broken parser must be noticed.
 */
import { parseArgs } from "node:util";
import { parseAddress } from "../../src/address/parse-address.ts";
import { checkTexts, compareParsers, describe, noAnswers } from "../address/address-differential.ts";
import { oraclePeer, systemPeer, uvPeer } from "../address/address-peers.ts";
import { brokenParsers } from "../address/broken-parsers.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string", default: "1" } },
});
const firstSeed = Number(values.seed);
const TEXTS = 200_000;

const controls = Object.values(brokenParsers);
const noticed = controls.filter(
  (parse) => compareParsers(parse, [oraclePeer], firstSeed, 50_000).disagreements.length > 0,
).length;
console.log(`negative controls: ${noticed} of ${controls.length} broken parsers noticed`);
if (noticed !== controls.length) process.exit(1);

const system = systemPeer();
if (system === undefined) console.log("left out: no python3 on glibc to call the C library's inet_pton with");
const peers = system === undefined ? [oraclePeer, uvPeer] : [oraclePeer, uvPeer, system];

const end = Date.now() + Number(values.minutes) * 60_000;
const total = noAnswers();
let seed = firstSeed;
for (; Date.now() < end; seed++) {
  const result = compareParsers(parseAddress, peers, seed, TEXTS, total);
  if (result.disagreements.length > 0) {
    console.error(`seed ${seed}:`, result.disagreements.slice(0, 20));
    process.exit(1);
  }
  checkTexts(seed, TEXTS / 4);
}
console.log(`seeds ${firstSeed} to ${seed - 1}: ${describe(total)}`);
