import { ServiceMemory, type LiveRuleset } from "../../../src/service/store/service-memory.ts";
import type { Prefix } from "../../../src/address/address.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import { EMPTY_STATE } from "../../../src/store/state.ts";

/** A memory with one ruleset, and how to change it. */
export interface ChangingRuleset {
  readonly current: () => LiveRuleset | undefined;
  /** Applies a change as the store delivers it: resolves when readers have it. */
  change(upserts: readonly Rule[], deletes?: readonly Prefix[]): void | Promise<void>;
}

/** A ruleset that changes as those of the service do, initially with these rules, which must be in order. */
export async function memoryOf(about: LiveRuleset["about"], rules: readonly Rule[]): Promise<ChangingRuleset> {
  const memory = new ServiceMemory();
  for (const part of columnsOf(rules)) memory.addRules({ rulesetId: about.id, rules: part });
  await memory.addState({ ...EMPTY_STATE, sequence: about.version, rulesets: [about] });
  const { id: rulesetId, organisationId } = about;
  return {
    current: () => memory.ruleset(organisationId, rulesetId),
    change(upserts, deletes = []) {
      const sequence = memory.sequence + 1;
      const signed = { sequence, stamp: `stamp-${sequence}`, at: sequence, actor: "user:test", organisationId };
      return memory.apply([{ ...signed, kind: "rules", rulesetId, upserts, deletes }]);
    },
  };
}
