import { Random as SeededRandom } from "../../bench/data/random.ts";
import { MALFORMED_ADDRESSES, VALID_ADDRESSES } from "../cases/addresses.ts";

/** Random integers in [0, below). */
export type Random = (below: number) => number;

export function seededRandom(seed: number): Random {
  const random = new SeededRandom(seed);
  return (below) => random.below(below);
}

/**
 * Single characters for mutations: those of addresses, those that occur around them, and some with the same low byte.
 */
const CHARACTERS = [
  ..."0123456789abcdefABCDEF",
  ..."....::::",
  ..."%/[]-+,xXgG \t\n\0",
  "\u0131",
  "\u012e",
  "\u013a",
  "\uff11",
  "\u0664",
  "\u00b9",
  "\ud800",
];

/** The parts of malicious texts. */
const PIECES = [
  ..."0123456789abfF.:%/[]- ",
  ..."::...",
  "00",
  "01",
  "000",
  "0x1",
  "0377",
  "25",
  "99",
  "255",
  "256",
  "1000",
  "ffff",
  "FFFF",
  "0000",
  "00000",
  "fffff",
  "::ffff:",
  "1.2.3.4",
  "0.0.0.0",
  "1.2.3.",
  "1:2:3:",
  ":1:2:3",
  "0:0:0:0:0:",
  "%eth0",
  "/24",
  "\u0131",
];

const CASES = [...VALID_ADDRESSES, ...MALFORMED_ADDRESSES].map(([text]) => text);

/** Addresses, near misses, and texts made to confuse: a quarter, a half and a quarter. */
export function addressText(random: Random): string {
  switch (random(8)) {
    case 0:
      return quadText(random);
    case 1:
      return sixText(random);
    case 2:
    case 3:
      return mutated(quadText(random), random);
    case 4:
    case 5:
      return mutated(random(8) === 0 ? CASES[random(CASES.length)]! : sixText(random), random);
    case 6:
      return hostileText(random);
    default:
      return random(2) === 0 ? looseQuad(random) : looseIpv6(random);
  }
}

export function quadText(random: Random): string {
  return Array.from({ length: 4 }, () => octet(random)).join(".");
}

/** Numbers of digits, not values, are equally likely. */
function octet(random: Random): string {
  const edge = [0, 9, 10, 99, 100, 199, 200, 249, 250, 255];
  return String(random(3) === 0 ? edge[random(edge.length)] : random([10, 100, 256][random(3)]!));
}

/** A valid IPv6 address in any of its spellings. */
export function sixText(random: Random): string {
  const embedded = random(4) === 0;
  const groups = Array.from({ length: embedded ? 6 : 8 }, () => groupText(random));
  const tail = embedded ? [quadText(random)] : [];
  if (random(4) === 0) return [...groups, ...tail].join(":");
  const from = random(groups.length);
  const to = from + 1 + random(groups.length - from);
  return `${groups.slice(0, from).join(":")}::${[...groups.slice(to), ...tail].join(":")}`;
}

function groupText(random: Random): string {
  const value = [0, 0xffff, random(16), random(256), random(65536), random(65536)][random(6)]!;
  const digits = value.toString(16);
  const padded = random(4) === 0 ? digits.padStart(1 + random(4), "0") : digits;
  return random(3) === 0 ? padded.toUpperCase() : padded;
}

/** One to three small edits. */
function mutated(text: string, random: Random): string {
  let result = text;
  for (let edits = 1 + random(3); edits > 0; edits--) {
    const at = random(result.length + 1);
    const other = random(result.length + 1);
    const character = CHARACTERS[random(CHARACTERS.length)]!;
    const edit = [
      () => result.slice(0, at) + character + result.slice(at),
      () => result.slice(0, at) + result.slice(at + 1),
      () => result.slice(0, at) + character + result.slice(at + 1),
      () => result.slice(0, at) + result.charAt(at) + result.slice(at),
      () => result.slice(0, at),
      () => result.slice(at) + result.slice(0, at),
      () => result.slice(0, at) + result.slice(other),
    ][random(7)]!;
    result = edit();
  }
  return result;
}

function hostileText(random: Random): string {
  return Array.from({ length: 1 + random(10) }, () => PIECES[random(PIECES.length)]!).join("");
}

/** Numbers between dots, both often wrong. */
function looseQuad(random: Random): string {
  const numbers = Array.from({ length: 3 + random(3) }, () => {
    const number = random([10, 100, 300, 3000][random(4)]!);
    return random(8) === 0 ? `0${number}` : random(16) === 0 ? "" : String(number);
  });
  return numbers.join(random(16) === 0 ? ".." : ".");
}

/** Six to nine groups, with any number of :: at any positions. */
function looseIpv6(random: Random): string {
  const parts = Array.from({ length: 6 + random(4) }, () => (random(6) === 0 ? "" : groupText(random)));
  if (random(3) === 0) parts.push(quadText(random));
  return parts.join(":");
}
