import { namesOf, type Settings } from "../settings.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/**
 * Why admins of an organisation may not change what all organisations of the server share, and who can allow it;
 * undefined if they may. No other organisation is named.
 */
export function datasetRejection(
  { settings, memory }: { readonly settings: Pick<Settings, "datasetOrganisation">; readonly memory: ServiceMemory },
  organisationId: string,
  what = "the catalogue",
): string | undefined {
  const { datasetOrganisation } = settings;
  const setting = namesOf("dataset-organisation");
  if (datasetOrganisation !== "") {
    const isNamed = memory.organisation(organisationId)?.name === datasetOrganisation;
    return isNamed
      ? undefined
      : `${what} is shared by all organisations of this server; only admins of the one that ${setting} names may update it`;
  }
  if (memory.onlyOrganisation?.id === organisationId) return undefined;
  return `${what} is shared by all organisations of this server; start the server with ${setting} and the name of the organisation whose admins may update it`;
}
