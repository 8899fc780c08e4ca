import type { Migration } from "./migration.ts";

/** What programs that enforce deployments report as blocked, by hour. */
export const blockedCounts: Migration = () => [
  `create table blocked_counts (
    deployment_id text not null, hour bigint not null, source text not null, prefix text not null, unit text not null, amount bigint not null,
    primary key (deployment_id, hour, source, prefix, unit))`,
];
