import { inSlices } from "../../turns/in-slices.ts";
import type { LiveRuleset } from "./service-memory.ts";

/** A ruleset that is replaced while it is counted is begun again so many times. */
const MAX_TRIES = 3;

/**
 * Makes a page of active or expired rules cheap: what has to be counted first, where many rules of a large ruleset have
 * expired since the last such page, is counted in slices. Read the page in the turn in which this resolves. Gives the
 * ruleset as it is then, undefined once it is gone.
 */
export async function preparedRules(
  current: () => LiveRuleset | undefined,
  now: number,
): Promise<LiveRuleset | undefined> {
  for (let tries = 0; ; tries++) {
    const live = current();
    if (live === undefined || tries === MAX_TRIES) return live;
    const work = live.rules.preparing(now);
    // Mostly nothing, or a single block, is to be counted.
    if (work.next().done === true) return live;
    await inSlices(work);
    if (current()?.rules === live.rules) return current();
  }
}
