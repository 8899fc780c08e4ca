import type { Migration } from "./migration.ts";

/** Lists that others publish: their definitions, what is needed to fetch them, and the last good content of each. */
export const externalLists: Migration = () => [
  `create table external_lists (
    id text not null primary key, organisation_id text not null references organisations (id), name text not null, definition text not null,
    created_at bigint not null, updated_at bigint not null, credentials text, content text, problem text,
    checked_at bigint, due_at bigint not null, claimed_until bigint not null, validators text, secret text)`,
  `create index external_lists_by_organisation on external_lists (organisation_id)`,
  `create table list_contents (
    list_id text not null primary key references external_lists (id), number bigint not null, content text not null)`,
];
