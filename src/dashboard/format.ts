/** Texts of numbers and times, in the format of the browser's language. */
const WHOLE = new Intl.NumberFormat();
const SHORT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** For axes: `12K`. */
export function formatShort(count: number): string {
  return SHORT.format(count);
}

/** A count of addresses as the server writes it, which can be too large for a number. */
export function formatDigits(digits: string): string {
  return WHOLE.format(BigInt(digits));
}

/** `1 rule`, `2 rules`. */
export function formatCounted(count: number | bigint, one: string, many: string = `${one}s`): string {
  return `${WHOLE.format(count)} ${Number(count) === 1 ? one : many}`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]!}`;
}

/**
 * `2026-11-22 14:03` in the browser's time zone: dates are compared, so they are written in the order in which they
 * sort.
 */
export function formatLocal(at: Date, { seconds = false }: { readonly seconds?: boolean } = {}): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}${seconds ? `:${two(at.getSeconds())}` : ""}`;
}

/** `2026-11-22 13:03:07 UTC` */
export function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const STEPS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [31_557_600, "year"],
  [2_629_800, "month"],
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `3 minutes ago`, `in 5 days`, `now`. */
export function formatRelative(at: Date, now: Date = new Date()): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const step = STEPS.find(([length]) => Math.abs(seconds) >= length);
  return step === undefined ? RELATIVE.format(0, "second") : RELATIVE.format(Math.trunc(seconds / step[0]), step[1]);
}

/** A message of the server as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`.replace(/([.?!:])\.$/, "$1");
}

const COUNTRIES = new Intl.DisplayNames("en", { type: "region" });

/** The name of a country by its code, or the code. */
export function countryName(code: string): string {
  return COUNTRIES.of(code) ?? code;
}
