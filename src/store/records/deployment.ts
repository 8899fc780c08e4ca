import { type PreviousSecret, stillWorking } from "./previous-secret.ts";
import type { NodeClass } from "../../collateral/node-classes.ts";
import type { GuardClasses, GuardPolicy } from "./guard-policy.ts";

/** How often devices request a list, and the maximum time until they have a change of it, in seconds. */
export const UPDATE_FREQUENCIES = {
  "5m": 300,
  "15m": 900,
  "30m": 1800,
  "60m": 3600,
  "6h": 21_600,
  "12h": 43_200,
  "24h": 86_400,
} as const;
export type UpdateFrequency = keyof typeof UPDATE_FREQUENCIES;
/** A device that has missed this many intervals in a row counts as having stopped requesting the list. */
const MISSED = 3;

/** Milliseconds without a request after which devices count as having stopped requesting a list. */
export function silenceOf({ update_frequency: frequency }: Pick<DeploymentDefinition, "update_frequency">): number {
  return MISSED * 1000 * UPDATE_FREQUENCIES[frequency];
}

export const DEPLOYMENT_PURPOSES = ["blocklist", "allowlist", "other"] as const;
export type DeploymentPurpose = (typeof DEPLOYMENT_PURPOSES)[number];

export const DIRECTIONS = ["ingress", "egress", "both"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Addresses that a deployment includes or excludes. */
export type DeploymentSource = SingleSource | VotedSource;

/** The addresses that at least so many of several sources list. */
export interface VotedSource {
  /** Or how much the sources that list an address must weigh together. */
  readonly atleast: number;
  readonly of: readonly SingleSource[];
  /** One for each source; 1 each unless given. */
  readonly weights?: readonly number[];
}

/** The sources that a source reads: itself, or those that vote. */
export function votersOf(source: DeploymentSource): readonly SingleSource[] {
  return "atleast" in source ? source.of : [source];
}

export type SingleSource =
  /** The active rules of a ruleset of the organisation. */
  | { readonly ruleset: string }
  /** A node of the catalogue with everything below it. */
  | { readonly cbs: string }
  | {
      readonly cti: {
        readonly classification?: string;
        readonly tags?: readonly string[];
        readonly seen_within_days?: number;
      };
    }
  /** Addresses of threat intelligence that a query matches, in its canonical form. */
  | { readonly cti_query: string }
  /** What an AS number announces. */
  | { readonly asn: number }
  /** What is registered in a country: two letters, ISO 3166-1. */
  | { readonly country: string }
  /** The last good content of an external list. */
  | { readonly list: string }
  /** In their canonical form. */
  | { readonly prefixes: readonly string[] };

/** The limits beyond which a list is not published; absent ones have their defaults. */
export interface DeploymentOptions {
  readonly families?: readonly (4 | 6)[];
  readonly min_prefix_v4?: number;
  readonly min_prefix_v6?: number;
  readonly max_entries?: number;
  readonly max_bytes?: number;
  /** What happens to a list with more entries than `max_entries`, or the device, allows. */
  readonly overflow?: "refuse" | "fit";
  /** What happens to a list of which its format cannot express a part; `refuse` unless given. */
  readonly unprocessable?: "refuse" | "omit";
  readonly allow_empty?: boolean;
  /** In percent. */
  readonly max_shrink?: number;
  readonly max_growth?: number;
  readonly chunk_entries?: number;
  /** Whether files name the deployment in a comment; not for formats without comments. */
  readonly comments?: boolean;
  /** Whether entries have times after which devices drop them by themselves; only for formats that can say so. */
  readonly timeouts?: boolean;
}

/** What users decide about a deployment, besides its name. */
export interface DeploymentDefinition {
  readonly description: string;
  readonly firewall_format: string;
  /** A name in `DEVICES`, for the format and the limits of the device; "none": no device. */
  readonly device: string;
  readonly update_frequency: UpdateFrequency;
  readonly purpose: DeploymentPurpose;
  readonly direction: Direction;
  /** Requests for the feeds of an inactive deployment are rejected (403). */
  readonly active: boolean;
  /**
   * What happens to a blocklist that would block what it should not; absent in older deployments, which means `warn`.
   */
  readonly guard?: GuardPolicy;
  /** Null or absent: as the organisation's. */
  readonly guard_classes?: GuardClasses;
  readonly include: readonly DeploymentSource[];
  /** Excludes always win. */
  readonly exclude: readonly DeploymentSource[];
  readonly options: DeploymentOptions;
}

/** What is changed in a definition; of the options those that are named, and null removes one (RFC 7396). */
export type DefinitionChanges = Partial<Omit<DeploymentDefinition, "options">> & { readonly options?: OptionChanges };

type OptionChanges = { readonly [Name in keyof DeploymentOptions]?: DeploymentOptions[Name] | null };

export function changedDefinition(before: DeploymentDefinition, changes: DefinitionChanges): DeploymentDefinition {
  const options = Object.entries({ ...before.options, ...changes.options }).filter(([, value]) => value !== null);
  return { ...before, ...changes, options: Object.fromEntries(options) };
}

/** Members that are valid together or not: a format may have no comments, or none for allowlists. */
export const TOGETHER = ["firewall_format", "device", "purpose", "options"] as const;

export type Together = Pick<DeploymentDefinition, (typeof TOGETHER)[number]>;

/** A list at a URL, for devices that pull it. */
export interface Deployment {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly definition: DeploymentDefinition;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Deleted deployments are kept, so that requests for their feeds get 410 (gone). */
  readonly deletedAt: number | null;
  /** How often the token in its URLs has been replaced, and the tokens before this one, which may still work. */
  readonly rotation: number;
  readonly previous: readonly PreviousSecret[];
  /** SHA-256 of its password in base64url. */
  readonly password: string | null;
  readonly published: PublishedList | null;
  /** Why the latest list was not published; null: it was. */
  readonly refused: RefusedList | null;
  /** The number of a refused list that may be published nevertheless. */
  readonly released: number | null;
}

/** What devices have of a deployment: its newest list; none yet; or, after a refusal, the one before it, if any. */
export const DEPLOYMENT_STATUSES = ["ok", "stale", "refused"] as const;

export function statusOf({ published, refused }: Deployment): (typeof DEPLOYMENT_STATUSES)[number] {
  return refused !== null ? "refused" : published === null ? "stale" : "ok";
}

/** Describes the list that devices get. */
export interface PublishedList {
  /** 1 for the first; rises by one. */
  readonly generation: number;
  readonly at: number;
  /** It includes every change up to this one. */
  readonly sequence: number;
  /** SHA-256 of its prefixes, and of what its files say about earlier ones, in base64url. */
  readonly digest: string;
  readonly entries: Readonly<Record<4 | 6, number>>;
  /** The number of files that it is divided into. */
  readonly chunks: number;
  /** Identifies the catalogue, threat intelligence and external lists that it was made from; absent if it uses none. */
  readonly datasets: Readonly<Partial<Record<"cbs" | "cti" | "lists" | "networks", string>>>;
  /** How many of its prefixes its files lack, as their format cannot express them; absent in older lists. */
  readonly unprocessable?: number;
  /** What it blocks although it should not, with someone's approval; absent unless the guard is `refuse`. */
  readonly accepted?: readonly AcceptedHit[];
  /** The number of the last refused list before it, as none is used again; absent: there was none. */
  readonly refusals?: number;
}

/** How many addresses a list may block of a service, an allowlist or a special-purpose block. */
export interface AcceptedHit {
  /** The id of the node, the ruleset or the list, or the name of the block. */
  readonly id: string;
  /** Of a service, which may have addresses of several; absent in older lists. */
  readonly class?: NodeClass;
  /** As texts, as they may be long. */
  readonly ipv4_addresses: string;
  readonly ipv6_addresses: string;
}

export interface RefusedList {
  /** 1 for the first of the deployment; rises by one. */
  readonly number: number;
  readonly at: number;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly entries: Readonly<Record<4 | 6, number>>;
  /** What it would block but should not, which its release approves; absent unless the guard is `refuse`. */
  readonly collateral?: readonly AcceptedHit[];
}

/** A key has read the URLs of a deployment. */
export interface UrlReader {
  readonly keyId: string;
  readonly deploymentId: string;
  /** `rotation` of the deployment at that time, which says which URLs these were. */
  readonly rotation: number;
  readonly at: number;
}

/** For each key: the deployments, in their order, whose lists it can still open with URLs that it has read. */
export function deploymentsOpenedBy(
  readers: readonly UrlReader[],
  deployments: Iterable<Deployment>,
  now: number,
): (keyId: string) => readonly Deployment[] {
  const byDeployment = Map.groupBy(readers, ({ deploymentId }) => deploymentId);
  const opened = [...deployments].flatMap((deployment) => {
    const valid = deployment.deletedAt === null ? validRotations(deployment, now) : [];
    const able = (byDeployment.get(deployment.id) ?? []).filter(({ rotation }) => valid.includes(rotation));
    // A key may have read several URLs that work.
    return [...new Set(able.map(({ keyId }) => keyId))].map((keyId) => ({ keyId, deployment }));
  });
  const byKey = Map.groupBy(opened, ({ keyId }) => keyId);
  return (keyId) => (byKey.get(keyId) ?? []).map(({ deployment }) => deployment);
}

/** The rotations whose URLs are the deployment's: the current one and, each in its grace time, those before. */
export function validRotations(
  { rotation, previous }: Pick<Deployment, "rotation" | "previous">,
  now: number,
): readonly number[] {
  if (previous.length === 0) return [rotation];
  return [rotation, ...stillWorking(previous, now).map((each) => each.rotation)];
}

/** A request of a device for a file of a deployment, accepted or rejected. */
export interface Pull {
  readonly deploymentId: string;
  readonly at: number;
  readonly file: string;
  readonly address: string;
  readonly agent: string;
  readonly status: number;
  readonly bytes: number;
}

/** A pull with the id under which it is recorded once, and the earlier pulls of its day that are only counted. */
export interface PullToRecord extends Pull {
  readonly id: string;
  readonly earlier: { readonly pulls: number; readonly bytes: number };
}

export interface PullsOfDay {
  /** Midnight, UTC. */
  readonly day: number;
  readonly pulls: number;
  readonly bytes: number;
}

/** The last pulls of a deployment, newest first, and how many there were on each day, oldest first. */
export interface PullLog {
  readonly pulls: readonly Pull[];
  readonly days: readonly PullsOfDay[];
}
