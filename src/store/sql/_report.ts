import type { Engine } from "./_engine.ts";
import { atOneInstant } from "./_at-one-instant.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReport } from "../store.ts";

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
    const count = async (table: "organisations" | "api_keys") =>
      (
        await within
          .selectFrom(table)
          .select((row) => row.fn.countAll<number>().as("rows"))
          .executeTakeFirstOrThrow()
      ).rows;
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
      organisations: await count("organisations"),
      keys: await count("api_keys"),
      rulesets: rulesets.length,
      rules: total,
    };

    async function checkNumbers(): Promise<void> {
      const { rows, first, last } = await within
        .selectFrom("changes")
        .select(({ fn }) => [
          fn.countAll<number>().as("rows"),
          fn.min("sequence").as("first"),
          fn.max("sequence").as("last"),
        ])
        .executeTakeFirstOrThrow();
      if (rows === 0 ? sequence === 0 : last === sequence && last - first! + 1 === rows) return;
      throw new StoreError(
        "corrupt",
        `the changes are numbered ${first} to ${last} in ${rows} rows, and the last number is ${sequence}; restore a backup`,
      );
    }
  });
}
