import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { Empty } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { formatCounted } from "../format.ts";
import type { CoveringRule, RulesetMatch } from "../documents.ts";
import { hrefOf } from "../place.ts";
import { hasPlan } from "../session.ts";
import { NoPlan } from "./no-plan.tsx";

/** What every ruleset says: the rule that decides, until when, and all others that cover it. */
export function Rulesets({ rulesets }: { readonly rulesets: readonly RulesetMatch[] }) {
  if (!hasPlan("edl")) return <Panel title="Rulesets"><NoPlan area="edl" what="rulesets" /></Panel>;
  if (rulesets.length === 0) return <Panel title="Rulesets"><Empty icon="rulesets" title="There is no ruleset yet" /></Panel>;
  const covering = rulesets.filter((ruleset) => ruleset.covering.length > 0);
  const others = rulesets.filter((ruleset) => ruleset.covering.length === 0);
  return (
    <Panel title="Rulesets" flush>
      {covering.length === 0 && <Empty icon="rulesets" title="No rule covers it">{formatCounted(rulesets.length, "ruleset")} searched, expired rules too.</Empty>}
      <ul class="entries">{covering.map((ruleset) => <li key={ruleset.id}><Decision of={ruleset} /></li>)}</ul>
      {covering.length > 0 && others.length > 0 && (
        <p class="entries-rest muted small">No rule in {others.map(({ id, name }, at) => <span key={id}>{at > 0 && ", "}<a href={hrefOf(`/rulesets/${id}`)}>{name}</a></span>)}.</p>
      )}
    </Panel>
  );
}

function Decision({ of: { id, name, purpose, rule, covering } }: { readonly of: RulesetMatch }) {
  return (
    <>
      <span class="decision-head"><a class="wrap" href={hrefOf(`/rulesets/${id}`)}>{name}</a><Badge kind={rule === null ? "plain" : purpose === "blocklist" ? "bad" : "good"}>{purpose}</Badge></span>
      <p>
        {rule === null
          ? <>Nothing is decided: {covering.length === 1 ? "the rule that covers it has" : `all ${covering.length} rules that cover it have`} expired.</>
          : <>Decided by <strong class="mono">{rule.ip}</strong>{rule.expires_at === null ? ", for good." : <> until <Time at={rule.expires_at} /> (<Time at={rule.expires_at} relative />).</>}</>}
      </p>
      <ul class="covering">{covering.map((each) => <li key={each.ip}><Covering rule={each} decides={each.ip === rule?.ip} /></li>)}</ul>
    </>
  );
}

function Covering({ rule: { ip, name, expires_at, state }, decides }: { readonly rule: CoveringRule; readonly decides: boolean }) {
  const text = <><span class="mono">{ip}</span>{name !== null && <> {name}</>}</>;
  return (
    <>
      <span class="wrap">{state === "expired" ? <s>{text}</s> : text}</span>
      <span class="covering-state">
        {state === "expired" ? <Badge>expired</Badge> : decides ? <Badge kind="accent">decides</Badge> : <Badge>less specific</Badge>}
        {expires_at !== null && <Time at={expires_at} />}
      </span>
    </>
  );
}
