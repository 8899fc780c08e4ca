import type { Family, Prefix } from "../address/address.ts";
import { type Favour, freeze } from "../table/freeze.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { PrefixPairs } from "../trie/prefix-pairs.ts";
import type { PrefixSource } from "../trie/prefix-source.ts";
import { PrefixTrie } from "../trie/prefix-trie.ts";
import { storeClaims } from "./_claim-table.ts";
import { checkName, defaultName, idParts } from "./_node-id.ts";
import { storeNodes } from "./_node-table.ts";
import { CatalogueError } from "./catalogue-error.ts";
import { type CatalogueMetadata, type CatalogueSource, sourceKey } from "./catalogue.ts";

/** What a catalogue's metadata says about it. */
export interface CatalogueSubject {
  readonly title: string;
  readonly createdAt: Date;
  readonly sources: readonly CatalogueSource[];
}

/** Collects nodes and prefixes; `freeze` then makes the table. */
export class CatalogueBuilder {
  readonly #trie = new PrefixTrie();
  /** What `append` has added since anything else was. */
  #pairs = new PrefixPairs();
  /** The value of the last `append`, and what it was for. */
  #last: { id: string; source: string | null; value: number } | null = null;
  readonly #nodes: { id: string; name: string }[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #named = new Set<string>();
  /** By source, its value for each node, and for each node and expiry; the source null is none. */
  readonly #values = new Map<string | null, Map<number | string, number>>();
  readonly #claims: { node: number; source: string | null }[] = [];
  /** By value; one that is not there never expires. */
  readonly #expiries = new Map<number, number>();

  /**
   * Names a node; ancestors that have no name yet are added under default names. Returns its number.
   * @throws CatalogueError "bad-id", "bad-name", or "node-conflict" when it has another name already.
   */
  addNode(id: string, name: string): number {
    checkName(name);
    const number = this.#numberOf(id);
    const node = this.#nodes[number - 1]!;
    if (this.#named.has(id) && node.name !== name) {
      throw new CatalogueError(
        "node-conflict",
        id,
        `${id} is named both ${JSON.stringify(node.name)} and ${JSON.stringify(name)}; settle on one`,
      );
    }
    this.#named.add(id);
    node.name = name;
    return number;
  }

  /** Names a node unless it has a name already. @throws CatalogueError "bad-id", "bad-name" */
  addDefaultName(id: string, name: string): void {
    if (!this.#named.has(id)) this.addNode(id, name);
  }

  /**
   * Adds a prefix to a node, given by its id or label; the node is created if necessary. `source` is the key of the
   * source that says so, one of those passed to `build`. From `expiresAt` on, in milliseconds since the Unix epoch,
   * the prefix no longer belongs there; of several expiries the latest counts. False if the source had it there
   * already, for as long.
   * @throws CatalogueError "bad-id"
   */
  add(prefix: Prefix, id: string, source: string | null = null, expiresAt: number | null = null): boolean {
    this.#insertPairs();
    const node = this.#numberForPrefixes(id);
    if (expiresAt === null && this.#expiries.size === 0)
      return this.#trie.add(prefix, this.#valueOf(node, source, null));
    return this.#addFor(prefix, node, source, expiresAt);
  }

  /**
   * Adds a prefix to a node as `add` does, without an expiry; repeats of the same prefix, node and source count once.
   * For lists of millions: if nothing else is added before `freeze`, no trie is built, which would take most of the
   * time and memory.
   * @throws CatalogueError "bad-id"
   */
  append({ family, w0, w1, w2, w3, length }: Prefix, id: string, source: string | null = null): void {
    this.appendWords(family, w0, w1, w2, w3, length, id, source);
  }

  /**
   * As `append`, of a prefix in words without host bits; those after the first are 0 for IPv4.
   * @throws CatalogueError "bad-id"
   */
  appendWords(
    family: Family,
    w0: number,
    w1: number,
    w2: number,
    w3: number,
    length: number,
    id: string,
    source: string | null,
  ): void {
    const last = this.#last;
    const value =
      last !== null && last.id === id && last.source === source ? last.value : this.#valueToAppend(id, source);
    this.#pairs.add(family, w0, w1, w2, w3, length, value);
  }

  #valueToAppend(id: string, source: string | null): number {
    const value = this.#valueOf(this.#numberForPrefixes(id), source, null);
    this.#last = { id, source, value };
    return value;
  }

  /**
   * The table, and the metadata to write with it; `favour` is that of the function `freeze`.
   * @throws TypeError as `build`
   */
  freeze(about: CatalogueSubject, favour?: Favour): { table: PrefixTable; metadata: CatalogueMetadata } {
    return this.#freeze(about, this.#pairs, favour);
  }

  /** Like `freeze`, as the last call: drops what `append` added, to free its memory before the table takes as much. */
  finish(about: CatalogueSubject, favour?: Favour): { table: PrefixTable; metadata: CatalogueMetadata } {
    return this.#freeze(about, this.#pairs.drain(), favour);
  }

  #freeze(
    about: CatalogueSubject,
    pairs: PrefixSource,
    favour: Favour = "balance",
  ): { table: PrefixTable; metadata: CatalogueMetadata } {
    const hasPairs = this.#pairs.count > 0 && this.#trie.size === 0;
    if (!hasPairs) this.#insertPairs();
    const expiresAt = this.#expiresAt();
    const metadata = this.#metadata(about);
    const options = { favour, ...(expiresAt !== undefined && { expiresAt }) };
    const table = freeze(hasPairs ? pairs : this.#trie, options);
    return { table, metadata };
  }

  /**
   * The trie to freeze, and the metadata to write with its table: `freeze(trie, { expiresAt })`. Without any expiry,
   * `expiresAt` is undefined.
   * @throws TypeError when a prefix has a source that is not among these
   */
  build(about: CatalogueSubject): {
    trie: PrefixTrie;
    metadata: CatalogueMetadata;
    expiresAt: ((valueId: number) => number | null) | undefined;
  } {
    this.#insertPairs();
    return { trie: this.#trie, metadata: this.#metadata(about), expiresAt: this.#expiresAt() };
  }

  #metadata({ title, createdAt, sources }: CatalogueSubject): CatalogueMetadata {
    return {
      format: 3,
      title,
      createdAt: createdAt.toISOString(),
      sources,
      nodes: storeNodes(this.#nodes),
      claims: storeClaims(this.#claims, sources.map(sourceKey)),
    };
  }

  #expiresAt(): ((valueId: number) => number | null) | undefined {
    const expiries = this.#expiries;
    return expiries.size === 0 ? undefined : (value) => expiries.get(value) ?? null;
  }

  /** Puts what `append` has added into the trie, where expiries and repeats are compared. */
  #insertPairs(): void {
    if (this.#pairs.count === 0) return;
    for (const family of [4, 6] as const)
      this.#pairs.forEach(family, (w0, w1, w2, w3, length, value, more) => {
        const prefix = { family, w0, w1, w2, w3, length };
        for (const each of more ?? [value]) {
          const { node, source } = this.#claims[each - 1]!;
          if (this.#expiries.size === 0) this.#trie.add(prefix, each);
          else this.#addFor(prefix, node, source, null);
        }
      });
    this.#pairs = new PrefixPairs();
  }

  /** The number of a node that prefixes are added to. */
  #numberForPrefixes(id: string): number {
    if (id.length > 1 && id.lastIndexOf("/") === 0) {
      throw new CatalogueError(
        "bad-id",
        id,
        `${JSON.stringify(id)} is a type, and a prefix belongs to a provider; write ${id}/PROVIDER`,
      );
    }
    return this.#numberOf(id);
  }

  /** Of several expiries from one source for the same prefix and node, the latest is kept. */
  #addFor(prefix: Prefix, node: number, source: string | null, expiresAt: number | null): boolean {
    const known = this.#trie.values(prefix).find((value) => {
      const claim = this.#claims[value - 1]!;
      return claim.node === node && claim.source === source;
    });
    if (known !== undefined) {
      if ((this.#expiries.get(known) ?? Infinity) >= (expiresAt ?? Infinity)) return false;
      this.#trie.remove(prefix, known);
    }
    return this.#trie.add(prefix, this.#valueOf(node, source, expiresAt));
  }

  /** Expiries belong to values: each that a claim is made with is another value. */
  #valueOf(node: number, source: string | null, expiresAt: number | null): number {
    let values = this.#values.get(source);
    if (values === undefined) this.#values.set(source, (values = new Map()));
    const key = expiresAt === null ? node : `${node} ${expiresAt}`;
    let value = values.get(key);
    if (value !== undefined) return value;
    values.set(key, (value = this.#claims.push({ node, source })));
    if (expiresAt !== null) this.#expiries.set(value, expiresAt);
    return value;
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const { parent } = idParts(id);
    if (parent !== null) this.#numberOf(parent);
    const number = this.#nodes.push({ id, name: defaultName(id) });
    this.#numbers.set(id, number);
    return number;
  }
}
