import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * The lists as published, one folder per provider, with a manifest that counts them; next to the checkout, or at
 * IPSIEVE_LISTS.
 */
export const PUBLISHED = resolve(process.env.IPSIEVE_LISTS ?? join(import.meta.dirname, "../../../shared/data/cbs"));
export const MANIFEST = join(PUBLISHED, "MANIFEST.md");

/** The reason why tests of the published lists are skipped; false if the lists are available. */
export const noPublishedLists: string | false = existsSync(MANIFEST)
  ? false
  : `no published lists in ${PUBLISHED}; name their folder in IPSIEVE_LISTS`;

/** The text of a list by its path below the folder; undefined if it is missing. */
export function readPublished(path: string): string | undefined {
  return existsSync(join(PUBLISHED, path)) ? readFileSync(join(PUBLISHED, path), "utf8") : undefined;
}
