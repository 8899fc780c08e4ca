import type { Hit } from "../../collateral/find-collateral.ts";
import type { PullErrors } from "../../store/records/activity.ts";
import { type Deployment, statusOf } from "../../store/records/deployment.ts";
import { hitText } from "../guards/collateral-documents.ts";
import type { Pulls } from "../deployments/pulls.ts";
import { counted } from "../../words/numbers.ts";
import type { Finding } from "./finding.ts";

interface Known {
  readonly pulls: Pick<Pulls, "isNotPulled" | "lastOf">;
  /** Of this deployment. */
  readonly errors: readonly PullErrors[];
  /** What its list blocks although it should not, and nobody has approved. */
  readonly blocked: readonly Hit[];
  readonly doubts: readonly string[];
}

/** What needs attention about a deployment. */
export function deploymentFindings(deployment: Deployment, known: Known, now: number): Finding[] {
  const { id, name, definition, published, refused } = deployment;
  const about = { type: "deployment", id, name } as const;
  const command = `ipsieve deployment show ${id}`;
  const found: Finding[] = errorFindings(deployment, known);
  // Nobody expects anything of a deployment that is switched off.
  if (!definition.active) return found;
  if (statusOf(deployment) === "refused")
    found.push({
      severity: "critical",
      code: "deployment-refused",
      about,
      message: `was refused: ${reasonsText(refused!.reasons)}; devices ${published === null ? "have no list" : "keep the list before it"}`,
      at: refused!.at,
      cure: "See why, and publish it or correct its sources",
      command,
    });
  if (known.pulls.isNotPulled(deployment, now))
    found.push({
      severity: "warning",
      code: "deployment-not-pulled",
      about,
      message: known.pulls.lastOf(id) === null ? "was never fetched by a device" : "is no longer fetched by any device",
      at: known.pulls.lastOf(id),
      cure: "Set up the device, or pause the deployment",
      command: `ipsieve deployment urls ${id}`,
    });
  if (known.blocked.length > 0)
    found.push({
      severity: "critical",
      code: "blocks-protected",
      about,
      message: `blocks ${namesOf(known.blocked)}`,
      at: published?.at ?? null,
      cure: "Exclude them, or let the guard leave them out",
      command: `ipsieve deployment preview ${id}`,
    });
  for (const message of known.doubts)
    found.push({
      severity: "warning",
      code: "doubtful-source",
      about,
      message: `contradicts its purpose: ${message}`,
      at: null,
      cure: "Correct its sources",
      command,
    });
  return found;
}

function errorFindings({ id, name }: Deployment, { pulls, errors }: Known): Finding[] {
  const count = errors.reduce((sum, each) => sum + each.count, 0);
  if (count === 0) return [];
  const last = errors.reduce((one, other) => (other.at > one.at ? other : one));
  const isStill = pulls.lastOf(id) === last.at;
  return [
    {
      severity: isStill ? "critical" : "warning",
      code: "feed-errors",
      about: { type: "deployment", id, name },
      message: `${isStill ? "answers its devices with errors" : "answered with errors"}: ${counted(count, "request")} in the last day, the last with status ${last.status}`,
      at: last.at,
      cure: "See which devices asked, and for what",
      command: `ipsieve deployment pulls ${id}`,
    },
  ];
}

function reasonsText([first, ...others]: readonly { readonly message: string }[]): string {
  return `${first!.message}${others.length === 0 ? "" : `, and ${counted(others.length, "other reason")}`}`;
}

/** Those that a message names; further ones are only counted. */
const MAX_NAMED = 3;

function namesOf(hits: readonly Hit[]): string {
  const more = hits.length - MAX_NAMED;
  return `${hits.slice(0, MAX_NAMED).map(hitText).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
