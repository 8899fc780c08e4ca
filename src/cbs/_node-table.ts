import { checkName, MAX_ID_LENGTH, MAX_PARTS, idParts } from "./_node-id.ts";
import type { NodeIds } from "./_node-ids.ts";
import { NodeTexts } from "./_node-texts.ts";
import { StoredWords } from "../table/stored-words.ts";
import { badMetadata } from "./catalogue-error.ts";

/**
 * The nodes of a catalogue as stored in its metadata, in the order of value ids. Services repeat in every region and
 * regions in every service: 10,001 nodes have 927 distinct parts of ids. So each text is stored once, and a node is
 * three numbers.
 */
export interface StoredNodes {
  /** The parts of ids, and the names, each once, followed by LF. */
  readonly texts: string;
  /**
   * Three 32-bit words a node, in the machine's order like the words of a table: the value id of the node above, which
   * is a smaller one, or 0; its part of the id, and its name, as places in the texts. The part of a node at the top is
   * the whole id.
   */
  readonly places: Uint8Array;
}

const LF = 0x0a;
const SLASH = 0x2f;

/** Words of a node, and which is which. */
const NODE_WORDS = 3;
const PARENT = 0;
const PART = 1;
const NAME = 2;
/** A label has no child nodes. */
const LABEL_DEPTH = MAX_PARTS;

/** Where in an id a text may occur; 0 if that is not known yet. */
const BELOW = 1;
const ANYWHERE = 2;

/** Nodes are given after their ancestors. O(nodes). */
export function storeNodes(nodes: readonly { readonly id: string; readonly name: string }[]): StoredNodes {
  const texts = new Map<string, number>();
  const placeOfText = (text: string): number => {
    const index = texts.get(text) ?? texts.size;
    texts.set(text, index);
    return index;
  };
  const values = new Map<string, number>();
  const words = new Uint32Array(nodes.length * NODE_WORDS);
  nodes.forEach(({ id, name }, i) => {
    const { parent } = idParts(id);
    const part = parent === null ? id : id.slice(parent.length + 1);
    words.set([parent === null ? 0 : values.get(parent)!, placeOfText(part), placeOfText(name)], i * NODE_WORDS);
    values.set(id, i + 1);
  });
  return { texts: Array.from(texts.keys(), (text) => `${text}\n`).join(""), places: new Uint8Array(words.buffer) };
}

export function countNodes(places: Uint8Array): number {
  return Math.floor(places.length / (4 * NODE_WORDS));
}

/** Nodes by their number; ids are assembled on demand. */
export interface NodesByNumber {
  readonly count: number;
  /** The node one level up, 0 at the top. */
  parent(value: number): number;
  id(value: number): string;
  name(value: number): string;
  /** All ids as bytes, if all texts are of ASCII, so that the order of bytes is that of texts; null otherwise. */
  encodedIds(): NodeIds | null;
}

/** Stored nodes, validated. */
export class NodeTable implements NodesByNumber {
  readonly count: number;
  readonly #texts: NodeTexts;
  readonly #words: Uint32Array;
  /** By value: the length of its id and a slash, in UTF-16 code units. */
  readonly #sizes: Uint32Array;

  /**
   * Checks all nodes, which may come from an untrusted file. O(nodes).
   * @throws CatalogueError "bad-metadata", "bad-id", "bad-name"
   */
  constructor({ texts, places }: StoredNodes) {
    this.#texts = new NodeTexts(texts);
    checkLength(places);
    this.#words = new Uint32Array(new Uint8Array(places).buffer); // a copy: words must be aligned
    this.count = this.#words.length / NODE_WORDS;
    this.#sizes = new Uint32Array(this.count + 1);
    this.#check(this.#texts, this.#words);
  }

  parent(value: number): number {
    return this.#word(value, PARENT);
  }

  id(value: number): string {
    const parent = this.parent(value);
    return parent === 0 ? this.#part(value) : `${this.id(parent)}/${this.#part(value)}`;
  }

  name(value: number): string {
    return this.#texts.at(this.#word(value, NAME));
  }

  /** O(nodes and the bytes of those below others). */
  encodedIds(): NodeIds | null {
    if (!this.#texts.isAscii) return null;
    const { bytes: texts, starts: textStarts } = this.#texts;
    const words = this.#words;
    const starts = new Uint32Array(this.count);
    const ends = new Uint32Array(this.count);
    let size = 1 + texts.length;
    for (let value = 1, at = 0; value <= this.count; value++, at += NODE_WORDS)
      if (words[at + PARENT] !== 0) size += this.#sizes[value]!; // the id, and an LF
    const bytes = new Uint8Array(size);
    bytes[0] = LF;
    bytes.set(texts, 1);
    for (let node = 0, at = 0, to = 1 + texts.length; node < this.count; node++, at += NODE_WORDS) {
      const part = words[at + PART]!;
      const start = 1 + textStarts[part]!;
      const end = textStarts[part + 1]!;
      const parent = words[at + PARENT]!;
      starts[node] = parent === 0 ? start : to;
      if (parent !== 0) {
        bytes.copyWithin(to, starts[parent - 1]!, ends[parent - 1]);
        to += this.#sizes[parent]!;
        bytes[to - 1] = SLASH;
        bytes.copyWithin(to, start, end);
        to += end - start;
        bytes[to++] = LF;
      }
      ends[node] = parent === 0 ? end : to - 1;
    }
    return { bytes, starts, ends };
  }

  #part(value: number): string {
    return this.#texts.at(this.#word(value, PART));
  }

  #word(value: number, which: number): number {
    return this.#words[(value - 1) * NODE_WORDS + which]!;
  }

  /**
   * Checks that nodes come after their parents, that their texts exist and are valid, and that no two children of a
   * node have the same part. Apart from their number and length, the parts of an id can be checked one by one; so each
   * text is checked once, however many nodes have it.
   */
  #check(texts: NodeTexts, words: Uint32Array): void {
    const length = texts.count;
    const fits = new Uint8Array(length);
    for (let text = 0; text < length; text++) if (texts.isPlain[text] === 1) fits[text] = ANYWHERE;
    const isName = new Uint8Array(length);
    // In a large catalogue of labels most parts occur once: only the others are put into a set.
    const firstParents = new Uint32Array(length);
    const others = new Set<number>();
    const depths = new Uint8Array(this.count + 1);
    const sizes = this.#sizes;
    depths[0] = LABEL_DEPTH - 1;
    for (let value = 1, at = 0; at < words.length; value++, at += NODE_WORDS) {
      const parent = words[at + PARENT]!;
      const part = words[at + PART]!;
      const name = words[at + NAME]!;
      if (parent >= value || part >= length || name >= length)
        throw badMetadata("nodes", `node ${value} comes before its parent, or refers to a text that does not exist`);
      depths[value] = depths[parent]! + 1;
      sizes[value] = sizes[parent]! + texts.lengthOf(part) + 1;
      if (fits[part] !== ANYWHERE && (fits[part] !== BELOW || parent === 0)) {
        if (parent !== 0) fits[part] = BELOW;
        if (this.#isTopOfPath(value, parent)) depths[value] = 1;
      }
      if (depths[value]! > MAX_PARTS || sizes[value]! > MAX_ID_LENGTH + 1) this.#reject(value, parent);
      if (firstParents[part] === 0) firstParents[part] = parent + 1;
      else if (firstParents[part] === parent + 1 || others.has(parent * length + part))
        throw badMetadata("nodes", `duplicate node ${this.id(value)}`);
      else others.add(parent * length + part);
      isName[name] = 1;
    }
    for (let text = 0; text < length; text++) {
      if (isName[text] === 1 && (fits[text] !== ANYWHERE || texts.lengthOf(text) > MAX_ID_LENGTH))
        checkName(texts.at(text));
    }
  }

  /** Checks a part as an id of its own, a path where it stands below another one. */
  #isTopOfPath(value: number, parent: number): boolean {
    const part = this.#part(value);
    const parts = idParts(parent === 0 ? part : `/${part}`);
    if (parts.parent !== null) throw badMetadata("nodes", `the node ${JSON.stringify(part)} is not below its parent`);
    return parent === 0 && part.startsWith("/");
  }

  /** A node below a label, too deep, or with too long an id: its id shows which. */
  #reject(value: number, parent: number): void {
    const { parent: above } = idParts(this.id(value));
    if (parent !== 0 && above === null)
      throw badMetadata("nodes", `the node ${JSON.stringify(this.id(value))} is below a label`);
  }
}

/** @throws CatalogueError "bad-metadata" */
function checkLength(places: Uint8Array): void {
  if (places.length % (4 * NODE_WORDS) !== 0) throw badMetadata("nodes", "it ends within a node");
}

/**
 * Stored nodes of which each is validated when it is asked for, and no other: for a process that prints a few of a
 * hundred thousand and ends. Whether two nodes have the same id is not noticed.
 */
export class NodesOnDemand implements NodesByNumber {
  readonly count: number;
  readonly #texts: TextLines;
  readonly #words: StoredWords;

  /** O(1). @throws CatalogueError "bad-metadata" */
  constructor({ texts, places }: StoredNodes) {
    this.#texts = new TextLines(texts);
    checkLength(places);
    this.#words = new StoredWords(places);
    this.count = this.#words.length / NODE_WORDS;
  }

  /** @throws CatalogueError "bad-metadata" */
  parent(value: number): number {
    const parent = this.#words.at((value - 1) * NODE_WORDS + PARENT);
    // Ids are assembled along parents: they end, as numbers decrease.
    if (parent >= value) throw badMetadata("nodes", `node ${value} comes before its parent`);
    return parent;
  }

  /** @throws CatalogueError "bad-metadata", "bad-id" */
  id(value: number): string {
    const id = this.#joinedId(value, 1);
    const above = idParts(id).parent; // it checks the id
    const parent = this.parent(value);
    if (parent === 0 ? above !== null : above !== this.#joinedId(parent, 2))
      throw badMetadata("nodes", `the node ${JSON.stringify(id)} is not below its parent`);
    return id;
  }

  /** @throws CatalogueError "bad-metadata", "bad-name" */
  name(value: number): string {
    const name = this.#text(value, NAME);
    checkName(name);
    return name;
  }

  /** At most one part more than a path may have, which shows that there are too many. */
  #joinedId(value: number, parts: number): string {
    const [parent, part] = [this.parent(value), this.#text(value, PART)];
    return parent === 0 || parts > MAX_PARTS ? part : `${this.#joinedId(parent, parts + 1)}/${part}`;
  }

  /** They are for processes that need few. */
  encodedIds(): null {
    return null;
  }

  #text(value: number, which: number): string {
    return this.#texts.at(this.#words.at((value - 1) * NODE_WORDS + which));
  }
}

/** Lines of a text, found from the start up to the one that is asked for. */
class TextLines {
  readonly #text: string;
  readonly #starts = [0];

  constructor(text: string) {
    this.#text = text;
  }

  /** The line at an index, from 0. O(lines before it) the first time. @throws CatalogueError "bad-metadata" */
  at(index: number): string {
    while (this.#starts.length <= index + 1) {
      const end = this.#text.indexOf("\n", this.#starts.at(-1));
      if (end < 0) throw badMetadata("nodes", "a node refers to a text that does not exist");
      this.#starts.push(end + 1);
    }
    return this.#text.slice(this.#starts[index], this.#starts[index + 1]! - 1);
  }
}
