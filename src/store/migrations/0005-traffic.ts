import type { Migration } from "./migration.ts";

/** Traffic in steps of time: a row for each length of step and each time, of all servers together. */
export const traffic: Migration = () => [
  `create table traffic (
    step bigint not null, at bigint not null, requests bigint not null, refused bigint not null, failed bigint not null, lookups bigint not null, times text not null,
    primary key (step, at))`,
];
