import type { CatalogueAbout, CatalogueSource } from "../documents.ts";

/** Where the prefixes of a node come from: the sources that make it or one above it, else those that are tied to no node. */
export function sourcesOf({ sources }: CatalogueAbout, id: string): readonly CatalogueSource[] {
  const own = sources.filter(({ node }) => node !== null && (id === node || id.startsWith(`${node}/`)));
  return own.length > 0 ? own : sources.filter(({ node }) => node === null);
}

/** When a source was last known to be as it is here: asked for, or else published. */
export function dateOf({ fetched_at, published_at }: CatalogueSource): string | null {
  return fetched_at ?? published_at;
}

/** Only what a browser opens as a page is a link. */
export function isWebAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url);
}
