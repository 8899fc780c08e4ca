export type RuleState = "active" | "expired" | "expiring";

/** Which rules are shown; part of the page's URL. */
export interface RuleFilter {
  readonly state?: RuleState | undefined;
  /** With `expiring`: within this many days from now. */
  readonly days: number;
  /** A part of the name. */
  readonly name?: string | undefined;
  /** An address or prefix, or its beginning: the rules that cover it or lie in it. */
  readonly ip?: string | undefined;
}

export const DAYS = 7;
const MAX_DAYS = 36_500;
const STATES: readonly RuleState[] = ["active", "expired", "expiring"];

/** Invalid parameters are ignored. */
export function readFilter(query: URLSearchParams): RuleFilter {
  const days = Number(query.get("days"));
  return {
    state: STATES.find((state) => state === query.get("state")),
    days: Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : DAYS,
    name: query.get("name") ?? undefined,
    ip: query.get("ip") ?? undefined,
  };
}

/** The parameters of the URL. */
export function filterQuery({ state, days, name, ip }: RuleFilter): Record<string, string | undefined> {
  return { state, days: state === "expiring" && days !== DAYS ? String(days) : undefined, name, ip };
}

/** The parameters of the request. */
export function requestQuery({ state, days, name, ip }: RuleFilter): {
  state?: RuleState;
  expiring_within_days?: number;
  name?: string;
  ip?: string;
} {
  return {
    ...(state === undefined ? {} : { state }),
    ...(state === "expiring" ? { expiring_within_days: days } : {}),
    ...(name === undefined || name === "" ? {} : { name }),
    ...(ip === undefined || ip === "" ? {} : { ip: prefixOf(ip) }),
  };
}

/** What the beginning of an address stands for, as in `2.57.122` or `2001:db8`; any other text stays as it is. */
export function prefixOf(text: string): string {
  const beginning = text.replace(/[.:]$/, "");
  if (isV4Beginning(text)) {
    const bytes = beginning.split(".");
    return `${[...bytes, "0", "0", "0"].slice(0, 4).join(".")}/${8 * bytes.length}`;
  }
  return isV6Beginning(text) ? `${beginning}::/${16 * beginning.split(":").length}` : text;
}

/** With a point: a number alone is a part of a name. */
function isV4Beginning(text: string): boolean {
  const bytes = text.replace(/\.$/, "").split(".");
  return /^\d{1,3}(?:\.\d{1,3}){0,2}\.?$/.test(text) && text.includes(".") && bytes.every((byte) => Number(byte) < 256);
}

function isV6Beginning(text: string): boolean {
  return /^[\da-f]{1,4}(?::[\da-f]{1,4}){0,6}:?$/i.test(text) && text.includes(":");
}

/** The text of the search: an address or prefix, otherwise a part of names. */
export function readSearch(typed: string): Pick<RuleFilter, "name" | "ip"> {
  const text = typed.trim();
  if (text === "") return { name: undefined, ip: undefined };
  return looksLikeAddress(text) ? { ip: text, name: undefined } : { name: text, ip: undefined };
}

/** Names seldom look like this; the server decides whether it is valid. */
function looksLikeAddress(text: string): boolean {
  return (
    /^\d{1,3}(\.\d{1,3}){3}(\/\d{1,3})?$/.test(text) ||
    (/^[\da-f:.]+(\/\d{1,3})?$/i.test(text) && text.split(":").length > 2) ||
    prefixOf(text) !== text
  );
}
