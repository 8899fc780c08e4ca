import { MetadataGuards } from "../json/metadata-guards.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { compareTexts, idParts } from "./_node-id.ts";
import type { NodeIds } from "./_node-ids.ts";
import { ClaimTable, claimsOfNodes } from "./_claim-table.ts";
import { countNodes, NodesOnDemand, type NodesByNumber, NodeTable, type StoredNodes } from "./_node-table.ts";
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
  /** The catalogue has only a part of the list: an address that is not in it may still be in the list. */
  readonly isPartial?: boolean;
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
  /**
   * In a catalogue of lists that are laid over AS numbers, what the lists cover of these: the prefixes that a node's AS
   * numbers announce, as `announced.ts` writes them. With it, newer lists can be laid over the same AS numbers.
   */
  readonly announced?: Uint8Array;
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

/** Which nodes and claims of a catalogue are checked: all at once, or each when it is requested. */
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
   * nodes; by default, nothing has expired. With `checks` "on demand", a node or claim is checked when it is requested, which
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
    if (checks === "all") this.#claims.checkAll();
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

  /** All ids as bytes, if all texts are of ASCII, so that the order of bytes is that of texts; null otherwise. @internal */
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

  /** By match: as `onlyValueOf`, or 0 where finding it takes longer. Values may be unknown ones. O(matches) */
  onlyValues(): Uint32Array {
    return this.table.onlyActiveValues(this.now);
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
