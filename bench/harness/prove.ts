import type { AnswerKind } from "./contender.ts";

/** What a contender that answers `kind` must say where the right value id is `value`. */
function expectedAnswer(kind: AnswerKind, value: number): number {
  return kind === "value" ? value : Math.min(value, 1);
}

/**
 * Compares every answer with the right one. Returns why the contender may not be quoted, or null if all are right.
 * `describe` gives the address of a query for the message.
 */
export function refusal(
  kind: AnswerKind,
  answers: Uint32Array,
  values: Uint32Array,
  describe: (index: number) => string,
): string | null {
  let wrong = 0;
  let first = -1;
  for (let i = 0; i < values.length; i++) {
    if (answers[i] === expectedAnswer(kind, values[i]!)) continue;
    if (wrong++ === 0) first = i;
  }
  if (wrong === 0) return null;
  const right = expectedAnswer(kind, values[first]!);
  return `${wrong} of ${values.length} answers are wrong; the first: ${describe(first)} gave ${answers[first]}, right is ${right}`;
}
