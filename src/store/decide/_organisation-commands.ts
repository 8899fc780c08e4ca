import { randomUUID } from "node:crypto";
import type { Decision, Group, Recorded } from "../sql/_group-commit.ts";
import { KeptParts, noTexts } from "../sql/_kept-parts.ts";
import { isStorable } from "../sql/_engine.ts";
import { areAlike } from "./_look-alikes.ts";
import { keyOf, organisationOf, planOf, rulesetOf } from "../sql/_read-state.ts";
import { readAllRules, ruleOfValues } from "../sql/_rule-rows.ts";
import { checkRoomForKey, checkRoomForRuleset } from "../sql/_room.ts";
import { checkMatch } from "./_ruleset-draft.ts";
import type {
  Command,
  CreateKeyCommand,
  CreateOrganisationCommand,
  CreateRulesetCommand,
  DeleteRulesetCommand,
  RecordDatasetCommand,
  RevokeKeyCommand,
  SetPlanCommand,
  UpdateRulesetCommand,
  UserCommand,
} from "../command.ts";
import { rulesetsTag } from "../if-match.ts";
import { RuleTally } from "./_rules-summary.ts";
import { keptLength } from "../kept-length.ts";
import { PURPOSES, type Ruleset } from "../state.ts";
import { StoreError } from "../store-error.ts";

type RulesetFields = Pick<CreateRulesetCommand, "organisationId" | "name" | "purpose" | "description" | "at">;

/** Commands that concern no rules. They are rare: each has statements of its own. */
export function decideOrganisation(group: Group, command: Exclude<Command, UserCommand>): Promise<Decision> {
  switch (command.kind) {
    case "create-ruleset":
      return createRuleset(group, command);
    case "update-ruleset":
      return updateRuleset(group, command);
    case "delete-ruleset":
      return deleteRuleset(group, command);
    case "create-organisation":
      return createOrganisation(group, command);
    case "set-plan":
      return setPlan(group, command);
    case "create-key":
      return createKey(group, command);
    case "revoke-key":
      return revokeKey(group, command);
    case "update-catalogue":
    case "import-feed":
      return recordDataset(group, command);
    default:
      throw new TypeError(`there is no command ${JSON.stringify((command as { kind?: unknown }).kind)}`);
  }
}

async function createRuleset(group: Group, command: CreateRulesetCommand): Promise<Decision> {
  checkTexts(command.name, command.description);
  await checkOrganisation(group, command.organisationId);
  await checkRoomForRuleset(group, command.organisationId);
  await checkList(group, command);
  const ruleset = await insertRuleset(group, randomUUID(), command);
  return { outcome: { ruleset }, changes: [{ change: { kind: "ruleset", ruleset } }] };
}

/** The numbers are locked: no ruleset changes meanwhile. Throws StoreError (`version-mismatch`). */
async function checkList({ within }: Group, { organisationId, ifMatch }: CreateRulesetCommand): Promise<void> {
  if (ifMatch === undefined) return;
  const rows = await within
    .selectFrom("rulesets")
    .select(["id", "version", "purpose"])
    .where("organisation_id", "=", organisationId)
    .execute();
  const lists = [rows, ...PURPOSES.map((wanted) => rows.filter(({ purpose }) => purpose === wanted))];
  if (!lists.some((list) => ifMatch.lists.includes(rulesetsTag(list))))
    throw new StoreError("version-mismatch", "the list of rulesets has changed since; read it again");
}

async function insertRuleset(
  { within }: Group,
  id: string,
  { organisationId, name, purpose, description, at }: RulesetFields,
): Promise<Ruleset> {
  const row = {
    id,
    organisation_id: organisationId,
    name,
    purpose,
    description,
    created_at: at,
    updated_at: at,
    version: 0,
    rule_count: 0,
  };
  return rulesetOf(await within.insertInto("rulesets").values(row).returningAll().executeTakeFirstOrThrow());
}

async function updateRuleset(group: Group, command: UpdateRulesetCommand): Promise<Decision> {
  const { row } = group.ruleset(command);
  checkMatch(row, command.ifMatch);
  const { name = row.name, description = row.description } = command;
  checkTexts(name, description);
  const before = await group.within
    .selectFrom("rulesets")
    .selectAll()
    .where("number", "=", row.number)
    .executeTakeFirstOrThrow();
  if (name === before.name && description === before.description)
    return { outcome: { ruleset: rulesetOf(before) }, changes: [] };
  await group.within.updateTable("rulesets").set({ name, description }).where("number", "=", row.number).execute();
  const ruleset = rulesetOf({ ...before, name, description, updated_at: command.at });
  return { outcome: { ruleset }, changes: [{ change: { kind: "ruleset", ruleset }, old: rulesetOf(before) }] };
}

async function deleteRuleset(group: Group, command: DeleteRulesetCommand): Promise<Decision> {
  const { row } = group.ruleset(command);
  checkMatch(row, command.ifMatch);
  const kept = await keepAll(group, row.number, command.at);
  await group.within.deleteFrom("rules").where("ruleset", "=", row.number).execute();
  await group.within.deleteFrom("rulesets").where("number", "=", row.number).execute();
  return {
    outcome: {},
    changes: [
      {
        change: { kind: "ruleset-deleted", rulesetId: row.id },
        old: rulesetOf(row),
        ...kept,
        ruleCount: row.rule_count,
      },
    ],
  };
}

/** Keeps all rules of a ruleset, while they are read. */
async function keepAll(
  { engine, within }: Group,
  number: number,
  at: number,
): Promise<Pick<Recorded, "kept" | "told">> {
  const parts = new KeptParts(engine, within, at);
  const tally = new RuleTally();
  for await (const rows of readAllRules(engine, within, number)) {
    for (const row of rows) {
      const rule = ruleOfValues(row);
      tally.add(rule, null);
      parts.count(keptLength(rule));
    }
    if (parts.isFull) await parts.drop();
    else await parts.write({ ...noTexts(), rules: [JSON.stringify(rows).slice(1, -1)] });
  }
  return { kept: parts.id, told: tally.told({ isKept: !parts.isFull }) };
}

export async function createOrganisation(
  group: Group,
  { name, at }: Pick<CreateOrganisationCommand, "name" | "at">,
): Promise<Decision> {
  checkTexts(name);
  await checkOrganisationName(group, name);
  const row = await group.within
    .insertInto("organisations")
    .values({ id: randomUUID(), name, created_at: at })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined)
    throw new StoreError("organisation-exists", `there is an organisation named ${JSON.stringify(name)} already`);
  const organisation = organisationOf(row);
  // In order, as both are of the same millisecond.
  const [first, second] = [randomUUID(), randomUUID()].sort();
  const fields = { organisationId: row.id, description: "", at };
  const allowlist = await insertRuleset(group, first!, { ...fields, name: "My Allowlist rules", purpose: "allowlist" });
  const blocklist = await insertRuleset(group, second!, {
    ...fields,
    name: "My Blocklist rules",
    purpose: "blocklist",
  });
  return {
    outcome: { organisation, rulesets: [allowlist, blocklist] },
    changes: [
      { change: { kind: "organisation", organisation } },
      { change: { kind: "ruleset", ruleset: allowlist } },
      { change: { kind: "ruleset", ruleset: blocklist } },
    ],
    organisationId: row.id,
  };
}

/**
 * Throws StoreError (`organisation-exists`) for a name that can be taken for another organisation's. O(organisations).
 */
async function checkOrganisationName({ within }: Group, name: string): Promise<void> {
  const organisations = await within.selectFrom("organisations").select("name").where("name", "!=", name).execute();
  const alike = organisations.find((each) => areAlike(each.name, name));
  if (alike !== undefined)
    throw new StoreError(
      "organisation-exists",
      `the name ${JSON.stringify(name)} looks like that of the organisation ${JSON.stringify(alike.name)}; choose another name`,
    );
}

export async function setPlan(
  group: Group,
  { organisationId, area, active, until, perMinute, perMonth }: Omit<SetPlanCommand, "kind" | "actor" | "at">,
): Promise<Decision> {
  await checkOrganisation(group, organisationId);
  const before = await group.within
    .selectFrom("plans")
    .selectAll()
    .where("organisation_id", "=", organisationId)
    .where("area", "=", area)
    .executeTakeFirst();
  const values = { active: active ? 1 : 0, until, per_minute: perMinute, per_month: perMonth };
  const row = await group.within
    .insertInto("plans")
    .values({ organisation_id: organisationId, area, ...values })
    .onConflict((conflict) => conflict.columns(["organisation_id", "area"]).doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
  const plan = planOf(row);
  return { outcome: { plan }, changes: [{ change: { kind: "plan", plan }, old: before && planOf(before) }] };
}

async function createKey(
  group: Group,
  { organisationId, label, access, digest, start, expiresAt, at }: CreateKeyCommand,
): Promise<Decision> {
  checkTexts(label);
  await checkOrganisation(group, organisationId);
  await checkRoomForKey(group, organisationId);
  const values = {
    id: randomUUID(),
    organisation_id: organisationId,
    label,
    access,
    digest,
    start,
    created_at: at,
    expires_at: expiresAt,
    revoked_at: null,
  };
  const row = await group.within
    .insertInto("api_keys")
    .values(values)
    .onConflict((conflict) => conflict.column("digest").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new StoreError("key-exists", "there is a key of this digest already; make another");
  const key = keyOf(row);
  return { outcome: { key }, changes: [{ change: { kind: "key", key } }] };
}

async function revokeKey({ within }: Group, { organisationId, keyId, at }: RevokeKeyCommand): Promise<Decision> {
  const own = within
    .updateTable("api_keys")
    .set({ revoked_at: at })
    .where("id", "=", keyId)
    .where("organisation_id", "=", organisationId);
  const row = await own.where("revoked_at", "is", null).returningAll().executeTakeFirst();
  if (row !== undefined) {
    const key = keyOf(row);
    return { outcome: { key }, changes: [{ change: { kind: "key", key }, old: { ...key, revokedAt: null } }] };
  }
  const revoked = await within
    .selectFrom("api_keys")
    .selectAll()
    .where("id", "=", keyId)
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (revoked === undefined) throw new StoreError("key-not-found", `there is no key ${keyId}`);
  return { outcome: { key: keyOf(revoked) }, changes: [] };
}

async function recordDataset(group: Group, command: RecordDatasetCommand): Promise<Decision> {
  checkTexts(command.new.source ?? "", command.old?.source ?? "");
  await checkOrganisation(group, command.organisationId);
  return {
    outcome: {},
    changes: [{ change: { kind: "dataset", dataset: command.new }, old: command.old ?? undefined }],
  };
}

/** Organisations are never deleted, so that it need not be locked. */
export async function checkOrganisation({ within }: Group, id: string): Promise<void> {
  const row = await within.selectFrom("organisations").select("id").where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new StoreError("organisation-not-found", `there is no organisation ${id}`);
}

export function checkTexts(...texts: readonly string[]): void {
  const bad = texts.find((text) => !isStorable(text));
  if (bad !== undefined)
    throw new StoreError(
      "invalid-text",
      `the text ${JSON.stringify(bad)} holds a NUL character or half a surrogate pair`,
    );
}
