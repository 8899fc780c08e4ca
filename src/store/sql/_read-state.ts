import { type Transaction } from "kysely";
import type { Engine } from "./_engine.ts";
import { columnsOf, readAllRules } from "./_rule-rows.ts";
import { keyOf, organisationOf, planOf, rulesetOf, sessionOf, userOf } from "./_entities.ts";
import type { Tables } from "./_tables.ts";
import type { RulesetRules, State } from "../state.ts";

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
