import type { Migration } from "./migration.ts";

/** Of which classes guards protect the services; null: as those above them say. */
export const guardClasses: Migration = () => [
  `alter table organisations add column guard_classes text`,
  `alter table rulesets add column guard_classes text`,
];
