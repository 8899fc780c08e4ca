import { inSlices } from "../../turns/in-slices.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

/** A ruleset that is replaced while it is counted is counted again this many times. */
const MAX_TRIES = 3;

/**
 * Makes a page of active or expired rules cheap: if many rules of a large ruleset have expired since the last such
 * page, they are counted in slices first. Resolves with the current ruleset, or undefined once it is gone. Read the
 * page in the turn in which this resolves.
 */
export async function preparedRules(
  current: () => LiveRuleset | undefined,
  now: number,
): Promise<LiveRuleset | undefined> {
  for (let tries = 0; ; tries++) {
    const live = current();
    if (live === undefined || tries === MAX_TRIES) return live;
    const work = live.rules.preparing(now);
    // Usually there is nothing to count, or a single block.
    if (work.next().done === true) return live;
    await inSlices(work);
    if (current()?.rules === live.rules) return current();
  }
}
