/*
 * npm run mutate -- ROOM... [--seed N] [--mutants N] [--minutes N] [--seconds N] [--own] [--longest N] [--all]
 *
 * How much the tests would notice: gives a copy of the checkout one small fault after the other, a sample of those
 * that the files of a room (a folder of src/) can have, and runs the test files that run the place, at most 20, the
 * quickest first, until one fails. Prints the faults that none notices (with --all, the others too). A test file that
 * takes three times as long as without the fault, where what it runs was counted, and --seconds more, counts as one
 * that notices it. What cannot be noticed is listed with its reason in test/mutants/equivalent.json. With --own, only
 * the test files that are about the room are run, not those that import it, and with --longest, only those that take so
 * many seconds: a first look.
 */
import { hash } from "node:crypto";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CopiedCheckout } from "./copied-checkout.ts";
import { type Mutant, mutantsOf } from "./mutants-of.ts";
import { isReached, type Reach, reachOf } from "./reach.ts";
import { testsOf } from "./tests-of.ts";

const { values, positionals: rooms } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    mutants: { type: "string", default: "60" },
    minutes: { type: "string", default: "30" },
    seconds: { type: "string", default: "10" },
    longest: { type: "string", default: "120" },
    own: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
  },
});
const root = process.cwd();
const KERNEL = "src/kernel/assembly/";
const KEPT = join(root, "test/output/mutants");
const GENERATED = ["**/_operations.ts", "src/kernel/_module.ts", "**/*.d.ts"];

type Result = "killed" | "equivalent" | "survived" | "not reached" | "invalid";

function numberOf(option: "seed" | "mutants" | "minutes" | "seconds" | "longest"): number {
  const number = Number(values[option]);
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`--${option} takes a whole number from 1`);
  return number;
}

function sourcesOf(room: string): readonly string[] {
  const files = globSync(`src/${room}/**/*.{ts,tsx}`, { cwd: root, exclude: GENERATED }).toSorted();
  if (files.length === 0) throw new RangeError(`no such room: src/${room} has no sources`);
  return files;
}

/**
 * That many mutants, in the same order for the same seed: a larger sample begins with the smaller one, and one after an
 * edit has the same mutants but for those of the edit.
 */
function sample(mutants: readonly Mutant[], seed: number, count: number): readonly Mutant[] {
  return mutants
    .map((mutant) => ({ mutant, order: hash("sha256", `${seed} ${mutant.file} ${mutant.key}`) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/**
 * The mutants of earlier runs that were killed, with the source that they were of: kept, so that a run after tests were
 * added tries only those that survived. Delete the folder to try all of them again.
 */
class Killed {
  readonly #path = join(KEPT, "killed.txt");
  readonly #known = new Set(existsSync(this.#path) ? readFileSync(this.#path, "utf8").split("\n") : []);

  has(mutant: Mutant, source: string): boolean {
    return this.#known.has(this.#lineOf(mutant, source));
  }

  add(mutant: Mutant, source: string): void {
    mkdirSync(KEPT, { recursive: true });
    appendFileSync(this.#path, `${this.#lineOf(mutant, source)}\n`);
  }

  #lineOf({ file, key }: Mutant, source: string): string {
    return `${hash("sha256", source).slice(0, 16)} ${file} ${key}`;
  }
}

/** How many test files a mutant is shown to. */
const MOST = 20;

/**
 * The test files of a room. What each of them runs is only found out when a mutant has survived those before it: there
 * may be a hundred of them.
 */
class RoomTests {
  readonly #copy: CopiedCheckout;
  readonly #own: readonly string[];
  readonly #others: readonly string[];
  readonly #failing = new Set<string>();
  readonly #seconds = new Map<string, number>();

  constructor(copy: CopiedCheckout, room: string) {
    this.#copy = copy;
    const { own, others } = testsOf(copy.path, room);
    this.#own = own;
    this.#others = values.own ? [] : others;
    if (this.count === 0) throw new Error(`no test file is about src/${room}`);
  }

  get count(): number {
    return this.#own.length + this.#others.length;
  }

  /**
   * The tests that run the place of a mutant, one by one: those about the room, then the others, of each the quickest
   * first of those that are known. The mutant must not be in the copy when the next one is asked for.
   */
  async *reaching(mutant: Mutant): AsyncGenerator<readonly [test: string, reach: Reach]> {
    const secondsOf = (test: string) => this.#seconds.get(test) ?? Number.MAX_VALUE;
    let left = MOST;
    for (const tests of [this.#own, this.#others])
      for (const test of tests.toSorted((a, b) => secondsOf(a) - secondsOf(b))) {
        if (this.#failing.has(test)) continue;
        const reach = await this.#reachOf(test, mutant.file);
        if (!reach.passed || reach.seconds > numberOf("longest")) continue;
        if (!mutant.file.startsWith(KERNEL) && !isReached(reach, mutant.file, mutant.start)) continue;
        yield [test, reach];
        if (--left === 0) return;
      }
  }

  async #reachOf(test: string, source: string): Promise<Reach> {
    const reach = await reachOf(this.#copy, test, source, KEPT);
    if (!reach.passed && !this.#failing.has(test)) console.log(`left out, as it fails without a mutant: ${test}`);
    if (!reach.passed) this.#failing.add(test);
    this.#seconds.set(test, reach.seconds);
    return reach;
  }
}

async function resultOf(copy: CopiedCheckout, mutant: Mutant, tests: RoomTests): Promise<[Result, string]> {
  let shown = 0;
  for await (const [test, { seconds }] of tests.reaching(mutant)) {
    const takeBack = copy.apply(mutant);
    try {
      if (mutant.file.startsWith(KERNEL) && !copy.compileKernel()) return ["invalid", "does not compile"];
      const { outcome } = await copy.run(test, numberOf("seconds") + 5 * seconds);
      if (outcome !== "passed") return ["killed", `${test} ${outcome}`];
    } finally {
      takeBack();
    }
    shown++;
  }
  return shown === 0 ? ["not reached", ""] : ["survived", `${shown} test files`];
}

type Equivalent = Readonly<Record<string, Readonly<Record<string, string>>>>;

function readEquivalent(): Equivalent {
  const path = join(root, "test/mutants/equivalent.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Equivalent) : {};
}

/** Complains about a line of the list whose mutant does not exist any more: the source has changed. */
function checkListed(equivalent: Equivalent, mutants: readonly Mutant[], sources: readonly string[]): void {
  const known = new Set(mutants.map(({ file, key }) => `${file} ${key}`));
  for (const file of sources)
    for (const key of Object.keys(equivalent[file] ?? {}))
      if (!known.has(`${file} ${key}`)) console.log(`no longer a mutant: ${file}: ${key}`);
}

async function mutateRoom(copy: CopiedCheckout, room: string): Promise<void> {
  const sources = sourcesOf(room);
  const mutants = sources.flatMap((file) => mutantsOf(file, readFileSync(join(copy.path, file), "utf8")));
  const equivalent = readEquivalent();
  checkListed(equivalent, mutants, sources);
  const tests = new RoomTests(copy, room);
  console.log(`${room}: ${mutants.length} mutants, ${tests.count} test files`);
  const counts: Record<Result, number> = { killed: 0, equivalent: 0, survived: 0, "not reached": 0, invalid: 0 };
  const killed = new Killed();
  const ends = Date.now() + numberOf("minutes") * 60_000;
  for (const mutant of sample(mutants, numberOf("seed"), numberOf("mutants"))) {
    if (Date.now() > ends) break;
    const source = readFileSync(join(copy.path, mutant.file), "utf8");
    const tried = async (): Promise<[Result, string]> => {
      if (equivalent[mutant.file]?.[mutant.key] !== undefined) return ["equivalent", ""];
      return killed.has(mutant, source) ? ["killed", "before"] : resultOf(copy, mutant, tests);
    };
    const [result, how] = await tried();
    counts[result]++;
    if (result === "killed" && how !== "before") killed.add(mutant, source);
    if (!values.all && result !== "survived" && result !== "not reached") continue;
    console.log(`${result}: ${mutant.file}:${mutant.line}: ${mutant.key} (${how})`);
  }
  printScore(room, counts);
}

function printScore(room: string, counts: Readonly<Record<Result, number>>): void {
  const noticed = counts.killed + counts.survived + counts["not reached"];
  const [left, score] = [counts.survived + counts["not reached"], Math.floor((100 * counts.killed) / noticed)];
  console.log(
    `| ${room} | ${noticed + counts.equivalent} | ${counts.killed} | ${counts.equivalent} | ${left} | ${score} % | seed ${numberOf("seed")} |`,
  );
}

if (rooms.length === 0) throw new RangeError("which room? npm run mutate -- ROOM..., such as collateral or store/sql");
const copy = new CopiedCheckout(root);
process.once("exit", () => copy.remove());
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
for (const room of rooms) await mutateRoom(copy, room);
