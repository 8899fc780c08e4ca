import { freeze } from "../../src/table/freeze.ts";
import { prefixAt } from "../data/texts.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import type { Contender, Form, Pass, Queries } from "../harness/contender.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import type { TableData } from "../data/table-data.ts";

export const contender: Contender = {
  name: "ipsieve",
  package: null,
  families: [4, 6],
  answers: "value",
  forms: ["batch", "native", "text"],
  async build(data) {
    const table = freeze(trieOf(data));
    const valueOfMatch = new Uint32Array(table.matchCount + 1);
    for (let match = 1; match <= table.matchCount; match++) valueOfMatch[match] = table.value(match);
    return {
      pass: (form, queries) => passOf(table, form, queries),
      toAnswers: (out) => out.map((match) => valueOfMatch[match]!),
    };
  },
};

export function trieOf(...tables: readonly TableData[]): PrefixTrie {
  const trie = new PrefixTrie();
  for (const table of tables) {
    for (let i = 0; i < table.count; i++) trie.insert(prefixAt(table, i), table.values[i]!);
  }
  return trie;
}

function passOf(table: PrefixTable, form: Form, queries: Queries): Pass {
  const { family, words, texts, count } = queries;
  if (form === "batch") return (out) => table.lookupBatchInto(family, words, out, count);
  if (form === "text") {
    return (out) => {
      for (let i = 0; i < count; i++) out[i] = table.lookup(texts[i]!);
    };
  }
  if (family === 4) {
    return (out) => {
      for (let i = 0; i < count; i++) out[i] = table.lookup4(words[i]!);
    };
  }
  return (out) => {
    for (let i = 0, at = 0; i < count; i++, at += 4) {
      out[i] = table.lookup6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
    }
  };
}
