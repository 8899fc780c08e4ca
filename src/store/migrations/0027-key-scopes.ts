import type { Migration } from "./migration.ts";

/** What an API key may be used for, and from where. Keys from before: for everything, from anywhere. */
export const keyScopes: Migration = () => [
  `alter table api_keys add column scopes text not null default '[]'`,
  `alter table api_keys add column networks text not null default '[]'`,
];
