import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { announceKey, announceSilence } from "../../decide/_announcements.ts";
import { createCredential, revokeCredential } from "../../decide/_credentials.ts";
import { recordDataset } from "../../decide/_datasets.ts";
import type { Decision } from "../../decide/_decision.ts";
import {
  createDeployment,
  deleteDeployment,
  publishList,
  refuseList,
  releaseList,
  rotateDeployment,
  updateDeployment,
} from "../../decide/_deployments.ts";
import {
  claimFetch,
  createList,
  deleteList,
  finishFetch,
  setListCredentials,
  updateList,
} from "../../decide/_external-lists.ts";
import { checkOrganisation, createOrganisation, setGuardClasses, setPlan } from "../../decide/_organisations.ts";
import { createRuleset, updateRuleset } from "../../decide/_rulesets.ts";
import { createWebhook, deleteWebhook, rotateWebhook, stopWebhook, updateWebhook } from "../../decide/_webhooks.ts";
import {
  createUser,
  deleteUser,
  inviteUser,
  join,
  setPassword,
  setRole,
  setUp,
  signIn,
  signOut,
} from "../../decide/_users.ts";
import { definitionOf } from "../../records/credential.ts";
import type { EntityCommand, RecordDatasetCommand } from "../../command.ts";
import { forUpdate } from "../_engine.ts";
import type { Group } from "./_group.ts";
import * as found from "./_needs.ts";
import { knownWebhook, roomForWebhook } from "../events/_webhooks.ts";
import { writeAll } from "./_write.ts";

/** Reads what the command needs, decides it, and writes the result. Such commands are rare: each reads by itself. */
export async function executeEntityCommand(group: Group, command: EntityCommand): Promise<Decision> {
  if (command.kind !== "update-ruleset") await lockNumbers(group);
  const decide = DECIDERS[command.kind] as Decide<EntityCommand> | undefined;
  if (decide === undefined) throw new TypeError(`unknown command ${JSON.stringify(command.kind)}`);
  const decision = await decide(group, command);
  await writeAll(group.within, decision.writes ?? []);
  return decision;
}

/**
 * Keeps other servers from numbering changes until the commit, and so from changing anything that has been read. The
 * row that numbers changes is the last lock of every transaction, so its holder never waits for another transaction.
 */
export async function lockNumbers({ engine, within }: Pick<Group, "engine" | "within">): Promise<void> {
  await sql`select sequence from store ${forUpdate(engine)}`.execute(within);
}

/** Throws StoreError (`organisation-not-found`). Organisations are never deleted. */
export async function requireOrganisation({ within }: Group, id: string): Promise<void> {
  checkOrganisation(id, await found.hasOrganisation(within, id));
}

/** The command of a kind; one of two kinds belongs to both. */
type CommandOf<Kind> = EntityCommand extends infer One
  ? One extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? One
      : never
    : never
  : never;

type Decide<Known> = (group: Group, command: Known) => Promise<Decision>;

/** What each command needs to know, and who decides it. */
const DECIDERS: { readonly [Kind in EntityCommand["kind"]]: Decide<CommandOf<Kind>> } = {
  "create-ruleset": async (group, command) => {
    const { within, limits } = group;
    await requireOrganisation(group, command.organisationId);
    return createRuleset(
      command,
      await found.rulesetsOf(within, command.organisationId),
      limits.rulesetsPerOrganisation,
      randomUUID,
    );
  },
  "update-ruleset": async (group, command) => {
    const { within } = group;
    const { number, ruleset } = group.ruleset(command);
    return updateRuleset(command, await found.rulesetNow(within, number), ruleset);
  },
  "create-organisation": async ({ within }, command) =>
    createOrganisation(
      command,
      (await found.organisations(within)).map(({ name }) => name),
      randomUUID,
    ),
  "set-guard-classes": async ({ within }, command) =>
    setGuardClasses(command, await found.organisation(within, command.organisationId)),
  "set-plan": async (group, command) => {
    const { within } = group;
    await requireOrganisation(group, command.organisationId);
    return setPlan(command, await found.plan(within, command));
  },
  "create-credential": async (group, command) => {
    const { within, limits } = group;
    await requireOrganisation(group, command.organisationId);
    const max = definitionOf(command.credential).quota.max(limits);
    return createCredential(command, { ...(await found.roomForCredential(within, command)), max }, randomUUID);
  },
  "revoke-credential": async ({ within }, command) =>
    revokeCredential(command, await found.credential(within, command)),
  "update-catalogue": recordingDataset,
  "import-feed": recordingDataset,
  "announce-expiring-key": async ({ within }, command) =>
    announceKey(
      command,
      await found.credential(within, { ...command, credential: "api", credentialId: command.keyId }),
      await found.announcedAt(within, command.keyId),
    ),
  "announce-silent-deployment": async ({ within }, command) =>
    announceSilence(command, await found.deployment(within, command), {
      pulledAt: await found.pulledAt(within, command.deploymentId),
      announcedAt: await found.announcedAt(within, command.deploymentId),
    }),
  "create-deployment": async (group, command) => {
    const { within, limits } = group;
    await requireOrganisation(group, command.organisationId);
    return createDeployment(
      command,
      { count: await found.deploymentCount(within, command.organisationId), max: limits.deploymentsPerOrganisation },
      randomUUID,
    );
  },
  "update-deployment": async ({ within }, command) =>
    updateDeployment(command, await found.deployment(within, command)),
  "delete-deployment": async ({ within }, command) =>
    deleteDeployment(command, await found.deployment(within, command)),
  "rotate-deployment": async ({ within }, command) =>
    rotateDeployment(command, await found.deployment(within, command)),
  "release-list": async ({ within }, command) => releaseList(command, await found.deployment(within, command)),
  "publish-list": async ({ within }, command) => publishList(command, await found.deployment(within, command)),
  "refuse-list": async ({ within }, command) => refuseList(command, await found.deployment(within, command)),
  "create-list": async (group, command) => {
    const { within, limits } = group;
    await requireOrganisation(group, command.organisationId);
    return createList(
      command,
      { count: await found.listCount(within, command.organisationId), max: limits.listsPerOrganisation },
      randomUUID,
    );
  },
  "update-list": async ({ within }, command) => updateList(command, await found.externalList(within, command)),
  "delete-list": async ({ within }, command) => deleteList(command, await found.externalList(within, command)),
  "set-list-credentials": async ({ within }, command) =>
    setListCredentials(command, await found.externalList(within, command)),
  "claim-fetch": async ({ within }, command) => claimFetch(command, await found.externalList(within, command)),
  "finish-fetch": async ({ within }, command) => finishFetch(command, await found.externalList(within, command)),
  "create-webhook": async (group, command) => {
    const { within, limits } = group;
    await requireOrganisation(group, command.organisationId);
    return createWebhook(
      command,
      { ...(await roomForWebhook(within, command.organisationId)), max: limits.webhooksPerOrganisation },
      randomUUID,
    );
  },
  "update-webhook": async ({ within }, command) => updateWebhook(command, await knownWebhook(within, command)),
  "delete-webhook": async ({ within }, command) => deleteWebhook(command, await knownWebhook(within, command)),
  "rotate-webhook": async ({ within }, command) => rotateWebhook(command, await knownWebhook(within, command)),
  "stop-webhook": async ({ within }, command) => stopWebhook(command, await knownWebhook(within, command)),
  "set-up": async ({ within }, command) =>
    setUp(
      command,
      { hasUsers: await found.hasUsers(within), organisations: await found.organisations(within) },
      randomUUID,
    ),
  "create-user": async (group, command) => {
    const { within } = group;
    await requireOrganisation(group, command.organisationId);
    return createUser(command, await found.userNames(within, command.organisationId), randomUUID);
  },
  "set-role": async ({ within }, command) => {
    const account = await found.account(within, command);
    return setRole(command, account, await found.hasOtherAdmin(within, account));
  },
  "delete-user": async ({ within }, command) => {
    const account = await found.account(within, command);
    const hasOtherAdmin = await found.hasOtherAdmin(within, account);
    return deleteUser(command, account, hasOtherAdmin, await found.sessionsOf(within, account.id));
  },
  "invite-user": async ({ within }, command) => inviteUser(command, await found.account(within, command)),
  join: async ({ within }, command) => {
    const account = await found.invitedAccount(within, command);
    return join(command, account, account === undefined ? [] : await found.sessionsOf(within, account.id));
  },
  "set-password": async ({ within }, command) => {
    const account = await found.account(within, command);
    return setPassword(command, account, await found.sessionsOf(within, account.id));
  },
  "start-session": async ({ within }, command) => {
    const account = await found.account(within, command);
    return signIn(command, account, await found.sessionsOf(within, account.id));
  },
  "end-session": async ({ within }, command) => signOut(command, await found.hasSession(within, command.digest)),
};

async function recordingDataset(group: Group, command: RecordDatasetCommand): Promise<Decision> {
  await requireOrganisation(group, command.organisationId);
  return recordDataset(command, await found.organisations(group.within));
}
