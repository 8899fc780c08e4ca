/** A text that is no moment; the message says why, and how to write one. */
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
  if (date === undefined) return refuse("it is not an ISO 8601 time; write a date, or a date and time with a zone");
  if (clock !== undefined && zone === undefined)
    return refuse("the zone is missing; add Z, or an offset such as +01:00");
  // The parser turns February 30 into March 2.
  if (!new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)) return refuse("there is no such day");
  const time = new Date(clock === undefined ? `${date}T23:59:59.999Z` : text);
  return Number.isNaN(time.getTime()) ? refuse("there is no such time") : time;
}

function refuse(cure: string): never {
  throw new MomentError(`${cure}, as in 2026-11-21 or 2026-11-21T11:19:00Z`);
}
