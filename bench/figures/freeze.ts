import { collectGarbage, summarize } from "./part.ts";
import { freeze } from "../../src/table/freeze.ts";
import { readRouted, requireRightAnswers } from "./routed-table.ts";
import type { Part } from "./part.ts";

const ROUNDS = 7;

export const part: Part = async () => {
  const routed = await readRouted();
  requireRightAnswers(freeze(routed.trie), routed);
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    collectGarbage();
    const start = performance.now();
    const table = freeze(routed.trie);
    samples.push(performance.now() - start);
    if (table.prefixCount(4) + table.prefixCount(6) !== routed.trie.size)
      throw new Error("the table does not hold all prefixes");
  }
  return {
    measurements: [{ subject: "freeze", unit: "ms", ...summarize(samples) }],
    refusals: [],
    notes: [`freeze: ${routed.trie.size} prefixes`],
  };
};
