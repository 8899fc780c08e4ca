import type { CreateOrganisationCommand, SetGuardClassesCommand, SetPlanCommand } from "../command.ts";
import type { Organisation, Plan, Ruleset } from "../state.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { areAlike } from "./_look-alikes.ts";
import { newRuleset } from "./_rulesets.ts";
import { isSameJson } from "./_same-json.ts";
import { checkTexts } from "./_texts.ts";

/** With its first two rulesets. `names`: those of all organisations. Throws StoreError (`organisation-exists`). */
export function createOrganisation(
  { name, at }: Pick<CreateOrganisationCommand, "name" | "at">,
  names: readonly string[],
  newId: NewId,
): Decision & { readonly organisationId: string } {
  checkTexts(name);
  checkOrganisationName(name, names);
  const organisation: Organisation = { id: newId(), name, createdAt: at, guardClasses: null };
  // Sorted, because both are created in the same millisecond.
  const [first, second] = [newId(), newId()].sort() as [string, string];
  const fields = { organisationId: organisation.id, description: "", at };
  const rulesets: readonly Ruleset[] = [
    newRuleset(first, { ...fields, name: "My Allowlist rules", purpose: "allowlist" }),
    newRuleset(second, { ...fields, name: "My Blocklist rules", purpose: "blocklist" }),
  ];
  return {
    outcome: { organisation, rulesets },
    changes: [
      { change: { kind: "organisation", organisation } },
      ...rulesets.map((ruleset) => ({ change: { kind: "ruleset", ruleset } as const })),
    ],
    writes: [
      { insert: "organisation", organisation },
      ...rulesets.map((ruleset) => ({ insert: "ruleset", ruleset }) as const),
    ],
    organisationId: organisation.id,
  };
}

/** Also rejects a name that can be mistaken for another organisation's. O(organisations). */
function checkOrganisationName(name: string, names: readonly string[]): void {
  if (names.includes(name))
    throw new StoreError("organisation-exists", `an organisation named ${JSON.stringify(name)} already exists`);
  const alike = names.find((each) => areAlike(each, name));
  if (alike !== undefined)
    throw new StoreError(
      "organisation-exists",
      `the name ${JSON.stringify(name)} looks like that of the organisation ${JSON.stringify(alike)}; choose another name`,
    );
}

export function setGuardClasses({ guardClasses }: SetGuardClassesCommand, before: Organisation): Decision {
  const organisation: Organisation = { ...before, guardClasses };
  if (isSameJson(guardClasses, before.guardClasses)) return { outcome: { organisation: before }, changes: [] };
  return {
    outcome: { organisation },
    changes: [{ change: { kind: "organisation", organisation }, old: before }],
    writes: [{ save: "organisation", organisation }],
  };
}

/** `before`: the current plan, if there is one. A plan that is turned off has ended then, if not earlier. */
export function setPlan(
  { organisationId, area, active, until, perMinute, perMonth, at }: Omit<SetPlanCommand, "kind" | "actor">,
  before: Plan | undefined,
): Decision {
  const end = active ? until : Math.min(at, until ?? at, before?.until ?? at);
  const plan: Plan = { organisationId, area, active, until: end, perMinute, perMonth };
  return {
    outcome: { plan },
    changes: [{ change: { kind: "plan", plan }, old: before }],
    writes: [{ save: "plan", plan }],
  };
}

/** Throws StoreError (`organisation-not-found`). */
export function checkOrganisation(id: string, exists: boolean): void {
  if (!exists) throw new StoreError("organisation-not-found", `unknown organisation ${id}`);
}
