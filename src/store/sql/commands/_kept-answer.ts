import type { Answer } from "../../_answer.ts";
import type { BatchResult } from "../../command.ts";

/** Results of a batch that are written or read as JSON in one step: some milliseconds. */
const RESULTS_AT_ONCE = 1000;

/** The part of an answer that has the results of a batch, if it has any. */
interface WithResults {
  results?: readonly BatchResult[];
}

function holderOf(answer: Answer): WithResults {
  return "outcome" in answer ? (answer.outcome as WithResults) : answer.rejection;
}

/**
 * An answer as it is kept with an idempotency key: JSON. If it has many results, these follow on lines of their own,
 * each an array, so that `pause` lets other requests run between two of them; the JSON itself has no line breaks.
 */
export async function textOfAnswer(answer: Answer, pause: () => Promise<void>): Promise<string> {
  const { results = [] } = holderOf(answer);
  if (results.length <= RESULTS_AT_ONCE) return JSON.stringify(answer);
  const rest: Answer =
    "outcome" in answer
      ? { outcome: { ...answer.outcome, results: [] } }
      : { rejection: { ...answer.rejection, results: [] } };
  let text = JSON.stringify(rest);
  for (let at = 0; at < results.length; at += RESULTS_AT_ONCE) {
    await pause();
    text += `\n${JSON.stringify(results.slice(at, at + RESULTS_AT_ONCE))}`;
  }
  return text;
}

/** The answer of a text that `textOfAnswer` wrote. */
export async function answerOfText(text: string, pause: () => Promise<void>): Promise<Answer> {
  const [first, ...lines] = text.split("\n");
  const answer = JSON.parse(first!) as Answer;
  if (lines.length === 0) return answer;
  const results: BatchResult[] = [];
  for (const line of lines) {
    await pause();
    results.push(...(JSON.parse(line) as BatchResult[]));
  }
  holderOf(answer).results = results;
  return answer;
}
