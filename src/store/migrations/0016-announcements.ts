import type { Migration } from "./migration.ts";

/**
 * When keys and deployments had an event that comes only once, by their id; and the identity of the tables, to
 * recognize a database that was restored from a dump.
 */
export const announcements: Migration = () => [
  `create table announcements (about text not null primary key, at bigint not null)`,
  `alter table store add column identity text`,
];
