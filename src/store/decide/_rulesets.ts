import type { CreateRulesetCommand, UpdateRulesetCommand } from "../command.ts";
import { rulesetsTag } from "../if-match.ts";
import { RULESETS_SETTING } from "../records/limit-settings.ts";
import { PURPOSES, type Ruleset, UNGUARDED } from "../state.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkMatch } from "./_match.ts";
import { isSameJson } from "./_same-json.ts";
import { checkRoom } from "./_room.ts";
import { checkTexts } from "./_texts.ts";

type RulesetFields = Pick<
  CreateRulesetCommand,
  "organisationId" | "name" | "purpose" | "description" | "guard" | "guardClasses" | "neverBlock" | "at"
>;

/** `rulesets`: those of the organisation, which may have at most `max`. */
export function createRuleset(
  command: CreateRulesetCommand,
  rulesets: readonly Ruleset[],
  max: number,
  newId: NewId,
): Decision {
  checkTexts(command.name, command.description);
  checkRoomForRuleset(rulesets.length, max);
  checkList(command, rulesets);
  const ruleset = newRuleset(newId(), command);
  return {
    outcome: { ruleset },
    changes: [{ change: { kind: "ruleset", ruleset } }],
    writes: [{ insert: "ruleset", ruleset }],
  };
}

/** Throws StoreError (`too-many-rulesets`). */
export function checkRoomForRuleset(count: number, max: number): void {
  checkRoom("too-many-rulesets", { count, max }, `rulesets (${RULESETS_SETTING}); delete some first`);
}

/** Throws StoreError (`version-mismatch`). */
function checkList({ ifMatch }: CreateRulesetCommand, rulesets: readonly Ruleset[]): void {
  if (ifMatch === undefined) return;
  const lists = [rulesets, ...PURPOSES.map((purpose) => rulesets.filter((ruleset) => ruleset.purpose === purpose))];
  if (!lists.some((list) => ifMatch.lists.includes(rulesetsTag(list))))
    throw new StoreError("version-mismatch", "the list of rulesets has changed since; read it again");
}

/** Its version is known once its change has a number. */
export function newRuleset(id: string, fields: RulesetFields): Ruleset {
  const { organisationId, name, purpose, description, at } = fields;
  const { guard, guardClasses, neverBlock } = fields;
  return {
    id,
    organisationId,
    name,
    purpose,
    description,
    guard: guard ?? UNGUARDED.guard,
    guardClasses: guardClasses ?? UNGUARDED.guardClasses,
    neverBlock: neverBlock ?? UNGUARDED.neverBlock,
    createdAt: at,
    updatedAt: at,
    version: 0,
    stamp: "",
  };
}

/** `before`: after the earlier commands of the group; `found`: as the group found it. */
export function updateRuleset(
  command: UpdateRulesetCommand,
  before: Ruleset,
  found: Pick<Ruleset, "version" | "stamp">,
): Decision {
  checkMatch(found, command.ifMatch);
  const { name = before.name, description = before.description } = command;
  const { guard = before.guard, guardClasses = before.guardClasses, neverBlock = before.neverBlock } = command;
  checkTexts(name, description);
  const ruleset: Ruleset = { ...before, name, description, guard, guardClasses, neverBlock };
  if (isSameJson(ruleset, before)) return { outcome: { ruleset: before }, changes: [] };
  return savedAs({ ...ruleset, updatedAt: command.at }, before);
}

function savedAs(ruleset: Ruleset, before: Ruleset): Decision {
  return {
    outcome: { ruleset },
    changes: [{ change: { kind: "ruleset", ruleset }, old: before }],
    writes: [{ save: "ruleset", ruleset }],
  };
}
