import type { Prefix } from "../address/address.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { PrefixTrie } from "../trie/prefix-trie.ts";
import { checkName, compareTexts, defaultName, placeOf } from "./_node-id.ts";
import { NodeTable, type StoredNodes, storeNodes } from "./_node-table.ts";
import { badMetadata, CatalogueError } from "./catalogue-error.ts";

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
  /** As in the table of sources, "aws"; null for lists of no known publisher. */
  readonly id: string | null;
  readonly name: string;
  readonly version: string | null;
  readonly url: string | null;
  readonly license: string | null;
  readonly attribution: string | null;
  /** ISO 8601, UTC: when the publisher says that the list was made; null where nobody says. */
  readonly publishedAt: string | null;
  /** When the publisher was last asked with success, and when its prefixes or their places last differed from those before. */
  readonly fetchedAt: string | null;
  readonly changedAt: string | null;
}

/** What a snapshot of the kind "catalogue" holds beside its table. */
export interface CatalogueMetadata {
  readonly format: 2;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly sources: readonly CatalogueSource[];
  /** Ids and names; all else about a node follows from its id. */
  readonly nodes: StoredNodes;
}

/**
 * The tree of nodes, and the table that says which prefix belongs to which of them. Made at once from the metadata of a snapshot;
 * a `CatalogueNode` is made when it is first asked for.
 */
export class Catalogue {
  readonly metadata: CatalogueMetadata;
  readonly table: PrefixTable;
  readonly #stored: NodeTable;
  /** By value id. */
  readonly #nodes: (CatalogueNode | undefined)[];
  #all: readonly CatalogueNode[] | undefined;
  /** By match: its own prefix's, and those of its chain. */
  readonly #ownNodes: (readonly CatalogueNode[] | undefined)[] = [];
  readonly #nodesOf: (readonly CatalogueNode[] | undefined)[] = [];

  /**
   * Checks the metadata, which may come from a file that anyone has written; O(nodes).
   * @throws CatalogueError "bad-metadata", "bad-id", "bad-name"
   */
  constructor(metadata: unknown, table: PrefixTable) {
    this.metadata = checkedMetadata(metadata);
    this.table = table;
    this.#stored = new NodeTable(this.metadata.nodes);
    this.#nodes = new Array<undefined>(this.#stored.count + 1);
  }

  get nodeCount(): number {
    return this.#stored.count;
  }

  /** All nodes in the order of value ids: `nodes[value - 1]`. O(nodes) at the first call. */
  get nodes(): readonly CatalogueNode[] {
    return (this.#all ??= Array.from({ length: this.nodeCount }, (_, i) => this.node(i + 1)));
  }

  /** The node that a value of the table stands for. @throws CatalogueError "unknown-value" */
  node(value: number): CatalogueNode {
    return (this.#nodes[value] ??= this.#makeNode(value));
  }

  /** The id of a node, where nothing else is asked. @throws CatalogueError "unknown-value" */
  idOf(value: number): string {
    this.#checkValue(value);
    return this.#nodes[value]?.id ?? this.#stored.id(value);
  }

  /** The value id of the node one level up, 0 at the top. @throws CatalogueError "unknown-value" */
  parentOf(value: number): number {
    this.#checkValue(value);
    return this.#stored.parent(value);
  }

  /** Deep check: every value in the table stands for a node. O(matches). @throws CatalogueError "unknown-value" */
  checkValues(): void {
    for (let match = 1; match <= this.table.matchCount; match++) for (const value of this.table.values(match)) this.#checkValue(value);
  }

  /** The nodes that lists name for the match's own prefix, sorted by id; none for match 0. The same array at every call. */
  ownNodesOf(match: number): readonly CatalogueNode[] {
    return (this.#ownNodes[match] ??= this.#sorted(match === 0 ? [] : this.table.values(match)));
  }

  /**
   * The nodes that lists name for any prefix of the match's chain, sorted by id, each once; none for match 0. The same array at every
   * call: after the first one, to ask it of an address costs little more than its lookup.
   */
  nodesOf(match: number): readonly CatalogueNode[] {
    return (this.#nodesOf[match] ??= this.#sorted([...new Set(this.table.chain(match).flatMap((covering) => this.table.values(covering)))]));
  }

  #sorted(values: readonly number[]): readonly CatalogueNode[] {
    return Object.freeze(values.map((value) => this.node(value)).sort((a, b) => compareTexts(a.id, b.id)));
  }

  #makeNode(value: number): CatalogueNode {
    this.#checkValue(value);
    const id = this.#stored.id(value);
    const name = this.#stored.name(value);
    const parent = this.#stored.parent(value);
    const { type, provider, service, region } = placeOf(id);
    if (parent === 0) return { id, name, type, provider, providerName: id.startsWith("/") ? "" : name, service, region, label: name };
    const above = this.node(parent);
    // The node of a type has no provider: the one below it is the provider.
    return { id, name, type, provider, providerName: above.provider === "" ? name : above.providerName, service, region, label: `${above.label} > ${name}` };
  }

  #checkValue(value: number): void {
    if (Number.isInteger(value) && value >= 1 && value <= this.nodeCount) return;
    throw new CatalogueError("unknown-value", value, `the table names node ${value}, but the catalogue has ${this.nodeCount}; build it again`);
  }
}

/** Collects nodes and prefixes; `freeze(trie)` then makes the table. */
export class CatalogueBuilder {
  readonly #trie = new PrefixTrie();
  readonly #nodes: { id: string; name: string }[] = [];
  readonly #values = new Map<string, number>();
  readonly #named = new Set<string>();

  /**
   * Names a node; its ancestors are added under default names if nobody has named them. Returns its value id.
   * @throws CatalogueError "bad-id", "bad-name", or "node-conflict" when it has another name already.
   */
  addNode(id: string, name: string): number {
    checkName(name);
    const value = this.#place(id);
    const node = this.#nodes[value - 1]!;
    if (this.#named.has(id) && node.name !== name) {
      throw new CatalogueError("node-conflict", id, `${id} is named both ${JSON.stringify(node.name)} and ${JSON.stringify(name)}; settle on one`);
    }
    this.#named.add(id);
    node.name = name;
    return value;
  }

  /**
   * Puts a prefix into a node, given by its id or label, which is added if need be. False if it was there already.
   * @throws CatalogueError "bad-id"
   */
  add(prefix: Prefix, id: string): boolean {
    if (id.length > 1 && id.lastIndexOf("/") === 0) {
      throw new CatalogueError("bad-id", id, `${JSON.stringify(id)} is a type, and a prefix belongs to a provider; write ${id}/PROVIDER`);
    }
    return this.#trie.add(prefix, this.#place(id));
  }

  build(about: { title: string; createdAt: Date; sources: readonly CatalogueSource[] }): { trie: PrefixTrie; metadata: CatalogueMetadata } {
    const { title, createdAt, sources } = about;
    const metadata = { format: 2, title, createdAt: createdAt.toISOString(), sources, nodes: storeNodes(this.#nodes) } as const;
    return { trie: this.#trie, metadata };
  }

  #place(id: string): number {
    const known = this.#values.get(id);
    if (known !== undefined) return known;
    const { parent } = placeOf(id);
    if (parent !== null) this.#place(parent);
    const value = this.#nodes.push({ id, name: defaultName(id) });
    this.#values.set(id, value);
    return value;
  }
}

function checkedMetadata(metadata: unknown): CatalogueMetadata {
  const { format, title, createdAt, sources, nodes } = record(metadata, "metadata");
  if (format !== 2) throw badMetadata("format", "it is not 2; read the file with the version that wrote it, or build it again");
  text(title, "title");
  checkTime(createdAt, "createdAt");
  const checkedSources = list(sources, "sources").map(checkedSource);
  const { texts, places } = record(nodes, "nodes");
  text(texts, "nodes");
  if (!(places instanceof Uint8Array)) throw badMetadata("nodes", "its places are no bytes");
  return { ...(metadata as CatalogueMetadata), sources: checkedSources };
}

/** Files of the first versions lack the id and the times. */
function checkedSource(value: unknown): CatalogueSource {
  const source = { id: null, publishedAt: null, fetchedAt: null, changedAt: null, ...record(value, "sources") } as Record<string, unknown>;
  text(source["name"], "name");
  for (const member of ["id", "version", "url", "license", "attribution"]) if (source[member] !== null) text(source[member], member);
  for (const member of ["publishedAt", "fetchedAt", "changedAt"]) if (source[member] !== null) checkTime(source[member], member);
  return source as unknown as CatalogueSource;
}

function checkTime(value: unknown, member: string): void {
  if (Number.isNaN(Date.parse(text(value, member)))) throw badMetadata(member, "it is no date");
}

function record(value: unknown, member: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw badMetadata(member, "there is no object where one should be");
}

function list(value: unknown, member: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw badMetadata(member, "it is no array");
}

function text(value: unknown, member: string): string {
  if (typeof value === "string") return value;
  throw badMetadata(member, "it is no text");
}
