import { sql } from "kysely";
import type { RuleWrite } from "../../records/audit.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import type { Engine } from "../_engine.ts";

/** Times per statement. */
const AT_ONCE = 500;

interface AuthorRow {
  readonly at: number;
  readonly actor: string;
  readonly actors: number;
}

/**
 * See `READS.ruleAuthors`. Rules have the times of the changes that wrote them, so nothing more is stored: the change
 * of the ruleset at that time is the one, unless someone else made another change in the same millisecond.
 */
export function readRuleAuthors(
  engine: Engine,
  organisationId: string,
  writes: readonly RuleWrite[],
): Promise<(string | null)[]> {
  return atOneInstant(engine, async (within) => {
    const known = new Map<string, string | null>();
    for (const [rulesetId, times] of timesByRuleset(writes))
      for (let start = 0; start < times.length; start += AT_ONCE) {
        const { rows } = await sql<AuthorRow>`
          select at, min(actor) as actor, count(distinct actor) as actors from changes
          where ruleset_id = ${rulesetId} and at in (${sql.join(times.slice(start, start + AT_ONCE))})
            and organisation_id = ${organisationId} and kind in ('rules', 'rules-replaced') group by at`.execute(
          within,
        );
        for (const { at, actor, actors } of rows) known.set(`${rulesetId} ${at}`, Number(actors) === 1 ? actor : null);
      }
    return writes.map(({ rulesetId, at }) => known.get(`${rulesetId} ${at}`) ?? null);
  });
}

function timesByRuleset(writes: readonly RuleWrite[]): Map<string, number[]> {
  const times = new Map<string, Set<number>>();
  for (const { rulesetId, at } of writes) {
    const known = times.get(rulesetId);
    if (known === undefined) times.set(rulesetId, new Set([at]));
    else known.add(at);
  }
  return new Map([...times].map(([rulesetId, each]) => [rulesetId, [...each]]));
}
