import type { CatalogueAbout, CatalogueLayer, CatalogueSource } from "../documents.ts";
import { formatCounted } from "../format.ts";

/** The sources of the node or of one above it, otherwise those without a node: for catalogues that record no others. */
function declaredSources({ sources }: CatalogueAbout, id: string): readonly CatalogueSource[] {
  const own = sources.filter(({ node }) => node !== null && (id === node || id.startsWith(`${node}/`)));
  return own.length > 0 ? own : sources.filter(({ node }) => node === null);
}

/** The sources of a node's prefixes: those of these names, unless the catalogue is too old to name them. */
export function sourcesOf(about: CatalogueAbout, id: string, names: readonly string[]): readonly CatalogueSource[] {
  if (names.length === 0) return declaredSources(about, id);
  return about.sources.filter(({ source }) => names.includes(source));
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
