import { compareTexts } from "./_node-id.ts";
import { type CatalogueNode, type CatalogueSource, sourceKey, sourceUpdatedAt } from "./catalogue.ts";
import { type Layer, layerOf } from "./catalogue-ages.ts";
import { type CatalogueTree, type Extent, ROOT } from "./catalogue-tree.ts";
import type { InParts } from "./in-parts.ts";
import { finished } from "../turns/finished.ts";

/** A node below another one. */
export interface ChildDocument extends Extent {
  readonly id: string;
  readonly name: string;
  readonly has_children: boolean;
  /** The sources of its prefixes and of those below it, by name; empty as in `NodeDocument`. */
  readonly sources: readonly string[];
}

/**
 * A node, what it and all nodes below it hold, and its children by id. The root has no id, type, provider or parent.
 */
export interface NodeDocument extends Extent {
  readonly id: string | null;
  readonly name: string;
  /** The names from the top down, joined by ` > `; empty for the root. */
  readonly label: string;
  readonly type: string | null;
  readonly provider: string | null;
  readonly service: string | null;
  readonly region: string | null;
  readonly parent: string | null;
  /** The nodes above it, from the top down. */
  readonly path: readonly { readonly id: string; readonly name: string }[];
  /** When the catalogue was made. */
  readonly updated_at: string;
  /** Where the prefixes of the node and of those below it come from, if all of them come from one source. */
  readonly source_url: string | null;
  /**
   * All sources of these prefixes, in the order of the catalogue's; empty if the catalogue is too old to record them.
   */
  readonly sources: readonly SourceDocument[];
  readonly children: readonly ChildDocument[];
}

/** The source of prefixes, and its dates: ISO 8601, UTC. */
export interface SourceDocument {
  /** As in the matches of a lookup. */
  readonly source: string;
  readonly name: string;
  readonly layer: Layer;
  readonly url: string | null;
  /** When it was published, otherwise found changed, otherwise fetched. */
  readonly updated_at: string | null;
  readonly published_at: string | null;
  readonly fetched_at: string | null;
  readonly changed_at: string | null;
}

/**
 * The node with this id; without one, the root. O(children + depth) once the tree has counted.
 * @throws CatalogueError "unknown-id"
 */
export function browse(tree: CatalogueTree, id?: string): NodeDocument {
  const value = id === undefined ? ROOT : tree.valueOf(id);
  const above = value === ROOT ? [] : tree.path(value).slice(0, -1);
  const sources = tree.sourcesOf(value);
  return {
    ...headOf(tree, value),
    parent: above.length === 0 ? null : tree.node(above.at(-1)!).id,
    path: above.map((each) => ({ id: tree.node(each).id, name: tree.node(each).name })),
    ...tree.extent(value),
    updated_at: tree.catalogue.metadata.createdAt,
    source_url: sources.length === 1 ? sources[0]!.url : null,
    sources: sources.map(sourceDocument),
    children: tree.children(value).map((child) => childOf(tree, child)),
  };
}

function headOf(
  tree: CatalogueTree,
  value: number,
): Pick<NodeDocument, "id" | "name" | "label" | "type" | "provider" | "service" | "region"> {
  if (value === ROOT)
    return {
      id: null,
      name: tree.catalogue.metadata.title,
      label: "",
      type: null,
      provider: null,
      service: null,
      region: null,
    };
  const { id, name, label, type, provider, service, region } = tree.node(value);
  return { id, name, label, type, provider: provider === "" ? null : provider, service, region };
}

function childOf(tree: CatalogueTree, value: number): ChildDocument {
  const { id, name } = tree.node(value);
  return {
    id,
    name,
    ...tree.extent(value),
    has_children: tree.children(value).length > 0,
    sources: tree.sourcesOf(value).map(sourceKey),
  };
}

function sourceDocument(source: CatalogueSource): SourceDocument {
  const { name, url, publishedAt, fetchedAt, changedAt } = source;
  return {
    source: sourceKey(source),
    name,
    layer: layerOf(source),
    url,
    updated_at: sourceUpdatedAt(source),
    published_at: publishedAt,
    fetched_at: fetchedAt,
    changed_at: changedAt,
  };
}

/** Only items that match all given properties. */
export interface ListFilter {
  readonly type?: string | undefined;
  readonly provider?: string | undefined;
  readonly service?: string | undefined;
  readonly region?: string | undefined;
}

/** A provider, or a service or region of a provider, anywhere in the tree. */
export interface ListItem extends Extent {
  readonly type: string;
  readonly provider: string;
  readonly provider_name: string;
  /** The region, service or provider, as in ids. */
  readonly key: string;
  readonly name: string;
  /** The node that represents it: the one with the shortest path. */
  readonly id: string;
}

/** All providers that match the filter, by type, then provider. O(nodes + matches x nesting x nodes of a prefix). */
export function listProviders(tree: CatalogueTree, filter: ListFilter = {}): ListItem[] {
  return finished(listItems(tree, "providers", filter));
}

/** All services that match the filter, by type, provider, service. Takes as long as `listProviders`. */
export function listServices(tree: CatalogueTree, filter: ListFilter = {}): ListItem[] {
  return finished(listItems(tree, "services", filter));
}

/** All regions that match the filter, by type, provider, region, without `global`. Takes as long as `listProviders`. */
export function listRegions(tree: CatalogueTree, filter: ListFilter = {}): ListItem[] {
  return finished(listItems(tree, "regions", filter));
}

/** What is listed of nodes: the part of the path that stands for it, and its name. */
const LISTS = {
  providers: {
    keyOf: ({ provider }: CatalogueNode) => (provider === "" ? null : provider),
    nameOf: ({ providerName }: CatalogueNode) => providerName,
  },
  services: { keyOf: ({ service }: CatalogueNode) => service, nameOf: ({ name }: CatalogueNode) => name },
  regions: { keyOf: ({ region }: CatalogueNode) => region, nameOf: ({ name }: CatalogueNode) => name },
} as const;

export type ListName = keyof typeof LISTS;

const NODES_AT_ONCE = 1000;

/** One item per type, provider and key of the nodes; a prefix counts where one of the item's nodes has it. */
export function* listItems(tree: CatalogueTree, list: ListName, filter: ListFilter): InParts<ListItem[]> {
  const { keyOf, nameOf } = LISTS[list];
  const groups = new Map<string, { index: number; key: string; node: CatalogueNode }>();
  const groupOf: number[][] = [[]];
  for (const node of tree.catalogue.nodes) {
    if (groupOf.length % NODES_AT_ONCE === 0) yield;
    const key = passes(node, filter) ? keyOf(node) : null;
    if (key === null) {
      groupOf.push([]);
      continue;
    }
    // Parts of a path hold no slash and labels are their own provider, so that this is one text per group.
    const name = `${node.type}/${node.provider}/${key}`;
    const group = groups.get(name) ?? { index: groups.size, key, node };
    if (isShorter(node.id, group.node.id)) group.node = node;
    groups.set(name, group);
    groupOf.push([group.index]);
  }
  if (groups.size === 0) return [];
  const extents = yield* tree.tallyInParts(groups.size, (value) => groupOf[value]!);
  return [...groups.values()]
    .map(({ index, key, node }): ListItem => ({
      type: node.type,
      provider: node.provider,
      provider_name: node.providerName,
      key,
      name: nameOf(node),
      id: node.id,
      ...extents[index]!,
    }))
    .sort(compareListItems);
}

/** The order of lists: by type, then provider, then key. */
export function compareListItems(a: ListKey, b: ListKey): number {
  return compareTexts(a.type, b.type) || compareTexts(a.provider, b.provider) || compareTexts(a.key, b.key);
}

export type ListKey = Pick<ListItem, "type" | "provider" | "key">;

function passes(node: CatalogueNode, filter: ListFilter): boolean {
  return (["type", "provider", "service", "region"] as const).every(
    (member) => filter[member] === undefined || filter[member] === node[member],
  );
}

function isShorter(id: string, other: string): boolean {
  const parts = id.split("/").length - other.split("/").length;
  return parts < 0 || (parts === 0 && compareTexts(id, other) < 0);
}
