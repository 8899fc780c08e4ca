import { computed, signal } from "@preact/signals";
import type { Area, Role, Session } from "./documents.ts";

/** Who is signed in; null: no one; undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the last session has expired. */
export const hasExpired = signal(false);

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2 };
const role = computed(() => session.value?.user.role);

/** Whether the user has this role or a higher one. */
export function hasRole(needed: Role): boolean {
  return role.value !== undefined && RANKS[role.value] >= RANKS[needed];
}

/** Whether the organisation has an active plan for the area. */
export function hasPlan(area: Area): boolean {
  const plan = session.value?.plans.find((each) => each.area === area);
  return plan !== undefined && plan.active && (plan.until === null || Date.parse(plan.until) > Date.now());
}
