import { sql, type Transaction } from "kysely";
import type { BouncerProgress, BouncerState } from "../records/bouncer-state.ts";
import { type Engine, forUpdate } from "./_engine.ts";
import type { BouncerStateRow, Tables } from "./_tables.ts";

/** See `READS.bouncerState`. */
export async function readBouncerState({ db }: Engine, credentialId: string): Promise<BouncerState | null> {
  const states = db.selectFrom("bouncer_states").selectAll().where("credential_id", "=", credentialId);
  const row = await states.executeTakeFirst();
  return row === undefined ? null : stateOf(row);
}

/** See `READS.bouncerList`. */
export async function readBouncerList({ db }: Engine, deploymentId: string, digest: string): Promise<string | null> {
  const lists = db.selectFrom("bouncer_lists").select("content").where("deployment_id", "=", deploymentId);
  return (await lists.where("digest", "=", digest).executeTakeFirst())?.content ?? null;
}

/** See `READS.bouncerStates`. */
export async function readBouncerStates({ db }: Engine, organisationId: string): Promise<BouncerState[]> {
  const own = db.selectFrom("credentials").select("id").where("organisation_id", "=", organisationId);
  const rows = await db.selectFrom("bouncer_states").selectAll().where("credential_id", "in", own).execute();
  return rows.map(stateOf);
}

/** See `COUNTERS.bouncers`. Lists that no bouncer of the deployment has any longer are deleted. */
export async function recordBouncer(engine: Engine, progress: BouncerProgress): Promise<boolean> {
  const { credentialId, deploymentId, basedOn, digest, content } = progress;
  return engine.db.transaction().execute(async (within) => {
    // Servers that record for the same deployment wait for each other here, so that none deletes a list that another is
    // about to refer to.
    await sql`select id from deployments where id = ${deploymentId} ${forUpdate(engine)}`.execute(within);
    const states = within.selectFrom("bouncer_states").select("version").where("credential_id", "=", credentialId);
    const version = (await states.executeTakeFirst())?.version ?? 0;
    if (basedOn !== version || (await isRevoked(within, credentialId))) return false;
    if (content !== null) {
      const list = within.insertInto("bouncer_lists").values({ deployment_id: deploymentId, digest, content });
      await list.onConflict((conflict) => conflict.columns(["deployment_id", "digest"]).doNothing()).execute();
    }
    await saveState(within, progress, version + 1);
    await sql`
      delete from bouncer_lists where deployment_id = ${deploymentId} and digest not in (
        select bouncer_states.digest from bouncer_states
        join credentials on credentials.id = credential_id where scope like '%' || ${deploymentId} || '%')`.execute(
      within,
    );
    return true;
  });
}

async function isRevoked(within: Transaction<Tables>, id: string): Promise<boolean> {
  const credentials = within.selectFrom("credentials").select("revoked_at").where("id", "=", id);
  return ((await credentials.executeTakeFirst())?.revoked_at ?? null) !== null;
}

async function saveState(within: Transaction<Tables>, progress: BouncerProgress, version: number): Promise<void> {
  const { credentialId, digest, issuedAt, pulledAt, agent, doubt } = progress;
  const values = { version, digest, issued_at: issuedAt, pulled_at: pulledAt, agent, doubt };
  await within
    .insertInto("bouncer_states")
    .values({ credential_id: credentialId, ...values })
    .onConflict((conflict) => conflict.column("credential_id").doUpdateSet(values))
    .execute();
}

function stateOf({ credential_id, issued_at, pulled_at, ...others }: BouncerStateRow): BouncerState {
  return { credentialId: credential_id, issuedAt: issued_at, pulledAt: pulled_at, ...others };
}
