import type { Migration } from "./migration.ts";

/** Credentials of programs that follow deployments, and what each bouncer has received. */
export const deploymentCredentials: Migration = () => [
  `create table deployment_credentials (
    id text not null primary key, organisation_id text not null references organisations (id), deployment_id text not null references deployments (id),
    kind text not null, label text not null, digest text not null unique, start text not null, hosts_only bigint not null,
    created_at bigint not null, revoked_at bigint)`,
  `create table bouncer_states (
    credential_id text not null primary key references deployment_credentials (id), version bigint not null, digest text not null,
    issued_at bigint not null, pulled_at bigint not null, agent text not null)`,
  `create table bouncer_lists (
    deployment_id text not null, digest text not null, content text not null, primary key (deployment_id, digest))`,
];
