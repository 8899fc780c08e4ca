import type { Family, Prefix } from "../address/address.ts";
import { MetadataGuards } from "../json/metadata-guards.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { type Favour, freeze } from "../table/freeze.ts";
import { PrefixPairs } from "../trie/prefix-pairs.ts";
import type { PrefixSource } from "../trie/prefix-source.ts";
import { PrefixTrie } from "../trie/prefix-trie.ts";
import { checkName, compareTexts, defaultName, idParts } from "./_node-id.ts";
import type { NodeIds } from "./_node-ids.ts";
import { ClaimTable, claimsOfNodes, storeClaims } from "./_claim-table.ts";
import {
  countNodes,
  NodesOnDemand,
  type NodesByNumber,
  NodeTable,
  type StoredNodes,
  storeNodes,
} from "./_node-table.ts";
import { badMetadata, CatalogueError } from "./catalogue-error.ts";
import type { MatchId } from "../table/match-id.ts";

/** A business service, or a group of them: one node of the catalogue's tree. */
export interface CatalogueNode {
  /** A path such as `/cloud/aws/by-service/ec2/us-east-1`, or the label of a user's list. */
  readonly id: string;
  readonly name: string;
  /** `cloud`, `cdn`, `saas`, `bot`, `security`, `isp`; `list` for a label; whatever else a path begins with. */
  readonly type: string;
  /** The second part of the path, or the label; empty for the node of a type. */
  readonly provider: string;
  readonly providerName: string;
  readonly service: string | null;
  readonly region: string | null;
  /** The names from the top down, joined by ` > `. */
  readonly label: string;
}

/** Where prefixes come from, and on what terms. */
export interface CatalogueSource {
  /** The id in the table of sources, such as "aws"; null for lists of no known publisher. */
  readonly id: string | null;
  readonly name: string;
  readonly version: string | null;
  readonly url: string | null;
  readonly license: string | null;
  readonly attribution: string | null;
  /** ISO 8601, UTC: when the publisher says that the list was made; null if the list does not say. */
  readonly publishedAt: string | null;
  /**
   * When the publisher was last asked with success, and when its prefixes or their places last differed from those
   * before.
   */
  readonly fetchedAt: string | null;
  readonly changedAt: string | null;
}

/** The kind of a snapshot that holds a catalogue. */
export const CATALOGUE_KIND = "catalogue";

/** What a snapshot of the kind "catalogue" stores besides its table. */
export interface CatalogueMetadata {
  readonly format: 3;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly sources: readonly CatalogueSource[];
  /** Ids and names; all else about a node follows from its id. */
  readonly nodes: StoredNodes;
  /**
   * What the values of the table stand for, from 1 on, two 32-bit words each: the number of a node, and the position
   * (from 1) of the source that names it, 0 if it is not known.
   */
  readonly claims: Uint8Array;
}

/** What one source says about a prefix: it belongs to this node. */
export interface Claim {
  readonly node: CatalogueNode;
  /** Null if the catalogue does not record it. */
  readonly source: CatalogueSource | null;
}

/** The id of the source of what AS numbers show. */
export const AS_SOURCE = "asn";

/** The name of a source in responses. */
export function sourceKey({ id, name }: Pick<CatalogueSource, "id" | "name">): string {
  return id ?? name;
}

/** When a source was last updated: published, else found changed, else fetched. */
export function sourceUpdatedAt({
  publishedAt,
  changedAt,
  fetchedAt,
}: Pick<CatalogueSource, "publishedAt" | "changedAt" | "fetchedAt">): string | null {
  return publishedAt ?? changedAt ?? fetchedAt;
}

/** Which nodes of a catalogue are checked: all at once, or each when it is requested. */
export type CatalogueChecks = "all" | "on demand";

/**
 * The tree of nodes, and the table that says which prefix belongs to which of them. Nodes are numbered from 1; a value
 * of the table is a claim, a node and the source that says so. Created from the metadata of a snapshot; a
 * `CatalogueNode` is created when it is first requested.
 */
export class Catalogue {
  readonly metadata: CatalogueMetadata;
  readonly table: PrefixTable;
  /** Prefixes that have expired at this time are left out. Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly #stored: NodesByNumber;
  readonly #claims: ClaimTable;
  /** By number. */
  readonly #nodes: (CatalogueNode | undefined)[];
  #all: readonly CatalogueNode[] | undefined;
  /** By match: its own prefix's, and those of its chain. */
  readonly #ownNodes: (readonly CatalogueNode[] | undefined)[] = [];
  readonly #nodesOf: (readonly CatalogueNode[] | undefined)[] = [];

  /**
   * Checks the metadata, which may come from an untrusted file; O(nodes). Prefixes that have expired at `now` have no
   * nodes; by default, nothing has expired. With `checks` "on demand", a node is checked when it is requested, which
   * then throws the same errors, and ids are not checked to be unique: for processes that need few of many nodes.
   * @throws CatalogueError "bad-metadata", "bad-id", "bad-name"
   */
  constructor(metadata: unknown, table: PrefixTable, now: number = -Infinity, checks: CatalogueChecks = "all") {
    this.metadata = checkedMetadata(metadata);
    this.table = table;
    this.now = now;
    const { nodes, claims, sources } = this.metadata;
    this.#stored = checks === "all" ? new NodeTable(nodes) : new NodesOnDemand(nodes);
    this.#claims = new ClaimTable(claims, this.#stored.count, sources.length);
    this.#nodes = new Array<undefined>(this.#stored.count + 1);
  }

  /** Nodes are numbered from 1 to this. O(1) */
  get nodeCount(): number {
    return this.#stored.count;
  }

  /** All nodes in the order of their numbers: `nodes[number - 1]`. O(nodes) at the first call. */
  get nodes(): readonly CatalogueNode[] {
    return (this.#all ??= Array.from({ length: this.nodeCount }, (_, i) => this.node(i + 1)));
  }

  /** The node with this number. @throws CatalogueError "unknown-value" */
  node(number: number): CatalogueNode {
    return (this.#nodes[number] ??= this.#makeNode(number));
  }

  /** The id of a node, without creating the node. @throws CatalogueError "unknown-value" */
  idOf(number: number): string {
    this.#checkNumber(number);
    return this.#nodes[number]?.id ?? this.#stored.id(number);
  }

  /** All ids as bytes, if all texts are of ASCII, so that the order of bytes is that of texts; null otherwise. */
  encodedIds(): NodeIds | null {
    return this.#stored.encodedIds();
  }

  /** The number of the node one level up, 0 at the top. @throws CatalogueError "unknown-value" */
  parentOf(number: number): number {
    this.#checkNumber(number);
    return this.#stored.parent(number);
  }

  /** The number of the node that a value of the table stands for. @throws CatalogueError "unknown-value" */
  numberOf(value: number): number {
    return this.#claims.nodeOf(value);
  }

  /**
   * The source of the claim that a value of the table stands for, as its position (from 1) in the metadata's sources;
   * 0 if it is not known.
   * @throws CatalogueError "unknown-value"
   */
  sourceOf(value: number): number {
    return this.#claims.sourceOf(value);
  }

  /** What a value of the table stands for. @throws CatalogueError "unknown-value" */
  claim(value: number): Claim {
    return { node: this.node(this.numberOf(value)), source: this.metadata.sources[this.sourceOf(value) - 1] ?? null };
  }

  /** Deep check: every value in the table stands for a node. O(matches). @throws CatalogueError "unknown-value" */
  checkValues(): void {
    for (let match = 1 as MatchId; match <= this.table.matchCount; match++)
      for (const value of this.table.values(match)) this.#claims.nodeOf(value);
  }

  /** The claims of sources about the match's own prefix, by the id of the node; none for match 0. */
  claimsOf(match: MatchId): Claim[] {
    const claims = match === 0 ? [] : this.valuesOf(match).map((value) => this.claim(value));
    return claims.sort((a, b) => compareTexts(a.node.id, b.node.id));
  }

  /**
   * The nodes that lists name for the match's own prefix, sorted by id; none for match 0. The same array at every call.
   */
  ownNodesOf(match: MatchId): readonly CatalogueNode[] {
    return (this.#ownNodes[match] ??= this.#sorted(match === 0 ? [] : this.valuesOf(match)));
  }

  /**
   * The nodes that lists name for any prefix of the match's chain, sorted by id, each once; none for match 0. The same
   * array at every call: after the first, this costs little more than the lookup of the address.
   */
  nodesOf(match: MatchId): readonly CatalogueNode[] {
    return (this.#nodesOf[match] ??= this.#sorted(
      this.table.chain(match).flatMap((covering) => this.valuesOf(covering)),
    ));
  }

  /** The values of the match's own prefix that have not expired. @throws as `PrefixTable.values` */
  valuesOf(match: MatchId): readonly number[] {
    return this.table.activeValues(match, this.now);
  }

  /** All values of the table are at most this. */
  get valueCount(): number {
    return this.#claims.count;
  }

  /** The value of the match's own prefix if it has just one and nothing covers the prefix; 0 otherwise. */
  onlyValueOf(match: MatchId): number {
    if (this.table.parent(match) !== 0) return 0;
    const value = this.table.onlyActiveValue(match, this.now);
    return value <= this.valueCount ? value : 0;
  }

  /**
   * The interval around `now` in which the set of expired prefixes stays the same: from the last expiry that has
   * passed to the next one; infinite on a side that has none. O(values).
   */
  unchangedWithin(): { readonly from: number; readonly until: number } {
    let [from, until] = [-Infinity, Infinity];
    for (const time of this.table.expiries()) {
      // A 0, as between lists of values, has passed whenever that is.
      if (time <= Math.max(0, this.now)) from = Math.max(from, time);
      else until = Math.min(until, time);
    }
    return { from, until };
  }

  #sorted(values: readonly number[]): readonly CatalogueNode[] {
    const numbers = [...new Set(values.map((value) => this.numberOf(value)))];
    return Object.freeze(numbers.map((number) => this.node(number)).sort((a, b) => compareTexts(a.id, b.id)));
  }

  #makeNode(number: number): CatalogueNode {
    this.#checkNumber(number);
    const id = this.#stored.id(number);
    const name = this.#stored.name(number);
    const parent = this.#stored.parent(number);
    const { type, provider, service, region } = idParts(id);
    if (parent === 0)
      return { id, name, type, provider, providerName: id.startsWith("/") ? "" : name, service, region, label: name };
    const above = this.node(parent);
    // The node of a type has no provider: the one below it is the provider.
    return {
      id,
      name,
      type,
      provider,
      providerName: above.provider === "" ? name : above.providerName,
      service,
      region,
      label: `${above.label} > ${name}`,
    };
  }

  #checkNumber(number: number): void {
    if (Number.isInteger(number) && number >= 1 && number <= this.nodeCount) return;
    throw new CatalogueError("unknown-value", number, `unknown node ${number}: the catalogue has ${this.nodeCount}`);
  }
}

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

const guards = new MetadataGuards(badMetadata);

function checkedMetadata(metadata: unknown): CatalogueMetadata {
  const { format, title, createdAt, sources, nodes, claims } = guards.record(metadata, "metadata");
  if (format !== 2 && format !== 3)
    throw badMetadata(
      "format",
      "it is neither 2 nor 3; read the file with the version that wrote it, or build it again",
    );
  guards.text(title, "title");
  checkTime(createdAt, "createdAt");
  const checkedSources = guards.list(sources, "sources").map(checkedSource);
  const { texts, places } = guards.record(nodes, "nodes");
  guards.text(texts, "nodes");
  if (!(places instanceof Uint8Array)) throw badMetadata("nodes", "its places are not bytes");
  if (format === 3 && !(claims instanceof Uint8Array)) throw badMetadata("claims", "they are not bytes");
  // Values of format 2 are the numbers of nodes. Which source a prefix comes from is known only where there is one.
  const readable =
    format === 3 ? (claims as Uint8Array) : claimsOfNodes(countNodes(places), checkedSources.length === 1 ? 1 : 0);
  return { ...(metadata as CatalogueMetadata), format: 3, sources: checkedSources, claims: readable };
}

/** Files of the first versions lack the id and the times. */
function checkedSource(value: unknown): CatalogueSource {
  const source = {
    id: null,
    publishedAt: null,
    fetchedAt: null,
    changedAt: null,
    ...guards.record(value, "sources"),
  } as Record<string, unknown>;
  guards.text(source["name"], "name");
  for (const member of ["id", "version", "url", "license", "attribution"])
    if (source[member] !== null) guards.text(source[member], member);
  for (const member of ["publishedAt", "fetchedAt", "changedAt"])
    if (source[member] !== null) checkTime(source[member], member);
  return source as unknown as CatalogueSource;
}

function checkTime(value: unknown, member: string): void {
  guards.date(guards.text(value, member), member);
}
