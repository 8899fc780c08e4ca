import { type Transaction } from "kysely";
import type { Engine } from "./_engine.ts";
import { columnsOf, readAllRules } from "./_rule-rows.ts";
import type { ApiKeyRow, OrganisationRow, PlanRow, RulesetRow, SessionRow, Tables, UserRow } from "./_tables.ts";
import type { ApiKey, Organisation, Plan, Ruleset, RulesetRules, Session, State, User } from "../state.ts";
import type { Selectable } from "kysely";

/** Runs `read` on one instant of the database. */
export function atOneInstant<T>({ db }: Engine, read: (within: Transaction<Tables>) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
}

/** See `Store.load`. */
export function readState(engine: Engine, receive: ((part: RulesetRules) => void) | null): Promise<State> {
  return atOneInstant(engine, async (within) => {
    const { sequence } = await within.selectFrom("store").select("sequence").executeTakeFirstOrThrow();
    const rulesets = await within.selectFrom("rulesets").selectAll().execute();
    for (const { number, id } of receive === null ? [] : rulesets) {
      for await (const rows of readAllRules(engine, within, number)) {
        for (const rules of columnsOf(rows)) receive!({ rulesetId: id, rules });
      }
    }
    return {
      sequence,
      organisations: inOrder((await within.selectFrom("organisations").selectAll().execute()).map(organisationOf)),
      plans: (await within.selectFrom("plans").selectAll().execute()).map(planOf),
      keys: inOrder((await within.selectFrom("api_keys").selectAll().execute()).map(keyOf)),
      users: inOrder((await within.selectFrom("users").selectAll().execute()).map(userOf)),
      sessions: (await within.selectFrom("sessions").selectAll().execute()).map(sessionOf),
      rulesets: inOrder(rulesets.map(rulesetOf)),
    };
  });
}

/** In the order of creation. Sorted here, since databases differ in how they compare texts. */
function inOrder<T extends { readonly createdAt: number; readonly id: string }>(items: T[]): T[] {
  return items.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

export function organisationOf({ id, name, created_at }: OrganisationRow): Organisation {
  return { id, name, createdAt: created_at };
}

export function planOf({ organisation_id, area, active, until, per_minute, per_month }: PlanRow): Plan {
  return {
    organisationId: organisation_id,
    area,
    active: active === 1,
    until,
    perMinute: per_minute,
    perMonth: per_month,
  };
}

export function keyOf(row: ApiKeyRow): ApiKey {
  const { id, organisation_id, label, access, digest, start, created_at, expires_at, revoked_at } = row;
  return {
    id,
    organisationId: organisation_id,
    label,
    access,
    digest,
    start,
    createdAt: created_at,
    expiresAt: expires_at,
    revokedAt: revoked_at,
  };
}

export function userOf(row: UserRow): User {
  const { id, organisation_id, name, role, created_at, last_sign_in_at, invited_until, deleted_at } = row;
  return {
    id,
    organisationId: organisation_id,
    name,
    role,
    createdAt: created_at,
    lastSignInAt: last_sign_in_at,
    invitedUntil: invited_until,
    deletedAt: deleted_at,
  };
}

export function sessionOf({ digest, user_id, created_at, expires_at }: SessionRow): Session {
  return { digest, userId: user_id, createdAt: created_at, expiresAt: expires_at };
}

export function rulesetOf(row: Selectable<RulesetRow>): Ruleset {
  const { id, organisation_id, name, purpose, description, created_at, updated_at, version } = row;
  return {
    id,
    organisationId: organisation_id,
    name,
    purpose,
    description,
    createdAt: created_at,
    updatedAt: updated_at,
    version,
  };
}
