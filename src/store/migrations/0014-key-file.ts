import type { Migration } from "./migration.ts";

/** Which key file the servers of the database use: one row, once a server has used one. */
export const keyFile: Migration = () => [
  `create table key_file (id bigint not null primary key, fingerprint text not null)`,
];
