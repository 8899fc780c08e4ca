import { formatLocal, formatRelative, formatUtc } from "../format.ts";

/** A time of the server, in local time; UTC on hover. `relative`: for example `3 minutes ago`. */
export function Time({
  at,
  relative = false,
  seconds = false,
}: {
  readonly at: string;
  readonly relative?: boolean;
  readonly seconds?: boolean;
}) {
  const date = new Date(at);
  const local = formatLocal(date, { seconds });
  return (
    <time dateTime={at} title={relative ? `${local} local time, ${formatUtc(date)}` : formatUtc(date)}>
      {relative ? formatRelative(date) : local}
    </time>
  );
}

/** A time that is defined in UTC, and the local time if it differs: below it, or `inline`. */
export function DateTime({ at, inline = false }: { readonly at: string; readonly inline?: boolean }) {
  const date = new Date(at);
  const utc = formatUtc(date).replace(":00 UTC", " UTC");
  const local = formatLocal(date);
  const isSame = utc.startsWith(local);
  if (inline)
    return (
      <time dateTime={at}>
        {utc}
        {!isSame && `, which is ${local} local time`}
      </time>
    );
  return (
    <time dateTime={at} title={formatRelative(date)} class="both-times">
      <span>{utc}</span>
      {!isSame && <span class="muted">{local} local time</span>}
    </time>
  );
}

interface PreviousEndsProps {
  readonly previous: readonly { readonly replaced_at: string | null; readonly valid_until: string }[];
  /** What each of them does until its end, such as "work". */
  readonly verb: string;
}

/** Until when each secret that was replaced still works. */
export function PreviousEnds({ previous, verb }: PreviousEndsProps) {
  return (
    <ul class="stack-tight plain-list">
      {previous.map(({ replaced_at: at, valid_until: until }) => (
        <li key={until}>
          {at !== null && (
            <>
              replaced <DateTime at={at} inline />:{" "}
            </>
          )}
          {verb} until <DateTime at={until} inline />
        </li>
      ))}
    </ul>
  );
}
