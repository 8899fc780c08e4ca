import { isDay } from "./is-day.ts";

/** The error of a text that is not a moment; the message says why. */
export class MomentError extends Error {
  override readonly name = "MomentError";
}

/**
 * A date and time with a zone, or a date, which means its last millisecond in UTC, so that the whole day is included.
 * Throws MomentError.
 */
export function parseMoment(text: string): Date {
  const [, date, clock, zone] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  if (date === undefined)
    throw new MomentError(
      "it is not an ISO 8601 time; write a date, or a date and time with a zone, as in 2026-11-21 or 2026-11-21T11:19:00Z",
    );
  if (clock !== undefined && zone === undefined)
    throw new MomentError("the zone is missing; add Z, or an offset such as +01:00");
  if (!isDay(date)) throw new MomentError("there is no such day");
  const time = new Date(clock === undefined ? `${date}T23:59:59.999Z` : text);
  if (Number.isNaN(time.getTime())) throw new MomentError("there is no such time");
  return time;
}
