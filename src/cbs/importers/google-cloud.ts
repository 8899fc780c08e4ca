import { GOOGLE_REGIONS, nameIn } from "./_names.ts";
import type { Importer } from "./imported-list.ts";
import { prefixesJson } from "./prefixes-json.ts";

/**
 * cloud.json: the "prefixes" format with a `service`, which is always "Google Cloud", and a `scope`, which is a region
 * or "global".
 */
export const googleCloud: Importer = prefixesJson({
  serviceMember: "service",
  regionMember: "scope",
  regionName: (code) => nameIn(GOOGLE_REGIONS, code),
});
