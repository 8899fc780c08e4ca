import type { Deployment } from "../../store/records/deployment.ts";
import type { Ruleset } from "../../store/state.ts";
import { datasetCollectionId } from "../../store/records/indicator.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/** A collection of indicators: a ruleset, a deployment, or the dataset of threat intelligence. */
export interface Collection {
  /** The id of the ruleset or deployment. */
  readonly id: string;
  readonly organisationId: string;
  readonly source: "ruleset" | "deployment" | "dataset";
  readonly title: string;
  readonly description: string;
  /** The `indicator_type` of its indicators, unless the source says something else of one. */
  readonly kind: string;
  /** Deployments that are not active cannot be read. */
  readonly isActive: boolean;
  /** Its source is gone: all of its indicators are revoked. */
  readonly isDeleted: boolean;
}

const KINDS: Readonly<Record<string, string>> = { blocklist: "malicious-activity", allowlist: "benign" };
const OTHER = "unknown";

/** The collections that credentials of the organisation may open, rulesets first. O(rulesets + deployments) */
export function collectionsOf(memory: ServiceMemory, organisationId: string): Collection[] {
  const rulesets = memory.rulesets(organisationId).map(({ about }) => ofRuleset(about));
  return [...rulesets, ...memory.deployments(organisationId).map(ofDeployment), dataset(organisationId)];
}

/** Undefined for another organisation's, and for what has been deleted. O(1) */
export function collectionOf(memory: ServiceMemory, organisationId: string, id: string): Collection | undefined {
  const ruleset = memory.ruleset(organisationId, id);
  if (ruleset !== undefined) return ofRuleset(ruleset.about);
  const deployment = memory.deployment(organisationId, id);
  if (deployment !== undefined) return ofDeployment(deployment);
  return id === datasetCollectionId(organisationId) ? dataset(organisationId) : undefined;
}

/**
 * The same for a collection that a credential names, which existed when the credential was created: what has been
 * deleted since is a collection of revocations, so that clients learn of them. O(1)
 */
export function collectionNamed(memory: ServiceMemory, organisationId: string, id: string): Collection {
  const deployment = memory.deploymentById(id);
  if (deployment !== undefined && deployment.deletedAt !== null)
    return { ...ofDeployment(deployment), isActive: true, isDeleted: true };
  return collectionOf(memory, organisationId, id) ?? deletedRuleset(organisationId, id);
}

/** Memory no longer has its name. */
function deletedRuleset(organisationId: string, id: string): Collection {
  const about = { title: "Deleted ruleset", description: "", kind: OTHER };
  return { id, organisationId, source: "ruleset", ...about, isActive: true, isDeleted: true };
}

function ofRuleset({ id, organisationId, name, description, purpose }: Ruleset): Collection {
  const kind = KINDS[purpose] ?? OTHER;
  return { id, organisationId, source: "ruleset", title: name, description, kind, isActive: true, isDeleted: false };
}

function ofDeployment({ id, organisationId, name, definition }: Deployment): Collection {
  const { description, purpose, active } = definition;
  const kind = KINDS[purpose] ?? OTHER;
  return {
    id,
    organisationId,
    source: "deployment",
    title: name,
    description,
    kind,
    isActive: active,
    isDeleted: false,
  };
}

function dataset(organisationId: string): Collection {
  return {
    id: datasetCollectionId(organisationId),
    organisationId,
    source: "dataset",
    title: "Threat intelligence",
    description: "Every prefix of the dataset of threat intelligence",
    kind: OTHER,
    isActive: true,
    isDeleted: false,
  };
}
