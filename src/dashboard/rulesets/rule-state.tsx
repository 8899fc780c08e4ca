import { Badge } from "../components/badge.tsx";
import { Icon } from "../components/icon.tsx";
import { formatLocal, formatRelative, formatUtc } from "../format.ts";
import type { Rule, RuleRow } from "../documents.ts";

export function StateBadge({ state }: { readonly state: RuleRow["state"] }) {
  if (state === "expired")
    return (
      <Badge>
        <Icon name="close" />
        expired
      </Badge>
    );
  if (state === "expiring")
    return (
      <Badge kind="warning">
        <Icon name="clock" />
        expires soon
      </Badge>
    );
  return (
    <Badge kind="good">
      <Icon name="check" />
      active
    </Badge>
  );
}

/** In a column, what most rules do not have is a dash. */
export function Dash({ of }: { readonly of: string }) {
  return (
    <span class="muted" title={of}>
      <span aria-hidden="true">–</span>
      <span class="hidden">{of}</span>
    </span>
  );
}

/** When a rule expires: local time, and UTC if it differs. */
export function Expires({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="muted">never</span>;
  const date = new Date(at);
  const [local, utc] = [formatLocal(date), formatUtc(date).replace(/:\d\d UTC$/, " UTC")];
  return (
    <time dateTime={at} title={`${formatRelative(date)}: ${local} local time, ${formatUtc(date)}`} class="expires">
      {local} <span class="muted">{utc.startsWith(local) ? "UTC" : utc}</span>
    </time>
  );
}

export function RuleName({ name }: { readonly name: string | null }) {
  return name === null || name === "" ? <span class="muted">no name</span> : <bdi>{name}</bdi>;
}

/** A rule in one line. */
export function RuleText({ rule }: { readonly rule: Rule }) {
  return (
    <>
      <code>{rule.ip}</code> · <RuleName name={rule.name} /> ·{" "}
      {rule.expires_at === null ? (
        "never expires"
      ) : (
        <>
          until <Expires at={rule.expires_at} />
        </>
      )}
    </>
  );
}
