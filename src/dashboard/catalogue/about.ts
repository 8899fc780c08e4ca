import type { CatalogueAbout, CatalogueLayer, CatalogueSource } from "../documents.ts";
import { formatCounted } from "../format.ts";
import type { Node } from "./tree-state.ts";

/**
 * Where the prefixes of a node come from: the sources that make it or one above it, else those that are tied to no
 * node.
 */
export function sourcesOf({ sources }: CatalogueAbout, id: string): readonly CatalogueSource[] {
  const own = sources.filter(({ node }) => node !== null && (id === node || id.startsWith(`${node}/`)));
  return own.length > 0 ? own : sources.filter(({ node }) => node === null);
}

/** The sources of a node's prefixes, as the node names them; those tied to it where the catalogue is too old to say. */
export function sourcesOfNode(about: CatalogueAbout, { id, sources }: Node): readonly CatalogueSource[] {
  if (id === null) return about.sources;
  if (sources.length === 0) return sourcesOf(about, id);
  const keys = new Set(sources.map(({ source }) => source));
  return about.sources.filter(({ source }) => keys.has(source));
}

/** "39 official lists" and the like, for a layer of the catalogue. */
export function layerText({ layer, sources }: CatalogueLayer): string {
  if (layer === "as-numbers") return "AS numbers";
  return formatCounted(sources, layer === "official" ? "official list" : "own list");
}

/** When a source was last known to be as it is here: asked for, or else published. */
export function dateOf({ fetched_at, published_at }: CatalogueSource): string | null {
  return fetched_at ?? published_at;
}

/** Only what a browser opens as a page is a link. */
export function isWebAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url);
}
