import type { Migration } from "./migration.ts";

/** An index to find the change that wrote a rule, by the rule's time. */
export const changesByRuleset: Migration = () => [
  `create index changes_by_ruleset on changes (ruleset_id, at) where ruleset_id is not null`,
];
