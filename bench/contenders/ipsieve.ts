import { createFound, findAddress, STOP } from "../../src/batch/lines/find-address.ts";
import { endOfLine } from "../../src/batch/lines/end-of-line.ts";
import { freeze } from "../../src/table/freeze.ts";
import { prefixAt } from "../data/texts.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import type { Contender, Form, Pass, Queries } from "../harness/contender.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import type { TableData } from "../data/table-data.ts";
import type { MatchId } from "../../src/table/match-id.ts";

/** The library without its kernel: plain TypeScript. */
export const contender: Contender = {
  name: "ipsieve",
  package: null,
  families: [4, 6],
  answers: "value",
  forms: ["batch", "lines", "native", "text"],
  async build(data) {
    const table = freeze(trieOf(data));
    const values = valuesOfMatches(table);
    return {
      pass: (form, queries) => passOf(table, form, queries),
      toAnswers: (matches) => matches.map((match) => values[match]!),
    };
  },
};

/** The value id of every match id, 0 for 0. */
export function valuesOfMatches(table: PrefixTable): Uint32Array {
  const values = new Uint32Array(table.matchCount + 1);
  for (let match = 1 as MatchId; match <= table.matchCount; match++) values[match] = table.value(match);
  return values;
}

export function trieOf(...tables: readonly TableData[]): PrefixTrie {
  const trie = new PrefixTrie();
  for (const table of tables) {
    for (let i = 0; i < table.count; i++) trie.insert(prefixAt(table, i), table.values[i]!);
  }
  return trie;
}

function passOf(table: PrefixTable, form: Form, queries: Queries): Pass {
  const { family, words, texts, count, lines } = queries;
  if (form === "batch") return (out) => table.lookupBatchInto(family, words, out, count);
  if (form === "lines") return (out) => lookupLines(table, lines, out);
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

function lookupLines(table: PrefixTable, lines: Buffer, out: Uint32Array): void {
  const found = createFound();
  for (let line = 0, at = 0; line < out.length; line++) {
    const family = findAddress(lines, at, lines.length - 1, found);
    if (family === 4) out[line] = table.lookup4(found[0]!);
    else out[line] = family === 6 ? table.lookup6(found[0]!, found[1]!, found[2]!, found[3]!) : 0;
    at = endOfLine(lines, found[STOP]!) + 1;
  }
}
