/** A share of 0..1 as a percentage with one decimal. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Three digits and a unit: 1.23 M. */
export function short(value: number): string {
  return scaled(value, ["", " k", " M", " G", " T"]);
}

/** Decimal units: 381 MB. */
export function byteSize(bytes: number): string {
  return scaled(bytes, [" B", " kB", " MB", " GB", " TB"]);
}

/** Seconds as 0:07 or 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${parts.join(":")}` : `${Number(parts[0])}:${parts[1]}`;
}

/** Each unit is this many of the one before it. */
const STEP = 1000;

function scaled(value: number, units: readonly string[]): string {
  let at = 0;
  let rest = value;
  while (rest >= STEP && at < units.length - 1) {
    rest /= STEP;
    at++;
  }
  const digits = at === 0 || rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  return rest.toFixed(digits) + units[at];
}
