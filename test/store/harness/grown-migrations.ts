import type { Migrations } from "../../../src/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../../src/store/migrations/migrate.ts";

/** The migrations of a later release: one more, which changes a table and its rows. */
export const GROWN: Migrations = {
  ...MIGRATIONS,
  "9999-note": () => [
    "alter table organisations add column note text",
    "update organisations set note = name",
    "insert into organisations (id, name, created_at) values ('1', 'one', 1)",
  ],
};
