import { ensureDataset, readDataset } from "../data/dataset.ts";
import { trieOf } from "../contenders/ipsieve.ts";
import type { Dataset } from "../data/dataset.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import type { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import type { MatchId } from "../../src/table/match-id.ts";

/**
 * The routed prefixes of both families in one trie, and the queries that tell whether a table of it answers rightly.
 */
export interface Routed {
  readonly datasets: readonly [Dataset, Dataset];
  readonly trie: PrefixTrie;
}

export async function readRouted(): Promise<Routed> {
  await ensureDataset("routed4");
  await ensureDataset("routed6");
  const datasets = [readDataset("routed4"), readDataset("routed6")] as const;
  return { datasets, trie: trieOf(datasets[0].table, datasets[1].table) };
}

/** Throws unless the table gives the right value for every one of the hits. */
export function requireRightAnswers(table: PrefixTable, { datasets }: Routed): void {
  for (const {
    table: { family },
    queries,
  } of datasets) {
    const { words, answers } = queries.hits;
    const matches = new Uint32Array(answers.length);
    table.lookupBatchInto(family, words, matches);
    const wrong = matches.findIndex((match, i) => match === 0 || table.value(match as MatchId) !== answers[i]);
    if (wrong >= 0)
      throw new Error(`IPv${family}: hit ${wrong} got match ${matches[wrong]}, right is value ${answers[wrong]}`);
  }
}
