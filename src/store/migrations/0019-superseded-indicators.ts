import type { Migration } from "./migration.ts";

/**
 * `superseded`: the microsecond at which a later version was added; null for a last version. For versions that were
 * superseded before the migration, the time of the collection's last indicator stands for the unknown time.
 */
export const supersededIndicators: Migration = () => [
  `alter table indicators add column superseded bigint`,
  `update indicators set superseded = (select head from indicator_collections where number = collection) where state = 0`,
  `create index superseded_indicators on indicators (superseded) where superseded is not null`,
];
