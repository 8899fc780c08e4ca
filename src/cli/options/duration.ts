import { MAX_EXPIRY_DAYS } from "../../rulesets/validate-rule.ts";
import { UsageError } from "../runner/usage-error.ts";

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
