import type { CatalogueAbout, CatalogueLayer, CatalogueSource } from "../documents.ts";
import { formatCounted } from "../format.ts";
import type { Node } from "./tree-state.ts";

/**
 * Where the prefixes of a node come from: the sources of the node or of one above it, otherwise those without a node.
 */
export function sourcesOf({ sources }: CatalogueAbout, id: string): readonly CatalogueSource[] {
  const own = sources.filter(({ node }) => node !== null && (id === node || id.startsWith(`${node}/`)));
  return own.length > 0 ? own : sources.filter(({ node }) => node === null);
}

/**
 * The sources of a node's prefixes, as the node names them; if the catalogue is too old for that, those of the node.
 */
export function sourcesOfNode(about: CatalogueAbout, { id, sources }: Node): readonly CatalogueSource[] {
  if (id === null) return about.sources;
  if (sources.length === 0) return sourcesOf(about, id);
  const keys = new Set(sources.map(({ source }) => source));
  return about.sources.filter(({ source }) => keys.has(source));
}

/** "39 official lists" and the like, for a layer of the catalogue. */
export function layerText({ layer, sources }: CatalogueLayer): string {
  if (layer === "as-numbers") return "AS numbers";
  return formatCounted(sources, layer === "official" ? "official list" : "custom list");
}

/** The date on which a source was last confirmed: fetched or, otherwise, published. */
export function dateOf({ fetched_at, published_at }: CatalogueSource): string | null {
  return fetched_at ?? published_at;
}

/** Only addresses that a browser opens as a page become links. */
export function isWebAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url);
}
