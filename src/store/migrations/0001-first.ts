import type { Migration } from "./migration.ts";

/** The tables of the first release. Times are milliseconds, ids UUIDs, flags 0 or 1; bodies and answers are JSON. */
export const first: Migration = (engine) => [
  `create table store (id integer not null primary key check (id = 1), schema integer not null, sequence bigint not null)`,
  `insert into store (id, schema, sequence) values (1, 0, 0)`,
  `create table organisations (id text not null primary key, name text not null unique, created_at bigint not null)`,
  `create table plans (
    organisation_id text not null references organisations (id), area text not null check (area in ('edl', 'cbs', 'cti')),
    active integer not null check (active in (0, 1)), until bigint, per_minute bigint, per_month bigint, primary key (organisation_id, area))`,
  `create table api_keys (
    id text not null primary key, organisation_id text not null references organisations (id), label text not null,
    access text not null check (access in ('read', 'read_write')), digest text not null unique, start text not null,
    created_at bigint not null, expires_at bigint, revoked_at bigint)`,
  `create table rulesets (
    number ${engine === "sqlite" ? "integer primary key autoincrement" : "bigint generated always as identity primary key"},
    id text not null unique, organisation_id text not null references organisations (id), name text not null,
    purpose text not null check (purpose in ('allowlist', 'blocklist')), description text not null, created_at bigint not null,
    updated_at bigint not null, version bigint not null, rule_count bigint not null check (rule_count >= 0))`,
  // Ordered by bytes, whatever the database's language.
  `create table rules (
    ruleset bigint not null references rulesets (number), prefix text ${engine === "sqlite" ? "" : 'collate "C"'} not null, name text,
    expires_at bigint, created_at bigint not null, updated_at bigint not null, primary key (ruleset, prefix)) ${engine === "sqlite" ? "without rowid" : ""}`,
  `create table changes (
    sequence bigint not null primary key, "transaction" text not null, at bigint not null, actor text not null, organisation_id text not null,
    kind text not null, body text not null)`,
  `create table idempotency (
    organisation_id text not null, key text not null, request text not null, answer text, created_at bigint not null, primary key (organisation_id, key))`,
  `create index idempotency_by_age on idempotency (created_at)`,
  `create table key_usage (
    key_id text not null references api_keys (id), month text not null, requests bigint not null, last_used_at bigint not null, primary key (key_id, month))`,
];
