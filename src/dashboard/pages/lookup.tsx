import { get } from "../api.ts";
import { AddressBox } from "../components/address-box.tsx";
import { Badge } from "../components/badge.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, ProblemNote, Skeleton } from "../components/states.tsx";
import type { Explanation as Explained, Lookup as Found } from "../documents.ts";
import { useLoad } from "../load.ts";
import { ErrorAt } from "../lookup/error-at.tsx";
import { Actions } from "../lookup/actions.tsx";
import { Explanation, useExplanation } from "../lookup/explanation.tsx";
import { PrefixBars } from "../lookup/prefix-bars.tsx";
import { isOverruled, Rulesets } from "../lookup/rulesets.tsx";
import { Sentence } from "../lookup/sentence.tsx";
import { Services } from "../lookup/services.tsx";
import { Classification, Threat } from "../lookup/threat.tsx";
import { hrefOf } from "../location.ts";
import { hasPlan, hasRole } from "../session.ts";
import "./lookup.css";

/** Everything known about an address or prefix, which is in the page's URL, so that it can be linked. */
export default function Lookup({ query }: PageProps) {
  const ip = query.get("ip")?.trim() ?? "";
  const { data, problem, isLoading, reload } = useLoad(
    async (signal) => (ip === "" ? undefined : get("/dashboard/api/lookup", { params: { query: { ip } }, signal })),
    [ip],
  );
  const error = isLoading ? undefined : problem?.fields["ip"]?.[0];
  const isStale = isLoading || problem !== undefined;
  return (
    <Page
      title={ip === "" ? "Lookup" : `Lookup of ${ip}`}
      about="Services, rules and threat intelligence of an address or prefix."
    >
      <AddressBox value={ip} autofocus={ip === ""} errorId={error === undefined ? undefined : "error"} />
      {error !== undefined ? (
        <ErrorAt id="error" text={ip} message={error} />
      ) : (
        !isLoading && problem !== undefined && <ProblemNote problem={problem} retry={reload} />
      )}
      {ip === "" ? (
        <Examples />
      ) : isLoading && data?.ip !== ip ? (
        <Skeleton />
      ) : (
        data !== undefined && !isStale && <Result found={data} reload={reload} />
      )}
    </Page>
  );
}

const EXAMPLES = ["1.1.1.1", "8.8.8.0/24", "2606:4700:4700::1111", "192.0.2.10"];

function Examples() {
  return (
    <Panel>
      <Empty icon="search" title="Enter an address or prefix">
        For example{" "}
        {EXAMPLES.map((each, at) => (
          <span key={each}>
            {at === 0 ? "" : at === EXAMPLES.length - 1 ? " or " : ", "}
            <a class="mono" href={hrefOf("/lookup", { ip: each })}>
              {each}
            </a>
          </span>
        ))}
        . Host names are not looked up.
      </Empty>
    </Panel>
  );
}

function Result({ found, reload }: { readonly found: Found; readonly reload: () => void }) {
  const { ip, cbs, rulesets, decision, cti } = found;
  const explanation = useExplanation(ip);
  const explained = explanation.data?.ip === ip ? explanation.data : undefined;
  const done = (): void => {
    reload();
    explanation.reload();
  };
  return (
    <>
      <Answer found={found} explained={hasPlan("edl") ? explained : null} onDone={done} />
      <Panel title="Covering prefixes">
        <PrefixBars found={found} />
      </Panel>
      <div class="columns">
        <Services cbs={cbs} />
        <Rulesets ip={ip} rulesets={rulesets} decision={decision} />
      </div>
      {hasPlan("edl") && <Explanation ip={ip} of={explanation} />}
      <Threat ip={ip} cti={cti} />
    </>
  );
}

/** The result at a glance. */
function Answer({
  found,
  explained,
  onDone,
}: {
  readonly found: Found;
  readonly explained: Explained | null | undefined;
  readonly onDone: () => void;
}) {
  const { ip, cbs, rulesets, decision, cti } = found;
  const deciding = rulesets.filter(({ rule }) => rule !== null);
  const names = cbs === null ? [] : [...new Set(cbs.labels)];
  return (
    <section class="answer panel" aria-label="Answer">
      <div class="answer-ip">
        <span class="mono">{ip}</span>
        <CopyButton iconOnly label={`Copy ${ip}`} text={ip} />
      </div>
      {hasRole("editor") && explained != null && <Actions found={found} explained={explained} onDone={onDone} />}
      <Sentence found={found} explained={explained} />
      <div class="row">
        {names.map((name) => (
          <Badge key={name} kind="accent">
            {name}
          </Badge>
        ))}
        {cbs !== null && names.length === 0 && <Badge>no service</Badge>}
        {decision === "allow" && deciding.some(({ purpose }) => purpose === "blocklist") && (
          <Badge kind="good">allowed</Badge>
        )}
        {deciding.map(({ id, name, purpose }) => (
          <Badge key={id} kind={purpose === "allowlist" ? "good" : decision === "allow" ? "plain" : "bad"}>
            {purpose}: {name}
            {isOverruled(purpose, decision) && ", overruled"}
          </Badge>
        ))}
        {rulesets.length > 0 && deciding.length === 0 && <Badge>no active rule</Badge>}
        {cti !== null && (cti.seen ? <Classification of={cti.classification} /> : <Badge>not seen by feeds</Badge>)}
      </div>
    </section>
  );
}
