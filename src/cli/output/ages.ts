import type { ListTimes } from "../../cbs/import-catalogue.ts";
import { counted } from "../../words/numbers.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "3 hours ago", from an ISO 8601 time; "-" for none. */
export function ageText(time: string | null, now = Date.now()): string {
  if (time === null) return "-";
  const age = now - Date.parse(time);
  if (age < 0) return "in the future";
  if (age < MINUTE) return "just now";
  const [unit, noun] = age < HOUR ? [MINUTE, "minute"] : age < 2 * DAY ? [HOUR, "hour"] : [DAY, "day"];
  return `${counted(Math.floor(age / unit), noun)} ago`;
}

/** "published 3 days ago, fetched just now, changed 2 hours ago", without the times that are unknown. */
export function timesText({ publishedAt, fetchedAt, changedAt }: ListTimes): string {
  const now = Date.now();
  const times = [
    ["published", publishedAt],
    ["fetched", fetchedAt],
    ["changed", changedAt],
  ] as const;
  return times
    .filter(([, time]) => time !== null)
    .map(([what, time]) => `${what} ${ageText(time, now)}`)
    .join(", ");
}
