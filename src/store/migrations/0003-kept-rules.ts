import type { Migration } from "./migration.ts";

/**
 * The rules that large changes touched, in parts, and for each change a summary of its effect: counts, first rules, the
 * digest of the list.
 */
export const keptRules: Migration = () => [
  `create table kept_rules (id text not null, part bigint not null, at bigint not null, rules text not null, primary key (id, part))`,
  `create index kept_rules_by_age on kept_rules (at)`,
  `alter table changes add column kept text`,
  `alter table changes add column told text`,
];
