import type { Migration } from "./migration.ts";

/**
 * Credentials for TAXII, and what their collections hold: every version of every indicator, numbered by the microsecond
 * at which it was added. `state`: 0, a later version exists; 1, the last version of an indicator whose prefix has a later
 * indicator; 2, the last version of the last indicator of its prefix.
 */
export const taxii: Migration = (database) => {
  const key = database === "sqlite" ? "" : 'collate "C"';
  return [
    `create table taxii_credentials (
      id text not null primary key, organisation_id text not null references organisations (id), label text not null,
      digest text not null unique, start text not null, collections text not null, created_at bigint not null,
      revoked_at bigint)`,
    `create table indicator_collections (
      id text not null primary key, number bigint not null unique, organisation_id text not null references organisations (id),
      head bigint not null, mark bigint not null, feed text not null, scan_mark bigint, scan_after text ${key})`,
    `create table indicators (
      collection bigint not null references indicator_collections (number), added bigint not null, id text not null,
      version bigint not null, prefix text ${key} not null, name text, kind text, created bigint not null,
      modified bigint not null, expires_at bigint, revoked bigint not null, state bigint not null,
      primary key (collection, added)) ${database === "sqlite" ? "without rowid" : ""}`,
    `create index indicators_by_id on indicators (collection, id)`,
    `create unique index indicators_by_prefix on indicators (collection, prefix) where state = 2`,
    `create index last_indicators on indicators (collection, added) where state > 0`,
  ];
};
