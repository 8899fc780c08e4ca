import type { Migration } from "./migration.ts";

/**
 * One table of the credentials of all kinds: API keys, and those of bouncers, edge components and TAXII clients. `scope`
 * is JSON of what a kind opens, so that a further kind needs no other columns. What refers to them is copied, as SQLite
 * cannot change what a column refers to.
 */
export const credentials: Migration = () => [
  `create table credentials (
    id text not null primary key, organisation_id text not null references organisations (id), kind text not null,
    label text not null, digest text not null unique, start text not null, created_at bigint not null, expires_at bigint,
    revoked_at bigint, scope text not null)`,
  `insert into credentials (id, organisation_id, kind, label, digest, start, created_at, expires_at, revoked_at, scope)
    select id, organisation_id, 'api', label, digest, start, created_at, expires_at, revoked_at,
      '{"access":"' || access || '","scopes":' || scopes || ',"networks":' || networks || '}' from api_keys`,
  `insert into credentials (id, organisation_id, kind, label, digest, start, created_at, revoked_at, scope)
    select id, organisation_id, kind, label, digest, start, created_at, revoked_at,
      '{"deploymentId":"' || deployment_id || '"' || case
        when kind <> 'bouncer' then '' when hosts_only = 1 then ',"hostsOnly":true' else ',"hostsOnly":false' end || '}'
    from deployment_credentials`,
  `insert into credentials (id, organisation_id, kind, label, digest, start, created_at, revoked_at, scope)
    select id, organisation_id, 'taxii', label, digest, start, created_at, revoked_at, '{"collections":' || collections || '}'
    from taxii_credentials`,
  `create table usage_of_keys (
    key_id text not null references credentials (id), area text not null check (area in ('', 'edl', 'cbs', 'cti')), month text not null,
    requests bigint not null, last_used_at bigint not null, primary key (key_id, area, month))`,
  `insert into usage_of_keys (key_id, area, month, requests, last_used_at)
    select key_id, area, month, requests, last_used_at from key_usage`,
  `drop table key_usage`,
  `alter table usage_of_keys rename to key_usage`,
  `create table states_of_bouncers (
    credential_id text not null primary key references credentials (id), version bigint not null, digest text not null,
    issued_at bigint not null, pulled_at bigint not null, agent text not null, doubt text)`,
  `insert into states_of_bouncers (credential_id, version, digest, issued_at, pulled_at, agent, doubt)
    select credential_id, version, digest, issued_at, pulled_at, agent, doubt from bouncer_states`,
  `drop table bouncer_states`,
  `alter table states_of_bouncers rename to bouncer_states`,
  `drop table api_keys`,
  `drop table deployment_credentials`,
  `drop table taxii_credentials`,
];
