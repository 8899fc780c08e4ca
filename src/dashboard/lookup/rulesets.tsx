import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { Empty, Note } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { formatCounted } from "../format.ts";
import type { CoveringRule, Lookup, RulesetMatch } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { hasPlan } from "../session.ts";
import { NoPlan } from "./no-plan.tsx";

type Decision = Lookup["decision"];

/** Whether an allowlist overrides a blocklist: allow before block. */
export function isOverruled(purpose: RulesetMatch["purpose"], decision: Decision): boolean {
  return purpose === "blocklist" && decision === "allow";
}

/** The result of each ruleset: the rule that decides, until when, and all others that cover the address. */
export function Rulesets({
  ip,
  rulesets,
  decision,
}: {
  readonly ip: string;
  readonly rulesets: readonly RulesetMatch[];
  readonly decision: Decision;
}) {
  if (!hasPlan("edl"))
    return (
      <Panel title="Rulesets">
        <NoPlan area="edl" what="rulesets" />
      </Panel>
    );
  if (rulesets.length === 0)
    return (
      <Panel title="Rulesets">
        <Empty icon="rulesets" title="No rulesets yet" />
      </Panel>
    );
  const covering = rulesets.filter((ruleset) => ruleset.covering.length > 0);
  const others = rulesets.filter((ruleset) => ruleset.covering.length === 0);
  return (
    <Panel title="Rulesets" flush>
      {covering.length === 0 && (
        <Empty icon="rulesets" title="No matching rules">
          {formatCounted(rulesets.length, "ruleset")} searched, including expired rules.
        </Empty>
      )}
      <Conflict {...{ ip, decision }} deciding={covering.filter(({ rule }) => rule !== null)} />
      <ul class="entries">
        {covering.map((ruleset) => (
          <li key={ruleset.id}>
            <OneRuleset of={ruleset} isOverruled={isOverruled(ruleset.purpose, decision)} />
          </li>
        ))}
      </ul>
      {covering.length > 0 && others.length > 0 && (
        <p class="entries-rest muted small">
          No rule in{" "}
          {others.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ", "}
              <a href={hrefOf(`/rulesets/${id}`)}>{name}</a>
            </span>
          ))}
          .
        </p>
      )}
    </Panel>
  );
}

/** For an address that one list allows and another one blocks: which of them wins, and who has to make sure of that. */
function Conflict({
  ip,
  deciding,
  decision,
}: {
  readonly ip: string;
  readonly deciding: readonly RulesetMatch[];
  readonly decision: Decision;
}) {
  if (!deciding.some(({ purpose }) => isOverruled(purpose, decision))) return null;
  const names = (purpose: RulesetMatch["purpose"]) =>
    deciding
      .filter((each) => each.purpose === purpose)
      .map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <strong class="wrap">{name}</strong>
        </span>
      ));
  return (
    <Note kind="warning">
      <p>
        <span class="mono">{ip}</span> is on an allowlist ({names("allowlist")}) and on a blocklist (
        {names("blocklist")}).
      </p>
      <p>
        Allow before block: where active rules of an allowlist and of a blocklist cover an address, it is allowed. Each
        list is exported separately, so a firewall must check the allowlist first.
      </p>
    </Note>
  );
}

function OneRuleset({
  of: { id, name, purpose, rule, covering },
  isOverruled,
}: {
  readonly of: RulesetMatch;
  readonly isOverruled: boolean;
}) {
  return (
    <>
      <span class="decision-head">
        <a class="wrap" href={hrefOf(`/rulesets/${id}`)}>
          {name}
        </a>
        <Badge kind={rule === null || isOverruled ? "plain" : purpose === "blocklist" ? "bad" : "good"}>
          {purpose}
        </Badge>
        {rule !== null && isOverruled && <Badge kind="warning">overruled</Badge>}
      </span>
      <p>
        {rule === null ? (
          <>
            No decision:{" "}
            {covering.length === 1 ? "the matching rule has" : `all ${covering.length} matching rules have`} expired.
          </>
        ) : (
          <>
            Decided by <strong class="mono">{rule.ip}</strong>
            {rule.expires_at === null ? (
              ", never expires."
            ) : (
              <>
                {" "}
                until <Time at={rule.expires_at} /> (<Time at={rule.expires_at} relative />
                ).
              </>
            )}
          </>
        )}
      </p>
      <ul class="covering">
        {covering.map((each) => (
          <li key={each.ip}>
            <Covering rule={each} decides={each.ip === rule?.ip} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Covering({
  rule: { ip, name, expires_at, state },
  decides,
}: {
  readonly rule: CoveringRule;
  readonly decides: boolean;
}) {
  const text = (
    <>
      <span class="mono">{ip}</span>
      {name !== null && <> {name}</>}
    </>
  );
  return (
    <>
      <span class="wrap">{state === "expired" ? <s>{text}</s> : text}</span>
      <span class="covering-state">
        {state === "expired" ? (
          <Badge>expired</Badge>
        ) : decides ? (
          <Badge kind="accent">decides</Badge>
        ) : (
          <Badge>less specific</Badge>
        )}
        {expires_at !== null && <Time at={expires_at} />}
      </span>
    </>
  );
}
