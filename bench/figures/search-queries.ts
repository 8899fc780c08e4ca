import type { Catalogue } from "../../src/cbs/catalogue.ts";
import type { Named } from "../../test/oracle/identify-oracle.ts";
import { oracleFormat } from "../../test/oracle/address-oracle.ts";
import type { Random } from "../data/random.ts";

/**
 * What people type: words of names and ids, whole, cut short, with a wrong letter or with two swapped, one to three;
 * addresses; prefixes.
 */
export function searchQueries(catalogue: Catalogue, named: readonly Named[], random: Random, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const { first, length } = named[random.below(named.length)]!;
    if (i % 10 === 0) return oracleFormat(first);
    if (i % 10 === 1) return `${oracleFormat(first)}/${oracleFormat(first).includes(":") ? length : length - 96}`;
    const { id, label } = catalogue.nodes[random.below(catalogue.nodeCount)]!;
    const words = `${label} ${id}`.split(/[^\p{L}\p{N}-]+/u).filter((word) => word !== "");
    return Array.from({ length: 1 + random.below(3) }, () => typed(words[random.below(words.length)]!, random)).join(
      " ",
    );
  });
}

function typed(word: string, random: Random): string {
  const at = random.below(word.length);
  const how = random.below(4);
  if (how === 0 || word.length < 3) return word;
  if (how === 1) return word.slice(0, at + 1);
  if (how === 2) return `${word.slice(0, at)}${"etaoin"[random.below(6)]}${word.slice(at + 1)}`;
  return `${word.slice(0, at)}${word.slice(at + 1, at + 2)}${word[at]}${word.slice(at + 2)}`;
}
