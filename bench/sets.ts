/**
 * `node bench/sets.ts [--family 4|6] [--count N] [--rounds N] [--python PATH]`: sets of addresses, text to text: `ipsieve
 * sets aggregate` of N prefixes (1,000,000) and `subtract` of a tenth as many, beside `iprange` (IPv4) and, of the Python
 * at PATH, aggregate6 and netaddr, each where it is installed. Whole commands from `dist` in turns: seconds of user and
 * system time, median and (minimum). Ends with an error if they do not print the same prefixes. `/usr/bin/time` of GNU
 * is needed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Family, Prefix } from "../src/address/address.ts";
import { formatPrefix, prefixOf } from "../src/address/prefix.ts";
import { Random } from "./data/random.ts";
import { summarize } from "./figures/part.ts";
import { IPSIEVE } from "./figures/whole-command.ts";

const { values } = parseArgs({
  options: {
    family: { type: "string", default: "6" },
    count: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
    python: { type: "string" },
  },
});
const family = Number(values.family) as Family;
const count = Number(values.count);

/** Half of them single addresses; the others networks as published lists have them. */
function* prefixes(random: Random, many: number): Generator<Prefix> {
  for (let at = 0; at < many; at++) {
    const isHost = random.below(2) === 0;
    if (family === 4) {
      const w0 = 0x01000000 + random.below(0xde000000);
      yield prefixOf({ family, w0, w1: 0, w2: 0, w3: 0 }, isHost ? 32 : 24 + random.below(9));
      continue;
    }
    // Some ten thousand networks of providers.
    const w0 = (0x20010000 + 977 * random.below(10_000)) >>> 0;
    const address = { family, w0, w1: random.word(), w2: random.word(), w3: random.word() };
    yield prefixOf(address, isHost ? 128 : 40 + random.below(25));
  }
}

function listOf(path: string, seed: number, many: number): string {
  const lines: string[] = [];
  for (const prefix of prefixes(new Random(seed), many)) lines.push(formatPrefix(prefix));
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const AGGREGATE = `
import sys, netaddr
for cidr in netaddr.cidr_merge([line.strip() for line in open(sys.argv[1])]): print(cidr)
`;
const SUBTRACT = `
import sys, netaddr
read = lambda path: netaddr.IPSet([line.strip() for line in open(path)])
for cidr in (read(sys.argv[1]) - read(sys.argv[2])).iter_cidrs(): print(cidr)
`;

type Contender = readonly [name: string, command: readonly string[]];

function contenders(one: string, other: string): Record<"aggregate" | "subtract", Contender[]> {
  const own = (name: string, ...lists: string[]): Contender => ["ipsieve", [...IPSIEVE, "sets", name, ...lists]];
  const { python } = values;
  const has = (module: string): boolean =>
    python !== undefined && spawnSync(python, ["-c", `import ${module}`]).status === 0;
  const hasIprange = family === 4 && spawnSync("iprange", ["--version"]).error === undefined;
  return {
    aggregate: [
      own("aggregate", one),
      ...(hasIprange ? [["iprange", ["iprange", "--optimize", one]] as const] : []),
      ...(has("aggregate6") ? [["aggregate6", [python!, "-m", "aggregate6", one]] as const] : []),
      ...(has("netaddr") ? [["netaddr", [python!, "-c", AGGREGATE, one]] as const] : []),
    ],
    subtract: [
      own("subtract", one, other),
      ...(hasIprange ? [["iprange", ["iprange", one, "--except", other]] as const] : []),
      ...(has("netaddr") ? [["netaddr", [python!, "-c", SUBTRACT, one, other]] as const] : []),
    ],
  };
}

/** Seconds of user and system time, and what it printed. */
function measured([name, command]: Contender): { seconds: number; printed: string } {
  const { status, stdout, stderr } = spawnSync("/usr/bin/time", ["-f", "%U %S", ...command], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  const [user, system] = stderr.trim().split("\n").at(-1)!.split(" ").map(Number);
  return { seconds: user! + system!, printed: canonical(stdout) };
}

/** Programs differ in whether a single address has a length. */
function canonical(stdout: string): string {
  return stdout.trim().replaceAll(family === 4 ? /\/32$/gm : /\/128$/gm, "");
}

function measure(what: string, all: readonly Contender[]): void {
  const times = new Map<string, number[]>(all.map(([name]) => [name, []]));
  let lines = "";
  for (let round = 0; round < Number(values.rounds); round++)
    for (const contender of all) {
      // What takes long is measured once.
      if (round > 0 && times.get(contender[0])![0]! > 5) continue;
      const { seconds, printed } = measured(contender);
      times.get(contender[0])!.push(seconds);
      if (lines !== "" && printed !== lines) throw new Error(`${contender[0]} prints other prefixes`);
      lines = printed;
    }
  console.log(`${what}: ${lines.split("\n").length} prefixes`);
  for (const [name, seconds] of times) {
    const { median, best } = summarize(seconds);
    console.log(`  ${name}: ${median.toFixed(2)} (${best.toFixed(2)}) s`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "ipsieve-sets-"));
try {
  const one = listOf(join(folder, "one.txt"), 1, count);
  const other = listOf(join(folder, "other.txt"), 2, count / 10);
  for (const [what, all] of Object.entries(contenders(one, other))) measure(what, all);
} finally {
  rmSync(folder, { recursive: true });
}
