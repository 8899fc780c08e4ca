import type { Migration } from "./migration.ts";

/** Users and their sessions, and what an audit log needs besides changes: the command, and the previous state. */
export const users: Migration = () => [
  `create table users (
    id text not null primary key, organisation_id text not null references organisations (id), name text not null, name_key text not null,
    role text not null check (role in ('viewer', 'editor', 'admin')), password text, invitation text unique, invited_until bigint,
    created_at bigint not null, last_sign_in_at bigint, deleted_at bigint)`,
  // The name of a deleted user is free again.
  `create unique index users_by_name on users (name_key) where deleted_at is null`,
  `create table sessions (
    digest text not null primary key, user_id text not null references users (id), created_at bigint not null, expires_at bigint not null)`,
  `create index sessions_by_user on sessions (user_id)`,
  ...["command text", "ruleset_id text", "rule_count bigint", "old text", "old_rules text"].map(
    (column) => `alter table changes add column ${column}`,
  ),
  `create index changes_by_organisation on changes (organisation_id, sequence)`,
  // Users have a table: an account on the command line is not a user.
  `update changes set actor = 'command:' || substr(actor, 6) where actor like 'user:%'`,
];
