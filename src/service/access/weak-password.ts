import { setImmediate as nextTurn } from "node:timers/promises";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { invalid, type ServiceError } from "../service-error.ts";

/** At the limit per name, an attacker needs 19 years for this many. */
const MIN_GUESSES = 1e8;
/** Characters of a long password that are rated, because the time grows with the square of the length. */
const JUDGED = 32;
const MAX_SUBSTITUTIONS = 10;

/**
 * Rejects a password that is among the first an attacker tries: a common one, a repetition, a sequence, a date, or one
 * made of names that belong to the user. Which characters it contains does not matter (NIST SP 800-63B, section
 * 3.1.1.2).
 * @throws ServiceError "invalid" about `field`
 */
export async function rejectWeakPassword(field: string, password: string, names: readonly string[]): Promise<void> {
  const estimator = await loadPasswordLists();
  const known = ["ipsieve", ...names.flatMap(partsOf)];
  const text = password.normalize("NFKC").slice(0, JUDGED);
  const { guesses, feedback } = estimator.check(text, known);
  const why = guesses < MIN_GUESSES ? (REASONS[feedback.warning ?? ""] ?? "too easy to guess") : undefined;
  if (why !== undefined) throw weak(field, why);
  const rest = without(text.toLowerCase(), known);
  if (rest.length < text.length && estimator.check(rest).guesses < MIN_GUESSES)
    throw weak(field, REASONS["userInputs"]!);
}

function weak(field: string, why: string): ServiceError {
  return invalid({ [field]: [`this password is ${why}; use several unrelated words, or a longer one`] });
}

const REASONS: Readonly<Record<string, string>> = {
  topTen: "one of the most common",
  topHundred: "one of the most common",
  common: "a common one",
  similarToCommon: "too similar to a common one",
  simpleRepeat: "one that repeats itself",
  extendedRepeat: "one that repeats itself",
  sequences: "a sequence",
  dates: "a date",
  recentYears: "a year",
  straightRow: "a row of keys",
  keyPattern: "a row of keys",
  userInputs: "made of your name or the organisation's",
};

/** A name, all its words joined, and each word except very short ones, which good passwords contain by chance. */
function partsOf(name: string): string[] {
  const lower = name.normalize("NFKC").toLowerCase();
  const words = lower.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [lower, words.join(""), ...words].filter((part) => part.length > 2);
}

/** The text without the names in it, longest first, because shorter ones may be parts of them. */
function without(text: string, names: readonly string[]): string {
  return names.toSorted((a, b) => b.length - a.length).reduce((rest, name) => rest.replaceAll(name, ""), text);
}

let loading: Promise<ZxcvbnFactory> | undefined;

/**
 * Loaded for the first password that is set, which few servers ever see: 6 MB, and 60 ms of processor time in three
 * turns, the longest of 35 ms.
 */
function loadPasswordLists(): Promise<ZxcvbnFactory> {
  return (loading ??= load());
}

async function load(): Promise<ZxcvbnFactory> {
  const { ZxcvbnFactory } = await import("@zxcvbn-ts/core");
  const { dictionary, adjacencyGraphs } = await import("@zxcvbn-ts/language-common");
  await nextTurn();
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: MAX_SUBSTITUTIONS });
  await nextTurn();
  return estimator;
}
