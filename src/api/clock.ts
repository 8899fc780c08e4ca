/** Milliseconds since 1970 UTC. Every response reads it once. */
export type Clock = () => number;

/** ISO 8601, UTC, with milliseconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
