import type { Migration } from "./migration.ts";

/**
 * What servers have counted against limits, for one another: a row for each message of a server. Messages are useful
 * for a minute, so PostgreSQL need not keep them over a crash.
 */
export const limitCounts: Migration = (database) => [
  `create ${database === "postgres" ? "unlogged " : ""}table limit_counts (
    server text not null, number bigint not null, at bigint not null, age bigint not null, counts text not null,
    primary key (server, number))`,
];
