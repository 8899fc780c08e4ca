import { sql } from "kysely";
import type { Engine } from "./_engine.ts";
import { atOneInstant } from "./_at-one-instant.ts";
import { NEVER_LOST } from "./_another-history.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReport } from "../state.ts";

/**
 * Counts the content of the database. Throws StoreError (`corrupt`) if the counts kept with rulesets, or the numbers of
 * changes, are wrong.
 */
export function readReport(engine: Engine): Promise<StoreReport> {
  return atOneInstant(engine, async (within) => {
    const { schema, sequence } = await within
      .selectFrom("store")
      .select(["schema", "sequence"])
      .executeTakeFirstOrThrow();
    const organisations = within.selectFrom("organisations").select(({ fn }) => fn.countAll<number>().as("rows"));
    const keys = within.selectFrom("credentials").select(({ fn }) => fn.countAll<number>().as("rows"));
    const rulesets = await within.selectFrom("rulesets").select(["number", "id", "rule_count"]).execute();
    const counted = await within
      .selectFrom("rules")
      .select((row) => ["ruleset", row.fn.countAll<number>().as("rows")])
      .groupBy("ruleset")
      .execute();
    const rules = new Map(counted.map(({ ruleset, rows }) => [ruleset, rows]));
    for (const { number, id, rule_count } of rulesets) {
      const rows = rules.get(number) ?? 0;
      if (rows !== rule_count)
        throw new StoreError(
          "corrupt",
          `ruleset ${id} holds ${rows} rules, and its count says ${rule_count}; restore a backup`,
        );
    }
    await checkNumbers();
    const total = rulesets.reduce((sum, { rule_count }) => sum + rule_count, 0);
    return {
      schema,
      sequence,
      organisations: (await organisations.executeTakeFirstOrThrow()).rows,
      keys: (await keys.where("kind", "=", "api").executeTakeFirstOrThrow()).rows,
      rulesets: rulesets.length,
      rules: total,
    };

    /** Without gaps but for those that restores from backups made. */
    async function checkNumbers(): Promise<void> {
      const { rows } = await sql<{ before: number; missing: number }>`
        select before, number - before - 1 as missing from (
          select number, lag(number) over (order by number) as before from (
            select sequence as number from changes union select sequence from store where sequence > 0) as numbers
        ) as steps where number - before between 2 and ${sql.lit(NEVER_LOST - 1)} limit 1`.execute(within);
      const { changes, last } = await within
        .selectFrom("changes")
        .select(({ fn }) => [fn.countAll<number>().as("changes"), fn.max("sequence").as("last")])
        .executeTakeFirstOrThrow();
      const isMissing = changes === 0 && sequence > 0 && sequence < NEVER_LOST;
      if (rows.length === 0 && !isMissing && (last ?? 0) <= sequence) return;
      const what =
        rows[0] === undefined
          ? `the last number is ${sequence}, and the last change ${last ?? "is missing"}`
          : `after change ${rows[0].before}, ${rows[0].missing} are missing`;
      throw new StoreError("corrupt", `${what}; restore a backup`);
    }
  });
}
