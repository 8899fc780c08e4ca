import type { Migration } from "./migration.ts";

/** What rulesets do with writes that would block something protected, and which of them have own networks. */
export const guards: Migration = () => [
  `alter table rulesets add column guard text not null default 'warn'`,
  `alter table rulesets add column never_block bigint not null default 0`,
];
