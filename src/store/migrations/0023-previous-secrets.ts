import type { Migration } from "./migration.ts";

/**
 * Every replaced secret that still works, with its own end, as a JSON array; before, only the last one was kept. And
 * each of the URLs of a deployment that a key has read, as several of them may work.
 */
export const previousSecrets: Migration = () => [
  `alter table deployments add column previous text not null default '[]'`,
  `update deployments set previous = '[{"rotation":' || (rotation - 1) || ',"replacedAt":null,"until":' || previous_until || '}]'
    where previous_until is not null`,
  `alter table deployments drop column previous_until`,
  `alter table webhooks add column previous text not null default '[]'`,
  `update webhooks set previous = '[{"rotation":' || (rotation - 1) || ',"replacedAt":null,"until":' || previous_until
    || ',"secret":"' || previous_secret || '"}]'
    where previous_until is not null and previous_secret is not null`,
  `alter table webhooks drop column previous_until`,
  `alter table webhooks drop column previous_secret`,
  `create table read_urls (
    key_id text not null, deployment_id text not null, rotation bigint not null, at bigint not null,
    primary key (key_id, deployment_id, rotation))`,
  `insert into read_urls select key_id, deployment_id, rotation, at from url_readers`,
  `drop table url_readers`,
  `alter table read_urls rename to url_readers`,
];
