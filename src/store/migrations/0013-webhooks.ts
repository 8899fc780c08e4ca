import type { Migration } from "./migration.ts";

/**
 * Endpoints that receive events, the progress of each, and what was sent to it; and leases: which server does which
 * task.
 */
export const webhooks: Migration = () => [
  `create table webhooks (
    id text not null primary key, organisation_id text not null references organisations (id), definition text not null, stopped text,
    rotation bigint not null, previous_until bigint, secret text not null, previous_secret text, created_at bigint not null, updated_at bigint not null)`,
  `create table webhook_progress (
    webhook_id text not null primary key references webhooks (id), sequence bigint not null, attempts bigint not null, next_at bigint,
    failing_since bigint, last_attempt_at bigint, last_success_at bigint, given_up bigint not null)`,
  `create table webhook_deliveries (
    webhook_id text not null references webhooks (id), at bigint not null, id text not null, message_id text not null, type text not null,
    cause text not null, attempt bigint not null, outcome text not null, status bigint, error text not null, milliseconds bigint not null,
    body text not null, primary key (webhook_id, at, id))`,
  `create table leases (name text not null primary key, holder text not null, until bigint not null)`,
];
