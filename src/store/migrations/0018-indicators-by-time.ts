import type { Migration } from "./migration.ts";

/**
 * An index to find versions of indicators by the times at which they were modified, by which TAXII clients may filter.
 */
export const indicatorsByTime: Migration = () => [
  `create index indicators_by_time on indicators (collection, modified, added)`,
];
