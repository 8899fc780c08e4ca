import type { Migration } from "./migration.ts";

/**
 * The formats that could not express every prefix when lists were published without those. Deployments of that time
 * keep doing so; later ones do so only if they say it.
 */
const PARTIAL = "('sophos', 'ntop', 'checkpoint', 'azure-ip-group', 'cloudflare-list')";

export const unprocessable: Migration = (database) => [
  database === "sqlite"
    ? `update deployments set definition = json_set(definition, '$.options.unprocessable', 'omit')
       where json_extract(definition, '$.firewall_format') in ${PARTIAL}`
    : `update deployments
       set definition = cast(jsonb_set(cast(definition as jsonb), '{options,unprocessable}', '"omit"') as text)
       where cast(definition as jsonb) ->> 'firewall_format' in ${PARTIAL}`,
];
