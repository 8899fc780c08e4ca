import { post } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { ProblemNote } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Explanation as Explained } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { type Loading, useLoad } from "../load.ts";
import { hasPlan } from "../session.ts";

type Actor = Explained["rulesets"][number]["rules"][number]["added_by"];

/** Nothing is asked without the plan that it needs. */
export function useExplanation(ip: string): Loading<Explained | undefined> {
  return useLoad(
    async (signal) =>
      hasPlan("edl")
        ? ((await post("/dashboard/api/edl/ip-rulesets:explain", { body: { ip }, signal })) as unknown as Explained)
        : undefined,
    [ip],
  );
}

/** Who wrote the rules that cover an address, when another one decides, and the deployments that list it. */
export function Explanation({ ip, of }: { readonly ip: string; readonly of: Loading<Explained | undefined> }) {
  const { data, problem, reload } = of;
  if (problem !== undefined) return <ProblemNote problem={problem} retry={reload} />;
  if (data === undefined || data.ip !== ip || data.rulesets.length + data.deployments.length === 0) return null;
  return (
    <Panel title="Rule history and deployments" flush>
      <ul class="entries">
        {data.contradicted_by.length > 0 && (
          <li>
            <Contradiction of={data} />
          </li>
        )}
        {data.next_change_at !== null && (
          <li>
            <span>
              From <Time at={data.next_change_at} /> on, another rule decides, or none, unless rules change before then.
            </span>
          </li>
        )}
        {data.rulesets.flatMap(({ id, name, rules }) =>
          rules.map((rule) => (
            <li key={`${id} ${rule.ip}`}>
              <span>
                <span class="mono">{rule.ip}</span> in {name}: added <Time at={rule.created_at} />
                <By actor={rule.added_by} />
                {rule.updated_at !== rule.created_at && (
                  <>
                    , changed <Time at={rule.updated_at} />
                    <By actor={rule.updated_by} />
                  </>
                )}
              </span>
            </li>
          )),
        )}
        {data.deployments.map((deployment) => (
          <li key={deployment.id}>
            <Deployment of={deployment} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What rules say and what devices do differ; and what ends that. */
function Contradiction({ of: { decision, contradicted_by: ids, rulesets } }: { readonly of: Explained }) {
  const [says, does, purpose] =
    decision === "allow" ? ["allow", "block", "allowlist"] : ["block", "allow", "blocklist"];
  const decider = rulesets.find((ruleset) => ruleset.purpose === purpose && ruleset.decided_by !== null);
  return (
    <span>
      <Badge kind="warning">Contradiction</Badge> Your rules {says} it, but the lists of {ids.length}{" "}
      {ids.length === 1 ? "deployment" : "deployments"} below {does} it on devices. To end that, add {decider?.name} to
      their excludes.
    </span>
  );
}

function By({ actor }: { readonly actor: Actor }) {
  if (actor === null) return null;
  const kind = actor.kind === "key" ? "the key " : actor.kind === "command" ? "the command line: " : "";
  return (
    <>
      {" "}
      by {kind}
      <strong class="wrap">{actor.name ?? actor.id}</strong>
    </>
  );
}

const CONTAINS = { all: "lists it", part: "lists part of it", none: "does not list it", unknown: "unknown" } as const;

const DECIDED = {
  include: "",
  exclude: " An exclude lists it, and excludes always win.",
  guard: " Its guard leaves it out, because it should not be blocked.",
  fit: " No source lists it; it was added to shorten the list.",
} as const;

/** What is not on devices, because the list was refused, and what they have. */
const KEPT = {
  all: " This list was refused: the one that devices keep lists it.",
  part: " This list was refused: the one that devices keep lists part of it.",
  none: " This list was refused: the one that devices keep, if any, does not list it.",
} as const;

function Deployment({
  of: { id, name, status, contains, devices_have: had, decided_by: decidedBy, ends_at: end = null, error },
}: {
  readonly of: Explained["deployments"][number];
}) {
  return (
    <span>
      Deployment <a href={hrefOf(`/deployments/${id}`)}>{name}</a>:{" "}
      <Badge kind={contains === "none" ? "plain" : "accent"}>{CONTAINS[contains]}</Badge>
      {error !== null ? ` ${error}` : decidedBy === null ? "" : DECIDED[decidedBy]}
      {status === "stale" && " Devices have no list yet."}
      {had !== undefined && KEPT[had]}
      {end !== null && (
        <>
          {" "}
          Until <Time at={end} />.
        </>
      )}
    </span>
  );
}
