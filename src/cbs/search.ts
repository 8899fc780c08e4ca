import { parsePrefix } from "../address/prefix.ts";
import { compareTexts, idParts } from "./_node-id.ts";
import { TermTable } from "./_term-table.ts";
import type { Catalogue, CatalogueNode } from "./catalogue.ts";
import type { InParts } from "./in-parts.ts";
import { finished } from "../turns/finished.ts";

/** How many nodes a search returns, and of which type. */
export interface SearchOptions {
  /** How many nodes to return; 20 by default. */
  readonly limit?: number | undefined;
  /** Only nodes of this type. */
  readonly type?: string | undefined;
}

const DEFAULT_LIMIT = 20;
/** The length that a text is cut to: no one types more, and it bounds the time of a search. */
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 40;

/**
 * The weights of a node's own term and of a term of its ancestors. A term weighs more in a name of one word than in a
 * longer name.
 */
const OWN = 2;
const INHERITED = 1;

/** The parts of paths that only sort others; what they weigh below themselves. */
const STRUCTURE = new Set(["by-service", "by-region"]);
const STRUCTURAL = 0.1;

/** What a search reads. Of term t: the nodes `nodes[starts[t], starts[t + 1])` and what it weighs in each. */
interface SearchTables {
  readonly terms: TermTable;
  readonly starts: Uint32Array;
  readonly nodes: Uint32Array;
  readonly weights: Float32Array;
  readonly byId: ReadonlyMap<string, CatalogueNode>;
  readonly ranks: Uint32Array;
}

const NODES_AT_ONCE = 100;
const TERMS_AT_ONCE = 500;

/**
 * Finds nodes by words of the names and ids of the nodes and their ancestors. Words may be in any order and
 * abbreviated to their beginnings; a word that matches nothing else may contain a typo. Create one per catalogue,
 * O(words of all nodes); a search is O(words typed x nodes that have them).
 */
export class SearchIndex {
  readonly catalogue: Catalogue;
  readonly #terms: TermTable;
  readonly #starts: Uint32Array;
  readonly #nodes: Uint32Array;
  readonly #weights: Float32Array;
  readonly #byId: ReadonlyMap<string, CatalogueNode>;
  /** By node: its position among equally good ones, shorter paths first. */
  readonly #ranks: Uint32Array;
  // The scores of a search by node; all zero between searches.
  readonly #best: Float32Array;
  readonly #scores: Float32Array;
  readonly #words: Uint8Array;
  /** The nodes met by one word, and by any. */
  readonly #met: Uint32Array;
  readonly #touched: Uint32Array;

  constructor(catalogue: Catalogue, index: SearchTables = finished(indexOf(catalogue))) {
    this.catalogue = catalogue;
    this.#terms = index.terms;
    this.#starts = index.starts;
    this.#nodes = index.nodes;
    this.#weights = index.weights;
    this.#byId = index.byId;
    this.#ranks = index.ranks;
    this.#best = new Float32Array(catalogue.nodes.length);
    this.#scores = new Float32Array(catalogue.nodes.length);
    this.#words = new Uint8Array(catalogue.nodes.length);
    this.#met = new Uint32Array(catalogue.nodes.length);
    this.#touched = new Uint32Array(catalogue.nodes.length);
  }

  /** Makes an index in steps, between which other work can run. O(nodes) */
  static *inParts(catalogue: Catalogue): InParts<SearchIndex> {
    return new SearchIndex(catalogue, yield* indexOf(catalogue));
  }

  /**
   * The nodes that an address or prefix belongs to, the most specific first, where the text is one; otherwise the nodes
   * with all words of the text, or if there are none, with as many of them as any has; the best first, but a node
   * whose id is the text comes before all.
   * @throws AddressError for a text that is nearly an address
   */
  search(text: string, options: SearchOptions = {}): CatalogueNode[] {
    const { limit = DEFAULT_LIMIT, type } = options;
    if (!(Number.isInteger(limit) && limit >= 1))
      throw new RangeError(`the limit must be a whole number, 1 or greater, not ${String(limit)}`);
    const isWanted = (node: CatalogueNode): boolean => type === undefined || node.type === type;
    const query = text.trim();
    if (isAddressLike(query)) return this.#nodesOfAddress(query).filter(isWanted).slice(0, limit);
    const named = this.#byId.get(query);
    const found = this.#nodesOfWords(wordsOf(query), limit, isWanted);
    if (named === undefined || !isWanted(named)) return found;
    return [named, ...found.filter((node) => node !== named)].slice(0, limit);
  }

  #nodesOfAddress(text: string): CatalogueNode[] {
    const { table } = this.catalogue;
    const chain = table.chain(table.lookupPrefix(parsePrefix(text)));
    return [...new Set(chain.flatMap((match) => this.catalogue.ownNodesOf(match)))];
  }

  #nodesOfWords(words: readonly string[], limit: number, isWanted: (node: CatalogueNode) => boolean): CatalogueNode[] {
    let count = 0;
    for (const word of words) count = this.#addWord(word, count);
    const touched = this.#touched.subarray(0, count);
    const found: number[] = [];
    let most = 0;
    for (const node of touched) {
      if (this.#words[node]! < most || !isWanted(this.catalogue.nodes[node]!)) continue;
      if (this.#words[node]! > most) found.length = 0;
      most = this.#words[node]!;
      found.push(node);
    }
    const best = this.#bestOf(found, limit);
    for (const node of touched) this.#scores[node] = this.#words[node] = 0;
    return best.map((node) => this.catalogue.nodes[node]!);
  }

  /**
   * Adds to each node the weight of its best term among those that the word may mean. Returns how many nodes have been
   * touched so far.
   */
  #addWord(word: string, touched: number): number {
    const best = this.#best;
    let met = 0;
    for (const { term, quality } of this.#terms.match(word)) {
      const end = this.#starts[term + 1]!;
      for (let at = this.#starts[term]!; at < end; at++) {
        const node = this.#nodes[at]!;
        const weight = quality * this.#weights[at]!;
        if (best[node] === 0) this.#met[met++] = node;
        if (weight > best[node]!) best[node] = weight;
      }
    }
    for (let at = 0; at < met; at++) {
      const node = this.#met[at]!;
      if (this.#words[node]!++ === 0) this.#touched[touched++] = node;
      this.#scores[node]! += best[node]!;
      best[node] = 0;
    }
    return touched;
  }

  /**
   * The first `limit` in order of score, then rank. Insertion into the few best so far: most nodes are not among them.
   */
  #bestOf(nodes: readonly number[], limit: number): number[] {
    const isBetter = (a: number, b: number): boolean =>
      this.#scores[a]! > this.#scores[b]! || (this.#scores[a] === this.#scores[b] && this.#ranks[a]! < this.#ranks[b]!);
    if (limit > 100) return [...nodes].sort((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, limit);
    const best: number[] = [];
    for (const node of nodes) {
      if (best.length === limit && !isBetter(node, best[limit - 1]!)) continue;
      if (best.length === limit) best.pop();
      let position = best.length;
      while (position > 0 && isBetter(node, best[position - 1]!)) position--;
      best.splice(position, 0, node);
    }
    return best;
  }
}

/** What can only be meant as an address: four numbers, or groups of hexadecimal digits between two colons or more. */
export function isAddressLike(text: string): boolean {
  return /^\d+(\.\d+){3}(\/.*)?$/.test(text) || /^[0-9a-f]*:[0-9a-f.]*:[0-9a-f.:]*(\/.*)?$/i.test(text);
}

/** Letters and digits in lower case without accents; each word once. */
function wordsOf(text: string): string[] {
  const words = plain(text.slice(0, MAX_WORDS * MAX_WORD_LENGTH))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  return [...new Set(words.map((word) => word.slice(0, MAX_WORD_LENGTH)))].slice(0, MAX_WORDS);
}

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function* indexOf(catalogue: Catalogue): InParts<SearchTables> {
  const postings = yield* postingsOf(catalogue);
  const terms = [...postings.keys()].sort(compareTexts);
  yield;
  const starts = new Uint32Array(terms.length + 1);
  terms.forEach((term, i) => (starts[i + 1] = starts[i]! + postings.get(term)!.size));
  const nodes = new Uint32Array(starts[terms.length]!);
  const weights = new Float32Array(nodes.length);
  let at = 0;
  for (const [i, term] of terms.entries()) {
    for (const [node, weight] of postings.get(term)!) {
      nodes[at] = node;
      weights[at++] = weight;
    }
    if (i % TERMS_AT_ONCE === 0) yield;
  }
  const table = new TermTable(terms);
  yield;
  const byId = new Map(catalogue.nodes.map((node) => [node.id, node]));
  yield;
  return { terms: table, starts, nodes, weights, byId, ranks: ranksOf(catalogue.nodes) };
}

/** By term, what it weighs in each node that has it. A part of a path is also one term: `us-east-1` as `useast1`. */
function* postingsOf({ nodes }: Catalogue): InParts<Map<string, Map<number, number>>> {
  const postings = new Map<string, Map<number, number>>();
  const indexes = new Map(nodes.map(({ id }, i) => [id, i]));
  const fields: string[][][] = [];
  for (const node of nodes) if (fields.push(fieldsOf(node)) % NODES_AT_ONCE === 0) yield;
  const add = (term: string, node: number, weight: number): void => {
    let weights = postings.get(term);
    if (weights === undefined) postings.set(term, (weights = new Map()));
    weights.set(node, Math.max(weights.get(node) ?? 0, weight));
  };
  for (const [node, { id }] of nodes.entries()) {
    if (node % NODES_AT_ONCE === 0) yield;
    for (const words of fields[node]!) for (const word of words) add(word, node, OWN + 1 / words.length);
    for (let { parent } = idParts(id); parent !== null; { parent } = idParts(parent)) {
      const isStructure = STRUCTURE.has(parent.slice(parent.lastIndexOf("/") + 1));
      for (const words of fields[indexes.get(parent)!]!)
        for (const word of words) add(word, node, isStructure ? STRUCTURAL : INHERITED + 0.5 / words.length);
    }
  }
  return postings;
}

/** The words of the node's own part of the path, that part as one word, and the words of its name. */
function fieldsOf({ id, name }: CatalogueNode): string[][] {
  const part = id.startsWith("/") ? id.slice(id.lastIndexOf("/") + 1) : id;
  const words = indexedWords(part);
  return words.length > 1
    ? [words, [words.join("").slice(0, MAX_WORD_LENGTH)], indexedWords(name)]
    : [words, indexedWords(name)];
}

function indexedWords(text: string): string[] {
  return [
    ...new Set(
      plain(text)
        .split(/[^\p{L}\p{N}]+/u)
        .map((word) => word.slice(0, MAX_WORD_LENGTH)),
    ),
  ].filter((word) => word !== "");
}

function ranksOf(nodes: readonly CatalogueNode[]): Uint32Array {
  const depths = nodes.map(({ id }) => (id.startsWith("/") ? id.split("/").length : 0));
  const order = nodes
    .map((_, i) => i)
    .sort((a, b) => depths[a]! - depths[b]! || compareTexts(nodes[a]!.id, nodes[b]!.id));
  const ranks = new Uint32Array(nodes.length);
  order.forEach((node, rank) => (ranks[node] = rank));
  return ranks;
}
