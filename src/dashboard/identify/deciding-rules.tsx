import { Time } from "../components/time.tsx";
import type { Identification } from "../documents.ts";
import { formatCounted } from "../format.ts";
import { hrefOf } from "../location.ts";
import { PurposeBadge } from "../rulesets/purpose-badge.tsx";

export type TopAddress = NonNullable<Identification["top_addresses"]>["matched"][number];

/** For an address, the rule that decides in each ruleset that covers it, allowlists first. */
export function DecidingRules({ of: { ip, rules, rules_count: count } }: { readonly of: TopAddress }) {
  if (rules.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="deciding-rules">
      {rules.map((rule) => (
        <li key={rule.ruleset_id}>
          <DecidingRule of={rule} />
        </li>
      ))}
      {count > rules.length && (
        <li>
          <a href={hrefOf("/lookup", { ip })}>and {formatCounted(count - rules.length, "more ruleset")}</a>
        </li>
      )}
    </ul>
  );
}

function DecidingRule({
  of: { ruleset_id: id, ruleset, purpose, ip, name, expires_at: expiresAt },
}: {
  readonly of: TopAddress["rules"][number];
}) {
  return (
    <>
      <PurposeBadge purpose={purpose} />{" "}
      <a class="mono wrap" href={hrefOf(`/rulesets/${id}`, { ip })}>
        {ip}
      </a>
      {name !== null && <span class="wrap"> {name}</span>}
      <span class="muted small">
        {" "}
        in <span class="wrap">{ruleset}</span>,{" "}
        {expiresAt === null ? (
          "never expires"
        ) : (
          <>
            until <Time at={expiresAt} />
          </>
        )}
      </span>
    </>
  );
}
