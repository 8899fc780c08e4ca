import type { Ruleset } from "../../../src/store/state.ts";

/** A blocklist, made at time 1. */
export function aboutRuleset(id: string, organisationId: string, name = id): Ruleset {
  return {
    id,
    organisationId,
    name,
    purpose: "blocklist",
    description: "",
    guard: "warn",
    guardClasses: null,
    neverBlock: false,
    createdAt: 1,
    updatedAt: 1,
    version: 1,
    stamp: "00000001",
  };
}
