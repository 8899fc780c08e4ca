/** Whether a date such as `2026-02-28` exists. JavaScript itself takes February 30 for March 2. */
export function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
}
