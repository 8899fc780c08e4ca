import type { ComponentChildren } from "preact";
import { Time } from "../components/time.tsx";
import type { Explanation, Lookup } from "../documents.ts";
import { countryName, formatCounted } from "../format.ts";

interface Props {
  readonly found: Lookup;
  /** Null: the organisation has no rulesets; undefined: not known yet. */
  readonly explained: Explanation | null | undefined;
}

/** The answer in a sentence: what happens to it, and what it is. */
export function Sentence({ found, explained }: Props) {
  const what = whatItIs(found);
  const verdict = explained === null ? null : verdictOf(found, explained);
  return (
    <p class="answer-sentence">
      {verdict !== null && <>{verdict}. </>}
      {what !== "" && `${what}.`}
      {verdict === null && what === "" && "Nothing is known about it."}
    </p>
  );
}

/** `Amazon EC2 in eu-west-3, AS16509 Amazon.com, France`, as far as it is known. */
function whatItIs({ cbs }: Pick<Lookup, "cbs">): string {
  if (cbs === null) return "";
  const { primary, network } = cbs;
  const parts = [
    ...(primary === null ? [] : [primary.region === null ? primary.name : `${primary.name} in ${primary.region}`]),
    ...(network === null ? [] : [`AS${network.asn} ${network.name}`.replace(/\.$/, "")]),
    ...(network === null || network.country === null ? [] : [countryName(network.country)]),
  ];
  return parts.join(", ");
}

/** Deployments whose devices have any of it. */
export function deploymentsWith(explained: Explanation, purpose: "blocklist" | "allowlist") {
  return explained.deployments.filter(
    (each) =>
      each.purpose === purpose &&
      ["all", "part"].includes(each.devices_have ?? (each.status === "ok" ? each.contains : "none")),
  );
}

function verdictOf({ rulesets, decision }: Lookup, explained: Explanation | undefined): ComponentChildren {
  const deciding = (purpose: string): string | undefined =>
    rulesets.find((each) => each.purpose === purpose && each.rule !== null)?.name;
  const [allowlist, blocklist] = [deciding("allowlist"), deciding("blocklist")];
  const blocking = explained === undefined ? [] : deploymentsWith(explained, "blocklist");
  const by = blocking.length === 1 ? blocking[0]!.name : formatCounted(blocking.length, "deployment");
  const until = explained?.next_change_at == null ? null : <Until at={explained.next_change_at} />;
  if (decision === "allow")
    return blocking.length > 0 ? (
      <>
        <strong class="is-bad">Blocked</strong> by {by}, although your allowlist {allowlist} allows it{until}
      </>
    ) : (
      <>
        <strong class="is-good">Allowed</strong> by your allowlist {allowlist}
        {until}
        {blocklist !== undefined && `, although your blocklist ${blocklist} has it`}
      </>
    );
  if (decision === "block")
    return (
      <>
        <strong class="is-bad">Blocked</strong> by your blocklist {blocklist}
        {until}
        {explained !== undefined &&
          (blocking.length > 0 ? `, on the devices of ${by}` : ", but no deployment carries it to devices")}
      </>
    );
  if (blocking.length > 0)
    return (
      <>
        <strong class="is-bad">Blocked</strong> by {by}, although no rule of yours lists it
      </>
    );
  return rulesets.length === 0 ? null : "Not on any of your lists";
}

function Until({ at }: { readonly at: string }) {
  return (
    <>
      {" "}
      until <Time at={at} />
    </>
  );
}
