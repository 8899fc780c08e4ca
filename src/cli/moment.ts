import { MAX_EXPIRY_DAYS } from "../rulesets/validate-rule.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The time given by an option: a date and time with a zone, or a date, which means its last millisecond in UTC, so that
 * the whole day is included. Throws UsageError.
 */
export function momentOf(option: string, text: string): Date {
  const [, date, clock, zone] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const refuse = (cure: string): never => {
    throw new UsageError(`--${option} ${JSON.stringify(text)}: ${cure}, as in 2026-11-21 or 2026-11-21T11:19:00Z`);
  };
  if (date === undefined) return refuse("it is not an ISO 8601 time; write a date, or a date and time with a zone");
  if (clock !== undefined && zone === undefined)
    return refuse("the zone is missing; add Z, or an offset such as +01:00");
  // The parser turns February 30 into March 2.
  if (!new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)) return refuse("there is no such day");
  const time = new Date(clock === undefined ? `${date}T23:59:59.999Z` : text);
  return Number.isNaN(time.getTime()) ? refuse("there is no such time") : time;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const UNITS = { m: MINUTE, h: 60 * MINUTE, d: DAY, w: 7 * DAY };

/** Milliseconds of a duration such as 90m, 12h, 7d or 2w. Throws UsageError. */
export function durationOf(option: string, text: string): number {
  const [, number, unit] = /^([1-9][0-9]{0,8})([mhdw])$/.exec(text) ?? [];
  const duration = number === undefined ? Number.NaN : Number(number) * UNITS[unit as keyof typeof UNITS];
  if (duration <= MAX_EXPIRY_DAYS * DAY) return duration;
  throw new UsageError(
    `--${option} ${JSON.stringify(text)}: give a whole number of minutes, hours, days or weeks before the year 10000, such as 90m, 12h, 7d or 2w`,
  );
}
