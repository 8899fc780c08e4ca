import type { Migration } from "./migration.ts";

/**
 * The stamp of a ruleset's version: the beginning of the random id of the transaction that wrote it. Versions from
 * before take it from their change, so that it is the same wherever they are read from.
 */
export const versionStamps: Migration = () => [
  `alter table rulesets add column stamp text not null default ''`,
  `update rulesets set stamp = coalesce(
    (select substr("transaction", 1, 8) from changes where changes.sequence = rulesets.version), '00000000')`,
];
