import type { Migration } from "./migration.ts";

/**
 * Rules whose expiry is in the feed although it has not come yet: a clock was ahead for a while. They have expiries
 * after `expired_until` of their ruleset, up to its `announced_until`; null: there are none.
 */
export const announcedExpiries: Migration = (database) => [
  `create table announced_expiries (
    ruleset bigint not null, prefix text ${database === "sqlite" ? "" : 'collate "C"'} not null, expires_at bigint not null,
    primary key (ruleset, prefix)) ${database === "sqlite" ? "without rowid" : ""}`,
  `alter table rulesets add column announced_until bigint`,
];
