import { type EventType, RULE_EVENTS } from "../../store/event.ts";

/** The types of changes in a feed. */
export const CHANGE_TYPES = [
  ...RULE_EVENTS,
  "ruleset.created",
  "ruleset.updated",
  "ruleset.deleted",
  "deployment.generated",
  "deployment.refused",
  "deployment.not_pulled",
  "list.refreshed",
  "list.refused",
  "key.created",
  "key.revoked",
  "key.expiring",
  "catalogue.updated",
  "webhook.disabled",
] as const satisfies readonly EventType[];
