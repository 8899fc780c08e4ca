/**
 * How often a randomised test repeats: the short number in `npm test`, the long one in `npm run test:long`, which
 * `.ci/run` runs. The assertions are the same in both.
 */
export function rounds({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLong() ? long : short;
}

/** Of `onlyLong`. */
export const ONLY_LONG = "only in the long form, which .ci/run or npm run nightly runs";

/**
 * Why `npm test` skips a test that costs seconds of processor time, if a shorter test would notice most of the same
 * errors; false in the long form.
 */
export function onlyLong(): false | string {
  return isLong() ? false : ONLY_LONG;
}

/**
 * Why this run of `npm test` skips a test that costs seconds of processor time: each `step`-th run has it, by TEST_SEED,
 * and with successive values of `from` each run has another of several tests; false in the long form.
 */
export function takingTurns(step: number, from = 0): false | string {
  return isLong() || (seed() + from) % step === 0 ? false : `in one of ${step} runs of npm test; else ${ONLY_LONG}`;
}

/**
 * All items in the long form; in the short one every `step`-th of them, starting with number `from`, so that tests with
 * successive values of `from` cover all of them together. Each run starts elsewhere, by TEST_SEED, which
 * `test/run.ts` chooses and prints: so the runs together cover all of them as well.
 */
export function sampled<Item>(items: readonly Item[], step: number, from = 0): readonly Item[] {
  const first = (seed() + from) % step;
  return isLong() ? items : items.filter((_, index) => index % step === first % items.length);
}

/**
 * One of the items, in the long form too, in each run another one: for what takes long and would hardly find anything
 * else with the others. Successive values of `from` begin with others.
 */
export function oneOf<Item>(items: readonly Item[], from = 0): Item {
  return items[(seed() + from) % items.length]!;
}

/** In how many runs of `npm test` each of the files that take turns comes once. */
export const TURNS = 4;

/** Of the files that take turns, those of this run, by TEST_SEED. */
export function inTurn(files: readonly string[]): readonly string[] {
  return files.filter((_, index) => index % TURNS === runSeed() % TURNS);
}

/** What a file samples, apart from which run it is in: otherwise some of its cases never had their turn. */
function seed(): number {
  return Math.floor(runSeed() / TURNS);
}

function runSeed(): number {
  return Number(process.env["TEST_SEED"] ?? 0);
}

function isLong(): boolean {
  return process.env["TEST_ROUNDS"] === "long";
}
