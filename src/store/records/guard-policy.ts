/** What happens to rules or lists that would block what they should not. */
export const GUARD_POLICIES = ["off", "warn", "refuse", "carve"] as const;
export type GuardPolicy = (typeof GUARD_POLICIES)[number];
