/** Further names of formats: what one surface, or a program that people know, calls what another calls otherwise. */
const FURTHER_NAMES: Readonly<Record<string, string>> = {
  plain: "text",
  jsonl: "ndjson",
  ndjson: "jsonl",
};

/** The choice that a word names: itself, or the one for which it is a further name; undefined if there is none. */
export function chosen<Choice>(word: unknown, choices: readonly Choice[]): Choice | undefined {
  const own = choices.find((choice) => String(choice) === word);
  if (own !== undefined || typeof word !== "string" || !Object.hasOwn(FURTHER_NAMES, word)) return own;
  return choices.find((choice) => String(choice) === FURTHER_NAMES[word]);
}
