import { atOnce } from "../cbs/in-parts.ts";
import type { LiveRuleset } from "./service-memory.ts";

/** A ruleset that changes while it is read is begun again so many times; then it is read at once. */
const MAX_TRIES = 3;

/** Does work on the rules of a ruleset as they are at one moment; `latest` gives the ruleset as it is when it is called. */
export function* onOneVersion<Result>(
  latest: () => LiveRuleset,
  work: (ruleset: LiveRuleset) => Generator<undefined, Result, undefined>,
): Generator<undefined, Result, undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const ruleset = latest();
    const steps = work(ruleset);
    for (let step = steps.next(); latest().about.version === ruleset.about.version; step = steps.next()) {
      if (step.done === true) return step.value;
      yield;
    }
  }
  return atOnce(work(latest()));
}
