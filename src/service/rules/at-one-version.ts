import { stateOf } from "../../store/state.ts";
import { Slice } from "../../turns/in-slices.ts";
import { copyOf } from "../store/copied-rules.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

/** A ruleset that changes while it is read is read again this many times; then a copy of it is read. */
const MAX_TRIES = 3;

/**
 * Reads a ruleset of any size in slices, as of one moment. `current` returns it as it is when called, undefined once it
 * is gone; `read` starts again if the ruleset has changed since. Resolves with what was read and its version; undefined
 * if the ruleset is gone.
 */
export async function atOneVersion<Result>(
  current: () => LiveRuleset | undefined,
  read: (ruleset: LiveRuleset) => Generator<undefined, Result, undefined>,
): Promise<{ readonly ruleset: LiveRuleset; readonly result: Result } | undefined> {
  for (let tries = 0; ; tries++) {
    const live = current();
    if (live === undefined) return undefined;
    const isCopy = tries === MAX_TRIES;
    const ruleset = isCopy ? { ...live, rules: await copyOf(live.rules) } : live;
    const found = await readThrough(read(ruleset), () => isCopy || isAsItWas(live, current()));
    if (found !== undefined) return { ruleset, ...found };
  }
}

/** Rules that have been replaced by others no longer change. */
function isAsItWas({ about, rules }: LiveRuleset, now: LiveRuleset | undefined): boolean {
  return now !== undefined && (stateOf(now.about) === stateOf(about) || now.rules !== rules);
}

/** Undefined if the ruleset changed while other requests ran. */
async function readThrough<Result>(
  work: Generator<undefined, Result, undefined>,
  holds: () => boolean,
): Promise<{ readonly result: Result } | undefined> {
  const slice = new Slice();
  for (;;) {
    await slice.pause();
    if (!holds()) return undefined;
    do {
      const { done, value } = work.next();
      if (done === true) return { result: value };
    } while (!slice.isOver);
  }
}
