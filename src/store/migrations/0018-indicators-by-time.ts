import type { Migration } from "./migration.ts";

/** Finds the versions of indicators by the times at which they were modified, which TAXII clients may ask for. */
export const indicatorsByTime: Migration = () => [
  `create index indicators_by_time on indicators (collection, modified, added)`,
];
