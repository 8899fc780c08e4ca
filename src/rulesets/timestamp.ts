import { quoted } from "../address/address-error.ts";
import { RuleError } from "./rule-error.ts";

/** The last millisecond that a timestamp with a four-digit year can express. */
export const LAST_TIME = Date.UTC(10_000, 0) - 1;

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?$/;

/**
 * Milliseconds since 1970 UTC of an ISO 8601 timestamp with a time zone, `Z` or an offset, from 1970 to 9999. Digits
 * after the milliseconds are cut off. @throws RuleError "bad-timestamp", "out-of-range", "wrong-type"
 */
export function parseTimestamp(text: unknown): number {
  if (typeof text !== "string")
    throw new RuleError(
      "wrong-type",
      "expires_at",
      text,
      0,
      "a timestamp must be a string such as 2026-06-01T12:00:00Z",
    );
  const parts = TIMESTAMP.exec(text);
  if (parts === null) throw malformed(text);
  return timeOf(parts, text);
}

/** @throws RuleError, which names `text`, for a day, time or offset that does not exist, and out of range */
function timeOf(parts: RegExpExecArray, text: string): number {
  const number = (part: number): number => Number(parts[part] ?? 0);
  const [year, month, day, hour, minute, second] = [number(1), number(2), number(3), number(4), number(5), number(6)];
  const milliseconds = Number((parts[7] ?? "0").padEnd(3, "0").slice(0, 3));
  const [offsetHours, offsetMinutes] = [number(9), number(10)];
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  // A month of 30 days takes its 31st for the first of the next.
  const isDay = month >= 1 && month <= 12 && local.getUTCMonth() === month - 1 && local.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) {
    throw new RuleError("bad-timestamp", "expires_at", text, 0, "this day, time or offset does not exist");
  }
  const offset = (parts[8] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000;
  const time = local.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds - offset;
  if (time >= 0 && time <= LAST_TIME) return time;
  throw new RuleError("out-of-range", "expires_at", text, 0, "a time must be between 1970 and 9999, in UTC");
}

/** @throws RuleError if its day or time does not exist either, so that no such time is suggested */
function malformed(text: string): RuleError {
  if (!WITHOUT_ZONE.test(text)) {
    return new RuleError(
      "bad-timestamp",
      "expires_at",
      text,
      0,
      "write an ISO 8601 timestamp with a time zone, such as 2026-06-01T12:00:00Z or 2026-06-01T14:00:00+02:00",
    );
  }
  const [date, time = "00:00:00"] = text.split(/[T ]/);
  const meant = `${date}T${time}Z`;
  timeOf(TIMESTAMP.exec(meant)!, text);
  return new RuleError(
    "bad-timestamp",
    "expires_at",
    text,
    text.length,
    `the time zone is missing; did you mean ${quoted(meant)}?`,
  );
}
