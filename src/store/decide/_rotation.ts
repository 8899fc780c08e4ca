import { firstEnd, MAX_PREVIOUS_SECRETS, type PreviousSecret, stillWorking } from "../records/previous-secret.ts";
import { StoreError } from "../store-error.ts";

/**
 * What still works after a replacement: every earlier secret until its own end, and the replaced one until its. Without
 * a grace time (it ends at once), none of them: whoever asks for that no longer trusts what others may have. Throws
 * StoreError (`too-many-rotations`); `things`: what the secrets are, for its message.
 */
export function previousAfter<Previous extends PreviousSecret>(
  before: readonly Previous[],
  replaced: Previous,
  at: number,
  things: string,
): readonly Previous[] {
  if (replaced.until <= at) return [];
  const working = stillWorking(before, at);
  if (working.length < MAX_PREVIOUS_SECRETS) return [...working, replaced];
  throw new StoreError(
    "too-many-rotations",
    `${MAX_PREVIOUS_SECRETS} earlier ${things} still work, the maximum; the first of them ends at ${firstEnd(working)}: wait until then, or replace without a grace time (0 hours), which ends all of them at once`,
  );
}
