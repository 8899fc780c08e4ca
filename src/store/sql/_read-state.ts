import { atOneInstant } from "./_at-one-instant.ts";
import type { Engine } from "./_engine.ts";
import { columnsOf, readAllRules } from "./_rule-rows.ts";
import { credentialOf, DEPLOYMENT, EXTERNAL_LIST, ORGANISATION, PLAN, RULESET, SESSION, USER } from "./_entities.ts";
import type { RulesetRules } from "../state.ts";
import type { CaughtUp, LoadedState, SavedRules } from "../saved-rules.ts";
import { webhookOf } from "./events/_webhooks.ts";
import { catchUp, readHistory } from "./history/_saved-rules.ts";

/** See `Store.load`. */
export function readState(
  engine: Engine,
  receive: ((part: RulesetRules) => void) | null,
  saved: readonly SavedRules[] = [],
): Promise<LoadedState> {
  return atOneInstant(engine, async (within) => {
    const history = await readHistory(within);
    const rulesets = await within.selectFrom("rulesets").selectAll().execute();
    const byId = new Map(rulesets.map((ruleset) => [ruleset.id, ruleset]));
    const caughtUp: CaughtUp[] = [];
    for (const each of saved) caughtUp.push(await catchUp(within, history, byId.get(each.rulesetId), each));
    const done = new Set(caughtUp.filter((each) => "changes" in each).map(({ rulesetId }) => rulesetId));
    for (const { number, id } of receive === null ? [] : rulesets) {
      if (done.has(id)) continue;
      for await (const rows of readAllRules(engine, within, number)) {
        for (const rules of columnsOf(rows)) receive!({ rulesetId: id, rules });
      }
    }
    return {
      sequence: history.sequence,
      mark: history.mark,
      caughtUp,
      organisations: inOrder(
        (await within.selectFrom("organisations").selectAll().execute()).map((each) => ORGANISATION.entityOf(each)),
      ),
      plans: (await within.selectFrom("plans").selectAll().execute()).map((each) => PLAN.entityOf(each)),
      credentials: inOrder((await within.selectFrom("credentials").selectAll().execute()).map(credentialOf)),
      users: inOrder((await within.selectFrom("users").selectAll().execute()).map((each) => USER.entityOf(each))),
      sessions: (await within.selectFrom("sessions").selectAll().execute()).map((each) => SESSION.entityOf(each)),
      rulesets: inOrder(rulesets.map((each) => RULESET.entityOf(each))),
      deployments: inOrder(
        (await within.selectFrom("deployments").selectAll().execute()).map((each) => DEPLOYMENT.entityOf(each)),
      ),
      externalLists: inOrder(
        (await within.selectFrom("external_lists").selectAll().execute()).map((each) => EXTERNAL_LIST.entityOf(each)),
      ),
      webhooks: inOrder((await within.selectFrom("webhooks").selectAll().execute()).map(webhookOf)),
    };
  });
}

/** In the order of creation. Sorted here, because databases differ in how they compare texts. */
function inOrder<T extends { readonly createdAt: number; readonly id: string }>(items: T[]): T[] {
  return items.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
