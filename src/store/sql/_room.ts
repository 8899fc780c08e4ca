import { sql } from "kysely";
import { forUpdate } from "./_engine.ts";
import type { Group } from "./_group-commit.ts";
import { RULESETS_SETTING } from "../limit-settings.ts";
import { StoreError } from "../store-error.ts";

/** Keys that are not revoked, and users that are not deleted, of an organisation: only its admins make them. */
const [MAX_KEYS, MAX_USERS] = [10_000, 10_000];

/**
 * Keeps others from numbering changes until the commit, and so from making anything that they see otherwise than it
 * will be. The row that numbers changes is the last lock of every transaction, so that nobody who has it waits for
 * another.
 */
export async function lockNumbers({ engine, within }: Group): Promise<void> {
  await sql`select sequence from store ${forUpdate(engine)}`.execute(within);
}

/** Throws StoreError (`too-many-rulesets`). O(rulesets). */
export async function checkRoomForRuleset(group: Group, organisationId: string): Promise<void> {
  await lockNumbers(group);
  const rows = group.within.selectFrom("rulesets").where("organisation_id", "=", organisationId);
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  const most = group.rulesetsPerOrganisation;
  if (count >= most)
    throw new StoreError(
      "too-many-rulesets",
      `an organisation has at most ${most} rulesets (${RULESETS_SETTING}); delete some first`,
    );
}

/** Throws StoreError (`too-many-keys`). O(keys). */
export async function checkRoomForKey(group: Group, organisationId: string): Promise<void> {
  await lockNumbers(group);
  const rows = group.within
    .selectFrom("api_keys")
    .where("organisation_id", "=", organisationId)
    .where("revoked_at", "is", null);
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count >= MAX_KEYS)
    throw new StoreError(
      "too-many-keys",
      `an organisation has at most ${MAX_KEYS} keys that are not revoked; revoke some first`,
    );
}

/** Throws StoreError (`too-many-users`). The numbers are locked. O(users). */
export async function checkRoomForUser({ within }: Group, organisationId: string): Promise<void> {
  const rows = within.selectFrom("users").where("organisation_id", "=", organisationId).where("deleted_at", "is", null);
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count >= MAX_USERS)
    throw new StoreError("too-many-users", `an organisation has at most ${MAX_USERS} users; delete some first`);
}
