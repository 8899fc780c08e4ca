/** Which changes are shown; part of the page's URL. Days are in the browser's time zone. */
export interface AuditFilter {
  readonly kind: string;
  readonly actor: string;
  readonly ruleset_id: string;
  /** For example `2026-11-22`; empty: from the first. */
  readonly from: string;
  /** The last day that is shown. */
  readonly to: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Invalid days are ignored. */
export function readAuditFilter(query: URLSearchParams): AuditFilter {
  const text = (name: string): string => query.get(name) ?? "";
  const day = (name: string): string => (DAY.test(text(name)) && startOf(text(name)) !== undefined ? text(name) : "");
  return { kind: text("kind"), actor: text("actor"), ruleset_id: text("ruleset_id"), from: day("from"), to: day("to") };
}

export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== "");
}

/** The parameters of the request. */
export function auditQuery({ from, to, ...others }: AuditFilter): Record<string, string> {
  const given = Object.entries({ ...others, from: startOf(from) ?? "", until: startOf(to, 1) ?? "" });
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

/** When a day begins here, or this many days later. */
function startOf(day: string, later = 0): string | undefined {
  const at = new Date(`${day}T00:00:00`);
  if (Number.isNaN(at.getTime())) return undefined;
  at.setDate(at.getDate() + later);
  return at.toISOString();
}
