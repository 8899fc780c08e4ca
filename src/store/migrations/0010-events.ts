import type { Migration } from "./migration.ts";

/**
 * The change feed: what happened, numbered per organisation, and for each ruleset up to when the expiries of its rules
 * are in the feed. Expiries before the migration are not in it. The feed of an existing organisation starts at number 1
 * without an event, so a reader that starts from 0 gets the error that it must read everything first.
 */
export const events: Migration = (database) => [
  `create table event_heads (organisation_id text not null primary key, feed text not null, sequence bigint not null)`,
  `insert into event_heads (organisation_id, feed, sequence)
    select id, ${database === "sqlite" ? "lower(hex(randomblob(16)))" : "replace(cast(gen_random_uuid() as text), '-', '')"}, 1 from organisations`,
  `create table events (
    organisation_id text not null, last bigint not null, first bigint not null, at bigint not null, type text not null, ruleset_id text,
    body text, parts text, part bigint, primary key (organisation_id, last)) ${database === "sqlite" ? "without rowid" : ""}`,
  `create table event_parts (id text not null, part bigint not null, body text not null, primary key (id, part))`,
  `create index rules_by_expiry on rules (ruleset, expires_at, prefix) where expires_at is not null`,
  `alter table rulesets add column expired_until bigint not null default 0`,
  `alter table rulesets add column next_expiry bigint`,
  `update rulesets set expired_until = ${database === "sqlite" ? "cast(strftime('%s', 'now') as integer) * 1000" : "cast(extract(epoch from now()) * 1000 as bigint)"}`,
  `update rulesets set next_expiry =
    (select min(expires_at) from rules where rules.ruleset = rulesets.number and rules.expires_at > rulesets.expired_until)`,
  `create index rulesets_by_next_expiry on rulesets (next_expiry) where next_expiry is not null`,
];
