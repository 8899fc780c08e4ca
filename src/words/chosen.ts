/** What else formats are called, on other surfaces or by other programs. */
const FURTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  plain: ["text", "list"],
  text: ["list"],
  jsonl: ["ndjson"],
  ndjson: ["jsonl"],
};

/** The choice that a word names: itself, or the one of which it is a further name; undefined if there is none. */
export function chosen<Choice extends string | number>(word: string, choices: readonly Choice[]): Choice | undefined {
  const further = Object.hasOwn(FURTHER_NAMES, word) ? FURTHER_NAMES[word]! : [];
  const named = (names: readonly string[]) => choices.find((choice) => names.includes(String(choice)));
  return named([word]) ?? named(further);
}
