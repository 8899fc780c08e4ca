import { formatLocal, formatRelative, formatUtc } from "../format.ts";

/** A time of the server, in local time; UTC when pointed at. `relative`: as `3 minutes ago`. */
export function Time({ at, relative = false, seconds = false }: { readonly at: string; readonly relative?: boolean; readonly seconds?: boolean }) {
  const date = new Date(at);
  const local = formatLocal(date, { seconds });
  return <time dateTime={at} title={relative ? `${local} local time, ${formatUtc(date)}` : formatUtc(date)}>{relative ? formatRelative(date) : local}</time>;
}
