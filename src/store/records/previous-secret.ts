/** A secret that was replaced, and still works: the token in the URLs of a deployment, or the secret of a webhook. */
export interface PreviousSecret {
  /** Its number, as `rotation` was while it was the current one. */
  readonly rotation: number;
  /** null: it was replaced before these times were recorded. */
  readonly replacedAt: number | null;
  /** The first millisecond at which it no longer works. */
  readonly until: number;
}

/** Of one deployment or webhook: each costs a comparison for each request, or a signature in each message. */
export const MAX_PREVIOUS_SECRETS = 10;

/** Those that still work. */
export function stillWorking<Previous extends PreviousSecret>(
  previous: readonly Previous[],
  now: number,
): readonly Previous[] {
  return previous.filter(({ until }) => now < until);
}

/** When the last one stops working; null: none works any more. */
export function lastEnd(previous: readonly PreviousSecret[], now: number): number | null {
  return stillWorking(previous, now).reduce<number | null>((last, { until }) => Math.max(last ?? until, until), null);
}

/** When the first of them stops working, as text. */
export function firstEnd(previous: readonly PreviousSecret[]): string {
  return new Date(Math.min(...previous.map(({ until }) => until))).toISOString();
}
