import type { Migration } from "./migration.ts";

/** What each bouncer has been sent and may not have received. */
export const bouncerDoubts: Migration = () => [`alter table bouncer_states add column doubt text`];
