import type { Migration } from "./migration.ts";

/** Requests are counted by area. Earlier requests have no area: they remain in the sums, and count against no plan. */
export const usageByArea: Migration = () => [
  `create table usage_by_area (
    key_id text not null references api_keys (id), area text not null check (area in ('', 'edl', 'cbs', 'cti')), month text not null,
    requests bigint not null, last_used_at bigint not null, primary key (key_id, area, month))`,
  `insert into usage_by_area (key_id, area, month, requests, last_used_at) select key_id, '', month, requests, last_used_at from key_usage`,
  `drop table key_usage`,
  `alter table usage_by_area rename to key_usage`,
];
