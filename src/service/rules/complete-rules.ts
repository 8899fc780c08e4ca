import type { Logger } from "pino";
import { inSlices } from "../../turns/in-slices.ts";
import type { ServiceMemory } from "./service-memory.ts";

/**
 * Builds the order of all rules that came from snapshots, one ruleset after the other, in slices between requests. A
 * page that is asked for earlier builds it for itself, which takes a few tenths of a second for a million rules.
 */
export async function completeRules(
  memory: Pick<ServiceMemory, "everyRuleset">,
  { isEnded, log }: { readonly isEnded: () => boolean; readonly log: Pick<Logger, "error"> },
): Promise<void> {
  for (const { about, rules } of memory.everyRuleset()) {
    if (isEnded()) return;
    try {
      await inSlices(rules.completing());
    } catch (error) {
      log.error(
        { err: error, ruleset: about.id },
        "the order of a ruleset's rules was not built; pages will try again",
      );
    }
  }
}
