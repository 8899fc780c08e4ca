import type { NodeClass } from "../../collateral/node-classes.ts";

/** What happens to rules or lists that would block what they should not. */
export const GUARD_POLICIES = ["off", "warn", "refuse", "carve"] as const;
export type GuardPolicy = (typeof GUARD_POLICIES)[number];

/** Of which classes guards protect the services, in the order of `NODE_CLASSES`; null: nothing is said about it here. */
export type GuardClasses = readonly NodeClass[] | null;
