import type { Migration } from "./migration.ts";

/**
 * Which keys and deployments have had an event that comes once: when, by their id. And which tables these are, for a
 * database that was restored from a dump.
 */
export const announcements: Migration = () => [
  `create table announcements (about text not null primary key, at bigint not null)`,
  `alter table store add column identity text`,
];
