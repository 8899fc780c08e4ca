import type { Transaction } from "kysely";
import type { Write } from "../../decide/_decision.ts";
import {
  DEPLOYMENT,
  rowOfCredential,
  rowOfExternalList,
  ORGANISATION,
  PLAN,
  rowOfRuleset,
  SESSION,
  rowOfUser,
} from "../_entities.ts";
import { insertWebhook, removeWebhook, saveProgress, saveWebhook } from "../events/_webhooks.ts";
import type { Tables } from "../_tables.ts";

/** Writes what a command has decided besides rules. Such commands are rare: each write is a statement of its own. */
export async function writeAll(within: Transaction<Tables>, writes: readonly Write[]): Promise<void> {
  for (const write of writes) {
    if ("insert" in write) await insert(within, write);
    else if ("save" in write) await save(within, write);
    else await remove(within, write);
  }
}

async function insert(within: Transaction<Tables>, write: Extract<Write, { insert: string }>): Promise<void> {
  switch (write.insert) {
    case "organisation":
      return void (await within.insertInto("organisations").values(ORGANISATION.rowOf(write.organisation)).execute());
    case "ruleset":
      return void (await within.insertInto("rulesets").values(rowOfRuleset(write.ruleset, 0)).execute());
    case "credential":
      return void (await within.insertInto("credentials").values(rowOfCredential(write.credential)).execute());
    case "user":
      return void (await within.insertInto("users").values(rowOfUser(write.account)).execute());
    case "deployment":
      return void (await within.insertInto("deployments").values(DEPLOYMENT.rowOf(write.deployment)).execute());
    case "external-list": {
      const row = rowOfExternalList(write.list, write.state);
      return void (await within.insertInto("external_lists").values(row).execute());
    }
    case "webhook":
      return insertWebhook(within, write.webhook, write.secrets);
    case "session":
      return void (await within.insertInto("sessions").values(SESSION.rowOf(write.session)).execute());
  }
}

async function save(within: Transaction<Tables>, write: Extract<Write, { save: string }>): Promise<void> {
  switch (write.save) {
    case "plan": {
      const { organisation_id, area, ...values } = PLAN.rowOf(write.plan);
      const plan = within.insertInto("plans").values({ organisation_id, area, ...values });
      return void (await plan
        .onConflict((conflict) => conflict.columns(["organisation_id", "area"]).doUpdateSet(values))
        .execute());
    }
    case "organisation": {
      const { id, ...values } = ORGANISATION.rowOf(write.organisation);
      return void (await within.updateTable("organisations").set(values).where("id", "=", id).execute());
    }
    case "ruleset": {
      const { id, name, description, guard, guard_classes, never_block } = rowOfRuleset(write.ruleset, 0);
      const values = { name, description, guard, guard_classes, never_block };
      return void (await within.updateTable("rulesets").set(values).where("id", "=", id).execute());
    }
    case "credential": {
      const { id, revokedAt } = write.credential;
      const credential = within.updateTable("credentials").set({ revoked_at: revokedAt });
      return void (await credential.where("id", "=", id).execute());
    }
    case "user": {
      const { id, ...values } = rowOfUser(write.account);
      return void (await within.updateTable("users").set(values).where("id", "=", id).execute());
    }
    case "deployment": {
      const { id, ...values } = DEPLOYMENT.rowOf(write.deployment);
      return void (await within.updateTable("deployments").set(values).where("id", "=", id).execute());
    }
    case "announcement": {
      const { about, at } = write;
      const row = within.insertInto("announcements").values({ about, at });
      return void (await row.onConflict((conflict) => conflict.column("about").doUpdateSet({ at })).execute());
    }
    case "webhook":
      return saveWebhook(within, write.webhook, write.secrets);
    case "webhook-progress":
      return saveProgress(within, write.progress);
    case "published-list": {
      const { deploymentId, generation, content } = write;
      const list = within.insertInto("published_lists").values({ deployment_id: deploymentId, generation, content });
      return void (await list
        .onConflict((conflict) => conflict.column("deployment_id").doUpdateSet({ generation, content }))
        .execute());
    }
    case "external-list": {
      const { id, ...values } = rowOfExternalList(write.list, write.state);
      return void (await within.updateTable("external_lists").set(values).where("id", "=", id).execute());
    }
    case "list-content": {
      const { listId, number, content } = write;
      const row = within.insertInto("list_contents").values({ list_id: listId, number, content });
      return void (await row
        .onConflict((conflict) => conflict.column("list_id").doUpdateSet({ number, content }))
        .execute());
    }
  }
}

async function remove(within: Transaction<Tables>, write: Extract<Write, { delete: string }>): Promise<void> {
  if (write.delete === "published-list")
    return void (await within.deleteFrom("published_lists").where("deployment_id", "=", write.deploymentId).execute());
  if (write.delete === "bouncer-state")
    return void (await within.deleteFrom("bouncer_states").where("credential_id", "=", write.credentialId).execute());
  if (write.delete === "external-list") {
    await within.deleteFrom("list_contents").where("list_id", "=", write.listId).execute();
    return void (await within.deleteFrom("external_lists").where("id", "=", write.listId).execute());
  }
  if (write.delete === "webhook") return removeWebhook(within, write.webhookId);
  const sessions = within.deleteFrom("sessions");
  if (write.delete === "sessions") await sessions.where("digest", "in", write.digests).execute();
  else await sessions.where("expires_at", "<=", write.at).execute();
}
