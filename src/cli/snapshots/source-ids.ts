import { SOURCES } from "../../cbs/importers/sources.ts";
import { NETWORKS_ID } from "../../update/update-networks.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Checks ids of sources. Throws UsageError with the one that was probably meant. */
export function checkedSourceIds(ids: readonly string[], others: readonly string[] = []): readonly string[] {
  const known = [...SOURCES.map(({ id }) => id), NETWORKS_ID, ...others];
  for (const id of ids) {
    if (known.includes(id)) continue;
    const meant = nearest(id, known);
    throw new UsageError(
      `there is no source ${JSON.stringify(id)}; ${meant === undefined ? '"ipsieve cbs sources" lists them' : `did you mean ${meant}?`}`,
    );
  }
  return ids;
}
