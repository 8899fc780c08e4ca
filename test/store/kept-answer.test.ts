import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/store/_answer.ts";
import type { BatchResult } from "../../src/store/command.ts";
import { answerOfText, textOfAnswer } from "../../src/store/sql/commands/_kept-answer.ts";

/** The names contain line terminators. */
const resultsOf = (count: number): BatchResult[] =>
  Array.from({ length: count }, (_, i) => ({
    action: "created",
    rule: {
      prefix: { family: 4, w0: i, w1: 0, w2: 0, w3: 0, length: 32 },
      name: `a\nb\u2028c ${i}`,
      expiresAt: null,
      createdAt: 1,
      updatedAt: 2,
    },
  }));
const refused = (count: number): Answer => ({
  rejection: { code: "batch-refused", message: "one failed", results: resultsOf(count) },
});

async function roundTrip(answer: Answer) {
  let [pauses, read] = [0, 0];
  const text = await textOfAnswer(answer, async () => void pauses++);
  const back = await answerOfText(text, async () => void read++);
  return { back, pauses, read };
}

test("an answer round-trips, with pauses if it has many results", async () => {
  for (const [answer, pauses] of [
    [{ outcome: {} }, 0],
    [{ rejection: { code: "conflict", message: "there is one" } }, 0],
    [{ outcome: { results: resultsOf(1000) } }, 0],
    [{ outcome: { results: resultsOf(2500) } }, 3],
    [refused(2500), 3],
  ] as [Answer, number][])
    assert.deepEqual(await roundTrip(answer), { back: answer, pauses, read: pauses });
});

test("an answer that an earlier version wrote in one line of any length can be read", async () => {
  assert.deepEqual(await answerOfText(JSON.stringify(refused(2500)), async () => {}), refused(2500));
});
