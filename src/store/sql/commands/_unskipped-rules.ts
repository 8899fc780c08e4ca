import { addListed } from "../../../rulesets/listed-rule.ts";
import type { CarvedColumns } from "../../../rulesets/rule-columns.ts";
import type { ImportRulesCommand } from "../../command.ts";
import { partsOf } from "../../decide/_import.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import type { Engine } from "../_engine.ts";
import { existingRules } from "./_existing-rules.ts";

/** The rules of a part of a list that an import would not skip, by their indexes, as of a version of the ruleset. */
export interface UnskippedPart {
  readonly version: number;
  readonly indexes: Uint32Array;
}

/** See `READS.unskippedRules`. */
export function readUnskipped(
  engine: Engine,
  { organisationId, rulesetId, mode, at }: Omit<ImportRulesCommand, "rules">,
  columns: CarvedColumns,
): Promise<UnskippedPart | null> {
  return atOneInstant(engine, async (within) => {
    const ruleset = await within
      .selectFrom("rulesets")
      .select(["number", "version", "rule_count"])
      .where("id", "=", rulesetId)
      .where("organisation_id", "=", organisationId)
      .executeTakeFirst();
    if (ruleset === undefined || ruleset.rule_count === 0) return null;
    const indexes: number[] = [];
    let index = 0;
    for (const part of partsOf([columns], engine.rowsAtOnce)) {
      const existing = await existingRules(engine, within, ruleset.number, part);
      for (const { key, rule } of part) {
        if (addListed(existing.get(key), rule, mode, at).action !== "skipped") indexes.push(index);
        index++;
      }
      await engine.pause();
    }
    return { version: ruleset.version, indexes: Uint32Array.from(indexes) };
  });
}
