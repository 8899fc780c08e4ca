import type { Transaction } from "kysely";
import type { Account } from "../../decide/_decision.ts";
import type { RoomForCredential } from "../../decide/_credentials.ts";
import type { CreateCredentialCommand, JoinCommand, SetPlanCommand } from "../../command.ts";
import type { Organisation, Plan, Ruleset, Session } from "../../state.ts";
import { StoreError } from "../../store-error.ts";
import type { Deployment } from "../../records/deployment.ts";
import { type Credential, type CredentialKind, isOfKind, kindsWithin } from "../../records/credential.ts";
import { datasetCollectionId } from "../../records/indicator.ts";
import type { FetchedList } from "../../decide/_external-lists.ts";
import {
  accountOf,
  credentialOf,
  DEPLOYMENT,
  EXTERNAL_LIST,
  FETCH_STATE,
  ORGANISATION,
  PLAN,
  RULESET,
  SESSION,
} from "../_entities.ts";
import type { Tables } from "../_tables.ts";

// What is needed to decide commands about organisations, plans, keys, rulesets, users and sessions.

type Within = Transaction<Tables>;

export async function hasOrganisation(within: Within, id: string): Promise<boolean> {
  const row = await within.selectFrom("organisations").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Throws StoreError (`organisation-not-found`). */
export async function organisation(within: Within, id: string): Promise<Organisation> {
  const row = await within.selectFrom("organisations").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new StoreError("organisation-not-found", `unknown organisation ${id}`);
  return ORGANISATION.entityOf(row);
}

/** O(organisations). */
export async function organisations(within: Within): Promise<Organisation[]> {
  return (await within.selectFrom("organisations").selectAll().execute()).map((each) => ORGANISATION.entityOf(each));
}

export async function rulesetsOf(within: Within, organisationId: string): Promise<Ruleset[]> {
  const rows = within.selectFrom("rulesets").selectAll().where("organisation_id", "=", organisationId);
  return (await rows.execute()).map((each) => RULESET.entityOf(each));
}

/** After the earlier commands of the group. */
export async function rulesetNow(within: Within, number: number): Promise<Ruleset> {
  const row = within.selectFrom("rulesets").selectAll().where("number", "=", number);
  return RULESET.entityOf(await row.executeTakeFirstOrThrow());
}

export async function plan(within: Within, { organisationId, area }: SetPlanCommand): Promise<Plan | undefined> {
  const plans = within.selectFrom("plans").selectAll().where("organisation_id", "=", organisationId);
  const row = await plans.where("area", "=", area).executeTakeFirst();
  return row && PLAN.entityOf(row);
}

/** What a new credential may refer to, and how many there are. Throws StoreError (`deployment-not-found`). O(credentials). */
export async function roomForCredential(
  within: Within,
  command: CreateCredentialCommand,
): Promise<Omit<RoomForCredential, "max">> {
  const { organisationId, credential, digest } = command;
  const own = within.selectFrom("credentials").where("organisation_id", "=", organisationId);
  const { count } = await own
    .where("kind", "in", kindsWithin(credential))
    .where("revoked_at", "is", null)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const same = await within.selectFrom("credentials").select("id").where("digest", "=", digest).executeTakeFirst();
  return {
    count,
    isTaken: same !== undefined,
    deployment: "deploymentId" in command ? await deployment(within, command) : undefined,
    collections: "collections" in command ? await collectionsOf(within, organisationId) : new Set(),
  };
}

/** The ids of everything that may be a collection of a credential. */
async function collectionsOf(within: Within, organisationId: string): Promise<ReadonlySet<string>> {
  const rulesets = within.selectFrom("rulesets").select("id").where("organisation_id", "=", organisationId);
  const deployments = within.selectFrom("deployments").select("id").where("organisation_id", "=", organisationId);
  const all = [...(await rulesets.execute()), ...(await deployments.where("deleted_at", "is", null).execute())];
  return new Set([...all.map(({ id }) => id), datasetCollectionId(organisationId)]);
}

/** Never another organisation's, or of another kind. */
export async function credential<Kind extends CredentialKind>(
  within: Within,
  {
    organisationId,
    credential: kind,
    credentialId,
  }: {
    readonly organisationId: string;
    readonly credential: Kind;
    readonly credentialId: string;
  },
): Promise<Credential<Kind> | undefined> {
  const own = within.selectFrom("credentials").selectAll().where("organisation_id", "=", organisationId);
  const row = await own.where("id", "=", credentialId).executeTakeFirst();
  const found = row && credentialOf(row);
  return found && isOfKind(kind, found) ? found : undefined;
}

export async function hasUsers(within: Within): Promise<boolean> {
  return (await users(within).select("id").executeTakeFirst()) !== undefined;
}

/** The names of all users, and how many belong to the organisation. O(users). */
export async function userNames(within: Within, organisationId: string): Promise<{ names: string[]; count: number }> {
  const rows = await users(within).select(["name", "organisation_id"]).execute();
  const own = rows.filter((row) => row.organisation_id === organisationId);
  return { names: rows.map(({ name }) => name), count: own.length };
}

/** Throws StoreError (`user-not-found`), also for a deleted user and for another organisation's. */
export async function account(
  within: Within,
  { organisationId, userId }: { readonly organisationId: string; readonly userId: string },
): Promise<Account> {
  const own = users(within).selectAll().where("organisation_id", "=", organisationId);
  const row = await own.where("id", "=", userId).executeTakeFirst();
  if (row === undefined) throw new StoreError("user-not-found", `unknown user ${userId}`);
  return accountOf(row);
}

/** The user of an invitation that is valid at the time. */
export async function invitedAccount(within: Within, { invitation, at }: JoinCommand): Promise<Account | undefined> {
  const invited = within.selectFrom("users").selectAll().where("invitation", "=", invitation);
  const row = await invited.where("invited_until", ">", at).executeTakeFirst();
  return row && accountOf(row);
}

/** Whether the organisation has an admin besides this user who can sign in. */
export async function hasOtherAdmin(within: Within, { id, organisationId }: Account): Promise<boolean> {
  const others = users(within).select("id").where("organisation_id", "=", organisationId).where("id", "!=", id);
  const admins = others.where("role", "=", "admin").where("password", "is not", null);
  return (await admins.executeTakeFirst()) !== undefined;
}

export async function sessionsOf(within: Within, userId: string): Promise<Session[]> {
  return (await within.selectFrom("sessions").selectAll().where("user_id", "=", userId).execute()).map((each) =>
    SESSION.entityOf(each),
  );
}

export async function hasSession(within: Within, digest: string): Promise<boolean> {
  const row = within.selectFrom("sessions").select("digest").where("digest", "=", digest);
  return (await row.executeTakeFirst()) !== undefined;
}

/** How many deployments of the organisation are not deleted. */
export async function deploymentCount(within: Within, organisationId: string): Promise<number> {
  const own = within.selectFrom("deployments").where("organisation_id", "=", organisationId);
  const { count } = await own
    .where("deleted_at", "is", null)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Throws StoreError (`deployment-not-found`), also for a deleted one and for another organisation's. */
export async function deployment(
  within: Within,
  { organisationId, deploymentId }: { readonly organisationId: string; readonly deploymentId: string },
): Promise<Deployment> {
  const own = within.selectFrom("deployments").selectAll().where("organisation_id", "=", organisationId);
  const row = await own.where("id", "=", deploymentId).where("deleted_at", "is", null).executeTakeFirst();
  if (row === undefined) throw new StoreError("deployment-not-found", `unknown deployment ${deploymentId}`);
  return DEPLOYMENT.entityOf(row);
}

/** When a key or a deployment had an event that comes only once; null: never. */
export async function announcedAt(within: Within, about: string): Promise<number | null> {
  const row = within.selectFrom("announcements").select("at").where("about", "=", about);
  return (await row.executeTakeFirst())?.at ?? null;
}

/** When the list of a deployment was last requested, as far as servers have recorded it; null: never. */
export async function pulledAt(within: Within, deploymentId: string): Promise<number | null> {
  const pulls = within.selectFrom("pulls").where("deployment_id", "=", deploymentId);
  return (await pulls.select(({ fn }) => fn.max<number | null>("at").as("at")).executeTakeFirstOrThrow()).at;
}

/** How many external lists the organisation has. */
export async function listCount(within: Within, organisationId: string): Promise<number> {
  const own = within.selectFrom("external_lists").where("organisation_id", "=", organisationId);
  return (await own.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

/** Throws StoreError (`list-not-found`), also for another organisation's. */
export async function externalList(
  within: Within,
  { organisationId, listId }: { readonly organisationId: string; readonly listId: string },
): Promise<FetchedList> {
  const own = within.selectFrom("external_lists").selectAll().where("organisation_id", "=", organisationId);
  const row = await own.where("id", "=", listId).executeTakeFirst();
  if (row === undefined) throw new StoreError("list-not-found", `unknown external list ${listId}`);
  return { list: EXTERNAL_LIST.entityOf(row), state: FETCH_STATE.entityOf(row) };
}

/** Without deleted ones. */
function users(within: Within) {
  return within.selectFrom("users").where("deleted_at", "is", null);
}
