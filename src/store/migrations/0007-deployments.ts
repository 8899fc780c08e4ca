import type { Migration } from "./migration.ts";

/** Lists at URLs: their definitions, the list that is published of each, and who fetched it. */
export const deployments: Migration = () => [
  `create table deployments (
    id text not null primary key, organisation_id text not null references organisations (id), name text not null, definition text not null,
    created_at bigint not null, updated_at bigint not null, deleted_at bigint, rotation bigint not null, previous_until bigint, password text,
    published text, refused text, released bigint)`,
  `create index deployments_by_organisation on deployments (organisation_id)`,
  `create table published_lists (
    deployment_id text not null primary key references deployments (id), generation bigint not null, content text not null)`,
  `create table pulls (
    deployment_id text not null, at bigint not null, id text not null, file text not null, address text not null, agent text not null,
    status bigint not null, bytes bigint not null, primary key (deployment_id, at, id))`,
  `create table pull_counts (
    deployment_id text not null, day bigint not null, pulls bigint not null, bytes bigint not null, primary key (deployment_id, day))`,
];
