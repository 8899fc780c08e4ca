import type { CommonCredential } from "./records/credential.ts";

const WEEK = 7 * 86_400_000;
/** Of the time of a key that is valid for less than four weeks. */
const LAST_PART = 1 / 4;

/**
 * Whether its holder should know that a key expires: in its last week, or the last quarter of a short time. Still true
 * for a week after the expiry, for servers that were not running before.
 */
export function isExpiring({ createdAt, expiresAt, revokedAt }: CommonCredential, now: number): boolean {
  if (expiresAt === null || revokedAt !== null) return false;
  const before = Math.min(WEEK, (expiresAt - createdAt) * LAST_PART);
  return now >= expiresAt - before && now < expiresAt + WEEK;
}
