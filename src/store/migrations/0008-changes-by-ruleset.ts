import type { Migration } from "./migration.ts";

/** To find the change that wrote a rule, which has its time. */
export const changesByRuleset: Migration = () => [
  `create index changes_by_ruleset on changes (ruleset_id, at) where ruleset_id is not null`,
];
