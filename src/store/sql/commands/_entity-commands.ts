import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { announceKey, announceSilence } from "../../decide/_announcements.ts";
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
import { createCredential, revokeCredential } from "../../decide/_deployment-credentials.ts";
import {
  claimFetch,
  createList,
  deleteList,
  finishFetch,
  setListCredentials,
  updateList,
} from "../../decide/_external-lists.ts";
import { createKey, revokeKey } from "../../decide/_keys.ts";
import { checkOrganisation, createOrganisation, setGuardClasses, setPlan } from "../../decide/_organisations.ts";
import { createRuleset, updateRuleset } from "../../decide/_rulesets.ts";
import { createWebhook, deleteWebhook, rotateWebhook, stopWebhook, updateWebhook } from "../../decide/_webhooks.ts";
import { createTaxiiCredential, revokeTaxiiCredential } from "../../decide/_taxii-credentials.ts";
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
import type {
  DeploymentCommand,
  EntityCommand,
  ExternalListCommand,
  UserCommand,
  WebhookCommand,
} from "../../command.ts";
import { forUpdate } from "../_engine.ts";
import type { Group } from "./_group.ts";
import * as found from "./_needs.ts";
import { knownWebhook, roomForWebhook } from "../events/_webhooks.ts";
import { writeAll } from "./_write.ts";

/** Reads what the command needs, decides it, and writes the result. Such commands are rare: each reads by itself. */
export async function executeEntityCommand(group: Group, command: EntityCommand): Promise<Decision> {
  if (command.kind !== "update-ruleset") await lockNumbers(group);
  const decision = await decided(group, command);
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

/** Decides the commands named here; the functions that follow decide those of one kind of thing each. */
async function decided(group: Group, command: EntityCommand): Promise<Decision> {
  const { within, limits } = group;
  switch (command.kind) {
    case "create-ruleset":
      await requireOrganisation(group, command.organisationId);
      return createRuleset(
        command,
        await found.rulesetsOf(within, command.organisationId),
        limits.rulesetsPerOrganisation,
        randomUUID,
      );
    case "update-ruleset": {
      const { number, ruleset } = group.ruleset(command);
      return updateRuleset(command, await found.rulesetNow(within, number), ruleset);
    }
    case "create-organisation":
      return createOrganisation(
        command,
        (await found.organisations(within)).map(({ name }) => name),
        randomUUID,
      );
    case "set-guard-classes":
      return setGuardClasses(command, await found.organisation(within, command.organisationId));
    case "set-plan":
      await requireOrganisation(group, command.organisationId);
      return setPlan(command, await found.plan(within, command));
    case "create-key":
      await requireOrganisation(group, command.organisationId);
      return createKey(command, await found.roomForKey(within, command), randomUUID);
    case "revoke-key":
      return revokeKey(command, await found.key(within, command));
    case "update-catalogue":
    case "import-feed":
      await requireOrganisation(group, command.organisationId);
      return recordDataset(command, await found.organisations(within));
    case "announce-expiring-key":
      return announceKey(command, await found.key(within, command), await found.announcedAt(within, command.keyId));
    case "announce-silent-deployment":
      return announceSilence(command, await found.deployment(within, command), {
        pulledAt: await found.pulledAt(within, command.deploymentId),
        announcedAt: await found.announcedAt(within, command.deploymentId),
      });
    default:
      return decidedOfDeployments(group, command);
  }
}

/** Like `decided`. */
async function decidedOfDeployments(
  group: Group,
  command: DeploymentCommand | ExternalListCommand | WebhookCommand | UserCommand,
): Promise<Decision> {
  const { within, limits } = group;
  switch (command.kind) {
    case "create-deployment":
      await requireOrganisation(group, command.organisationId);
      return createDeployment(
        command,
        { count: await found.deploymentCount(within, command.organisationId), max: limits.deploymentsPerOrganisation },
        randomUUID,
      );
    case "update-deployment":
      return updateDeployment(command, await found.deployment(within, command));
    case "delete-deployment":
      return deleteDeployment(command, await found.deployment(within, command));
    case "rotate-deployment":
      return rotateDeployment(command, await found.deployment(within, command));
    case "create-credential":
      return createCredential(
        command,
        await found.deployment(within, command),
        { count: await found.credentialCount(within, command.organisationId), max: limits.credentialsPerOrganisation },
        randomUUID,
      );
    case "revoke-credential":
      return revokeCredential(command, await found.credential(within, command));
    case "create-taxii-credential":
      await requireOrganisation(group, command.organisationId);
      return createTaxiiCredential(
        command,
        { ...(await found.roomForTaxiiCredential(within, command)), max: limits.credentialsPerOrganisation },
        randomUUID,
      );
    case "revoke-taxii-credential":
      return revokeTaxiiCredential(command, await found.taxiiCredential(within, command));
    case "release-list":
      return releaseList(command, await found.deployment(within, command));
    case "publish-list":
      return publishList(command, await found.deployment(within, command));
    case "refuse-list":
      return refuseList(command, await found.deployment(within, command));
    default:
      return decidedOfExternalLists(group, command);
  }
}

/** Like `decided`. */
async function decidedOfExternalLists(
  group: Group,
  command: ExternalListCommand | WebhookCommand | UserCommand,
): Promise<Decision> {
  const { within, limits } = group;
  switch (command.kind) {
    case "create-list":
      await requireOrganisation(group, command.organisationId);
      return createList(
        command,
        { count: await found.listCount(within, command.organisationId), max: limits.listsPerOrganisation },
        randomUUID,
      );
    case "update-list":
      return updateList(command, await found.externalList(within, command));
    case "delete-list":
      return deleteList(command, await found.externalList(within, command));
    case "set-list-credentials":
      return setListCredentials(command, await found.externalList(within, command));
    case "claim-fetch":
      return claimFetch(command, await found.externalList(within, command));
    case "finish-fetch":
      return finishFetch(command, await found.externalList(within, command));
    default:
      return decidedOfWebhooks(group, command);
  }
}

/** Like `decided`. */
async function decidedOfWebhooks(group: Group, command: WebhookCommand | UserCommand): Promise<Decision> {
  const { within, limits } = group;
  switch (command.kind) {
    case "create-webhook":
      await requireOrganisation(group, command.organisationId);
      return createWebhook(
        command,
        { ...(await roomForWebhook(within, command.organisationId)), max: limits.webhooksPerOrganisation },
        randomUUID,
      );
    case "update-webhook":
      return updateWebhook(command, await knownWebhook(within, command));
    case "delete-webhook":
      return deleteWebhook(command, await knownWebhook(within, command));
    case "rotate-webhook":
      return rotateWebhook(command, await knownWebhook(within, command));
    case "stop-webhook":
      return stopWebhook(command, await knownWebhook(within, command));
    default:
      return decidedOfUsers(group, command);
  }
}

async function decidedOfUsers(group: Group, command: UserCommand): Promise<Decision> {
  const { within } = group;
  switch (command.kind) {
    case "set-up":
      return setUp(
        command,
        { hasUsers: await found.hasUsers(within), organisations: await found.organisations(within) },
        randomUUID,
      );
    case "create-user":
      await requireOrganisation(group, command.organisationId);
      return createUser(command, await found.userNames(within, command.organisationId), randomUUID);
    case "set-role": {
      const account = await found.account(within, command);
      return setRole(command, account, await found.hasOtherAdmin(within, account));
    }
    case "delete-user": {
      const account = await found.account(within, command);
      const hasOtherAdmin = await found.hasOtherAdmin(within, account);
      return deleteUser(command, account, hasOtherAdmin, await found.sessionsOf(within, account.id));
    }
    case "invite-user":
      return inviteUser(command, await found.account(within, command));
    case "join": {
      const account = await found.invitedAccount(within, command);
      return join(command, account, account === undefined ? [] : await found.sessionsOf(within, account.id));
    }
    case "set-password": {
      const account = await found.account(within, command);
      return setPassword(command, account, await found.sessionsOf(within, account.id));
    }
    case "start-session": {
      const account = await found.account(within, command);
      return signIn(command, account, await found.sessionsOf(within, account.id));
    }
    case "end-session":
      return signOut(command, await found.hasSession(within, command.digest));
    default:
      throw new TypeError(`unknown command ${JSON.stringify((command as { kind?: unknown }).kind)}`);
  }
}
