import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { Note } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Deployment } from "../documents.ts";
import { formatCounted, sentence } from "../format.ts";
import { stateOf } from "./state-of.ts";

const KINDS = {
  inactive: "plain",
  "not published yet": "plain",
  refused: "bad",
  "not pulled": "warning",
  ok: "good",
} as const;

export function StateBadge({ deployment }: { readonly deployment: Deployment }) {
  const state = stateOf(deployment);
  return <Badge kind={KINDS[state]}>{state}</Badge>;
}

/** Intervals without a request after which a deployment counts as not pulled. */
const MISSED = 3;

const CURES: Readonly<Record<string, string>> = {
  "too-wide": "Remove the wide prefix from the source, or allow wider ones under Limits.",
  empty: "Check what is excluded, or allow an empty list under Limits.",
  "too-many-entries":
    "Remove sources, shorten the list or split it into files (under Limits), or choose another device.",
  "too-many-bytes": "Remove sources, split the list into files, or choose another device.",
  unprocessable: "Exclude these prefixes, choose another format, or leave them out of the list under Limits.",
  shrinks: "If the change is right, publish the list; otherwise check the catalogue or the threat intelligence.",
  grows: "If the change is right, publish the list; otherwise check the catalogue or the threat intelligence.",
  collateral:
    "If they should be blocked, publish the list; otherwise exclude these addresses, or let the guard leave them out.",
};
const RELEASABLE: ReadonlySet<string> = new Set(["shrinks", "grows", "collateral"]);

/** Whether a person may publish the refused list as it is. */
export function canBeReleased({ reasons, refused_generation: refused }: Deployment): boolean {
  return refused !== null && reasons.every(({ code }) => RELEASABLE.has(code));
}

/** Why lists are refused, and what to do about each reason. */
export function Reasons({ reasons }: Pick<Deployment, "reasons">) {
  return (
    <ul class="reasons">
      {reasons.map(({ code, message }) => (
        <li key={message}>
          <span class="wrap">{sentence(message)}</span> {CURES[code] ?? "Edit the deployment and remove the source."}
        </li>
      ))}
    </ul>
  );
}

/** Includes that contradict the purpose; nothing if there are none. */
export function DoubtfulSources({ sources }: { readonly sources: readonly string[] }) {
  if (sources.length === 0) return null;
  return (
    <Note kind="warning">
      <ul class="reasons">
        {sources.map((text) => (
          <li key={text} class="wrap">
            {sentence(text)}
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** What the state means for the devices, and what to do; nothing if all is well. */
export function StateNote({
  deployment,
  children,
}: {
  readonly deployment: Deployment;
  /** Buttons that do it. */
  readonly children?: ComponentChildren;
}) {
  const { generation, refused_generation: refused, last_generated: at, update_frequency_seconds: seconds } = deployment;
  switch (stateOf(deployment)) {
    case "ok":
      return null;
    case "inactive":
      return (
        <Note>
          The deployment is not active: devices that fetch the list get 403, and most of them keep their last list.{" "}
          {children}
        </Note>
      );
    case "not published yet":
      return (
        <Note>
          The first list is being built, which takes a few seconds. Devices get 503 until then, and try again.
        </Note>
      );
    case "not pulled":
      return (
        <Note kind="warning">
          No device has fetched the list for {formatCounted((MISSED * seconds) / 60, "minute")}. Check that a device has
          one of the URLs below and can reach this server.
        </Note>
      );
    case "refused":
      return (
        <Note kind="bad">
          <strong>List {refused} was not published.</strong>{" "}
          {at === null ? (
            "Devices have no list yet."
          ) : (
            <>
              Devices keep list {generation} of <Time at={at} relative />.
            </>
          )}
          <Reasons reasons={deployment.reasons} />
          {children}
        </Note>
      );
  }
}
