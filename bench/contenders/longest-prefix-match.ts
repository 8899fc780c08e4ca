import { loadPeer } from "./_peer.ts";
import { prefixTexts } from "../data/texts.ts";
import type { Contender } from "../harness/contender.ts";

interface LongestPrefixMatch {
  addPrefix(prefix: string, value: number): void;
  getMatch(address: string, all: boolean): number[];
}

interface LongestPrefixMatchModule {
  default: new () => LongestPrefixMatch;
}

/**
 * A binary trie of objects; used here only for the most specific match. It takes prefixes: an address with its length.
 */
export const contender: Contender = {
  name: "longest-prefix-match",
  package: "longest-prefix-match",
  families: [4, 6],
  answers: "value",
  forms: ["text"],
  async build(table) {
    const { default: Trie } = await loadPeer<LongestPrefixMatchModule>("longest-prefix-match");
    const trie = new Trie();
    const prefixes = prefixTexts(table);
    for (let i = 0; i < table.count; i++) trie.addPrefix(prefixes[i]!, table.values[i]!);
    const length = table.family === 4 ? "/32" : "/128";
    return {
      pass(_form, { texts, count }) {
        const prefixes = texts.map((text) => text + length);
        return (out) => {
          for (let i = 0; i < count; i++) out[i] = trie.getMatch(prefixes[i]!, false)[0] ?? 0;
        };
      },
    };
  },
};
