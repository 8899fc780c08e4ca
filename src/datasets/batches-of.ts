import { Matcher } from "../batch/engine/matcher.ts";
import type { RuleBatchLookup } from "../rulesets/index/rule-engine.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** Fewer addresses than this are looked up before the kernel would be ready. */
const WORTH_A_KERNEL = 256;
/** A time before all expiries: the caller checks the expiries of its rules. */
const BEFORE_ALL = -Infinity;

/** Looks up many addresses in the table of a snapshot: by the native kernel where it can read the snapshot's memory. */
export function batchesOf(snapshot: Snapshot): RuleBatchLookup {
  const { table, memory } = snapshot;
  if (memory === null) return table;
  let matcher: Matcher | undefined;
  return {
    lookupBatchInto(family, words, out, count) {
      if (matcher === undefined && count < WORTH_A_KERNEL) return table.lookupBatchInto(family, words, out, count);
      matcher ??= new Matcher(snapshot);
      matcher.lookupBatchInto(family, words, out, count, BEFORE_ALL);
    },
  };
}
