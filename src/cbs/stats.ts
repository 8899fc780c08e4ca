import { compareTexts } from "./_node-id.ts";
import { type CatalogueTree, type Extent, ROOT } from "./catalogue-tree.ts";

/** What a catalogue holds, in all and by type. */
export interface CatalogueStats extends Extent {
  readonly title: string;
  readonly created_at: string;
  readonly sources: number;
  readonly nodes: number;
  readonly types: readonly TypeStats[];
}

/** The extent of all nodes of one type together; a prefix of several of them counts once. */
export interface TypeStats extends Extent {
  readonly type: string;
  /** The name of the type's node; the type itself for lists, which have none. */
  readonly name: string;
  readonly nodes: number;
}

/** Counts what a catalogue holds. O(nodes + matches x nesting x nodes of a prefix) once the tree has counted. */
export function catalogueStats(tree: CatalogueTree): CatalogueStats {
  const { metadata, nodes } = tree.catalogue;
  const types = [...new Set(nodes.map(({ type }) => type))].sort(compareTexts);
  const indexes = new Map(types.map((type, i) => [type, i]));
  const extents = tree.tally(types.length, (value) => [indexes.get(tree.node(value).type)!]);
  return {
    title: metadata.title,
    created_at: metadata.createdAt,
    sources: metadata.sources.length,
    nodes: nodes.length,
    ...tree.extent(ROOT),
    types: types.map((type, i) => ({
      type,
      name: tree.has(`/${type}`) ? tree.node(tree.valueOf(`/${type}`)).name : type,
      nodes: nodes.filter((node) => node.type === type).length,
      ...extents[i]!,
    })),
  };
}
