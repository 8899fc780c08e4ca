import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * The lists as they were published, one folder a provider, and a manifest that counts them; beside a checkout, or where
 * IPSIEVE_LISTS says.
 */
export const PUBLISHED = resolve(process.env.IPSIEVE_LISTS ?? join(import.meta.dirname, "../../../shared/data/cbs"));
export const MANIFEST = join(PUBLISHED, "MANIFEST.md");

/** Why tests of the published lists are skipped; false where the lists are there. */
export const noPublishedLists: string | false = existsSync(MANIFEST)
  ? false
  : `no published lists in ${PUBLISHED}; name their folder in IPSIEVE_LISTS`;

/** The text of a list by its path below the folder, undefined where it is not there. */
export function readPublished(path: string): string | undefined {
  return existsSync(join(PUBLISHED, path)) ? readFileSync(join(PUBLISHED, path), "utf8") : undefined;
}
