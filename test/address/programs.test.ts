import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Address, Prefix } from "../../src/address/address.ts";
import { AddressError } from "../../src/address/address-error.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { numberOf } from "./address-differential.ts";
import { withoutStacks } from "../../src/address/without-stacks.ts";
import { addressText, quadText, type Random, seededRandom, sixText } from "./address-texts.ts";
import { brokenParsers } from "./broken-parsers.ts";
import { type Answers, type Parser, PARSERS } from "./programs/parsers.ts";
import { rounds } from "../rounds.ts";

const SEED = 20_261_122;
const TEXTS = rounds({ short: 8_000, long: 40_000 });
const folder = temporaryFolder();
after(() => folder.remove());

/** An intended difference between another parser and ours. Each must occur, and no others may. */
interface Difference {
  readonly parsers: readonly string[];
  readonly kind: keyof Answers;
  /** It accepts what we reject, or the reverse. */
  readonly theirs: "takes" | "refuses";
  readonly text: RegExp;
  readonly why: string;
}

const DIFFERENCES: readonly Difference[] = [
  {
    parsers: ["CPython ipaddress", "Go net/netip"],
    kind: "address",
    theirs: "takes",
    text: /^[^%]*:[^%]*%./s,
    why: "a zone id names an interface of one machine: an error everywhere but in log lines",
  },
  {
    parsers: ["CPython ipaddress", "Go net/netip"],
    kind: "prefix",
    theirs: "takes",
    text: /^[^%/]*:[^%/]*%./s,
    why: "the same of a bare address, and in CPython of a prefix",
  },
  {
    parsers: ["CPython ipaddress"],
    kind: "prefix",
    theirs: "takes",
    text: /^[\d.]+\/\d+\.\d+\.\d+\.\d+$/,
    why: "a netmask, or a hostmask, in place of the length: which of them is a guess",
  },
  {
    parsers: ["CPython ipaddress"],
    kind: "prefix",
    theirs: "takes",
    text: /\/0\d+$/,
    why: "zeros in front of a length, which other parsers read as octal or refuse",
  },
];

/** Texts that are prefixes, nearly prefixes, and addresses. */
function prefixText(random: Random): string {
  const address = [() => quadText(random), () => sixText(random), () => addressText(random)][random(3)]!();
  const length = [
    () => String(random(33)),
    () => String(random(129)),
    () => String(random(1000)),
    () => `0${random(33)}`,
    () => quadText(random),
    () => "255.255.0.0",
    () => ["", "-1", "+8", " 8", "8 ", "8/8", "\uff18", "0x8", "1e1", "%eth0"][random(10)]!,
  ][random(7)]!();
  return `${random(3) === 0 ? masked(address, Number(length)) : address}/${length}`;
}

/** Clears the host bits of a quad: few generated prefixes have none. */
function masked(address: string, length: number): string {
  const octets = address.split(".").map(Number);
  if (octets.length !== 4 || !(length >= 0 && length <= 32)) return "0.0.0.0";
  return octets
    .map((octet, i) => octet & (0xff00 >> Math.min(8, Math.max(0, length - 8 * i))))
    .map((octet) => octet & 255)
    .join(".");
}

function generated(seed: number, count: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? addressText(random) : prefixText(random)));
}

type Parsers = { readonly address: (text: string) => Address; readonly prefix: (text: string) => Prefix };
const OURS: Parsers = { address: parseAddress, prefix: parsePrefix };

function ourAnswers(texts: readonly string[], { address, prefix }: Parsers): Answers[] {
  return withoutStacks(() =>
    texts.map((text) => ({ address: answer(text, address, ""), prefix: answer(text, prefix, "/") })),
  );
}

function answer(text: string, parse: (text: string) => Address | Prefix, separator: string): string {
  try {
    const parsed = parse(text);
    const { family, w0, w1, w2, w3 } = parsed;
    const digits = numberOf({ family, w0, w1, w2, w3 }).toString(16).padStart(32, "0");
    return separator === "" ? digits : `${digits}/${(parsed as Prefix).length + (family === 4 ? 96 : 0)}`;
  } catch (error) {
    if (error instanceof AddressError) return "-";
    throw error;
  }
}

/** The differences that no row explains, and the number of differences that each row explains. */
function compare(
  parser: Parser,
  texts: readonly string[],
  theirs: readonly Answers[],
  ours: readonly Answers[],
): { unexplained: string[]; explained: Map<Difference, number> } {
  const unexplained: string[] = [];
  const explained = new Map<Difference, number>();
  texts.forEach((text, i) => {
    for (const kind of ["address", "prefix"] as const) {
      const [their, our] = [theirs[i]![kind], ours[i]![kind]];
      if (their === our || their === "?") continue;
      const row = DIFFERENCES.find(
        (one) =>
          one.kind === kind &&
          one.parsers.includes(parser.name) &&
          (one.theirs === "takes" ? our : their) === "-" &&
          one.text.test(text),
      );
      if (row === undefined) unexplained.push(`${kind} ${JSON.stringify(text)}: ${parser.name} ${their}, ours ${our}`);
      else explained.set(row, (explained.get(row) ?? 0) + 1);
    }
  });
  return { unexplained, explained };
}

for (const parser of PARSERS) {
  describe(`${parser.name} and the library`, { skip: parser.missing }, () => {
    const texts = generated(SEED, TEXTS);
    let theirs: readonly Answers[] | undefined;
    const asked = (): readonly Answers[] => (theirs ??= parser.answers(texts, folder.path));

    test("agree about every text except for the documented differences", (t) => {
      const ours = ourAnswers(texts, OURS);
      const { unexplained, explained } = compare(parser, texts, asked(), ours);
      assert.deepEqual(unexplained.slice(0, 10), [], `${unexplained.length} in all`);
      const rows = DIFFERENCES.filter(({ parsers }) => parsers.includes(parser.name));
      for (const row of rows) assert.ok((explained.get(row) ?? 0) > 0, `nothing is left of: ${row.kind}: ${row.why}`);
      const taken = (kind: keyof Answers) => ours.filter((one) => one[kind] !== "-").length;
      t.diagnostic(
        `seed ${SEED}: ${TEXTS} texts, ${taken("address")} addresses and ${taken("prefix")} prefixes; ${[...explained.values()].reduce((sum, count) => sum + count, 0)} known differences`,
      );
      assert.ok(taken("address") > TEXTS / 10 && taken("prefix") > TEXTS / 10);
    });

    test("negative control: a parser with an error of its own is detected", () => {
      for (const [fault, address] of Object.entries(brokenParsers)) {
        // The parsers that also accept this, while ours does not.
        if (fault === "drops a zone id" && ["CPython ipaddress", "Go net/netip"].includes(parser.name)) continue;
        assert.ok(
          compare(parser, texts, asked(), ourAnswers(texts, { ...OURS, address })).unexplained.length > 0,
          fault,
        );
      }
    });

    test("negative control: a program that loses an answer is detected", () => {
      const silent: Parser = {
        ...parser,
        answers: (some) =>
          asked()
            .slice(0, some.length)
            .map((one, i) => (i === 2 ? { ...one, address: one.address === "-" ? "0".repeat(32) : "-" } : one)),
      };
      assert.equal(
        compare(silent, texts, silent.answers(texts, folder.path), ourAnswers(texts, OURS)).unexplained.length,
        1,
      );
    });
  });
}
