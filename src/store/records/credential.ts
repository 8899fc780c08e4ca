import { API_KEY_PREFIX } from "./api-key.ts";
import type { Deployment } from "./deployment.ts";
import { CREDENTIALS_SETTING } from "./limit-settings.ts";

/** What a key may do: only `read`, or everything. */
export const ACCESS_LEVELS = ["read", "read_write"] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** The kinds of credentials, with what each opens. Where one kind is valid, no other kind is. */
interface Scopes {
  /** The API, for programs. */
  readonly api: {
    readonly access: AccessLevel;
    /** What it may be used for: areas, kinds of resources, or single ones (`rulesets/ID`); none: everything. */
    readonly scopes: readonly string[];
    /** Prefixes of clients from which it is accepted; none: from anywhere. */
    readonly networks: readonly string[];
  };
  /** The list of a deployment, for a CrowdSec bouncer. */
  readonly bouncer: {
    readonly deploymentId: string;
    /** Whether the bouncer gets single addresses only, because it loses the length of prefixes. */
    readonly hostsOnly: boolean;
  };
  /** The list of a deployment, for a program in front of web applications. Its `start` is the program's type. */
  readonly edge: { readonly deploymentId: string };
  /** Collections, for TAXII clients; `start` is also the user name. */
  readonly taxii: {
    /** Their ids, sorted: of rulesets, deployments, and of the dataset (`datasetCollectionId`). */
    readonly collections: readonly string[];
  };
}

export type CredentialKind = keyof Scopes;

/** What a new credential opens: an API key, by default everything from anywhere. */
export interface GivenScopes extends Omit<Scopes, "api"> {
  readonly api: Pick<Scopes["api"], "access"> & Partial<Scopes["api"]>;
}

/** What the credentials of all kinds have. */
export interface CommonCredential {
  readonly id: string;
  readonly organisationId: string;
  readonly kind: CredentialKind;
  readonly label: string;
  /** SHA-256 in base64url of its text, or of the `jti` of a signed token; the text itself is not stored. */
  readonly digest: string;
  /** The first 8 characters of its text, to distinguish credentials. */
  readonly start: string;
  readonly createdAt: number;
  /** The first millisecond at which it has expired, a midnight UTC; null: never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A secret of a program, which opens what its kind is for, and nothing else. */
export type Credential<Kind extends CredentialKind = CredentialKind> = {
  [Each in Kind]: CommonCredential & { readonly kind: Each } & Scopes[Each];
}[Kind];

export type ApiKey = Credential<"api">;
/** Of a program that enforces a deployment. */
export type DeploymentCredential = Credential<"bouncer" | "edge">;
export type TaxiiCredential = Credential<"taxii">;

/** How many that are not revoked an organisation may have: of all kinds together that share it. */
interface Quota {
  readonly max: (limits: { readonly credentialsPerOrganisation: number }) => number;
  readonly code: "too-many-keys" | "too-many-credentials";
  /** What the error calls them. */
  readonly things: string;
}

/** What a new credential may refer to. */
interface Known {
  /** The one that its scope names. */
  readonly deployment: Deployment | undefined;
  /** The ids of everything that may be a collection. */
  readonly collections: ReadonlySet<string>;
}

/** Why a new one may not open what its scope names. */
interface Refusal {
  readonly code: "not-a-blocklist" | "collection-not-found";
  readonly message: string;
}

export type AuditedCredential = "key" | "credential" | "taxii-credential";

interface Definition<Kind extends CredentialKind> {
  /**
   * What its text begins with, so that no one mistakes it for another kind, and it is found in texts; null: it is a
   * signed token.
   */
  readonly prefix: string | null;
  /** What one is called in the audit log. */
  readonly called: string;
  /** The end of the names that its commands have in the audit log: `create-key`. */
  readonly auditedAs: AuditedCredential;
  readonly quota: Quota;
  /** Its scope, of a new one or among the properties of a whole one. */
  scopeOf(given: GivenScopes[Kind]): Scopes[Kind];
  refusalOf?(scope: Scopes[Kind], known: Known): Refusal | undefined;
}

const revokeSome = `that are not revoked (${CREDENTIALS_SETTING}); revoke some first`;
const OF_DEPLOYMENTS: Quota = {
  max: ({ credentialsPerOrganisation }) => credentialsPerOrganisation,
  code: "too-many-credentials",
  things: `deployment credentials ${revokeSome}`,
};

/** To add a kind: what it opens in `Scopes`, and its line here. */
export const CREDENTIALS: { readonly [Kind in CredentialKind]: Definition<Kind> } = {
  api: {
    prefix: API_KEY_PREFIX,
    called: "key",
    auditedAs: "key",
    // Only admins of the organisation create them.
    quota: { max: () => 10_000, code: "too-many-keys", things: "keys that are not revoked; revoke some first" },
    scopeOf: ({ access, scopes = [], networks = [] }) => ({ access, scopes, networks }),
  },
  bouncer: {
    prefix: "ipb_",
    called: "bouncer key",
    auditedAs: "credential",
    quota: OF_DEPLOYMENTS,
    scopeOf: ({ deploymentId, hostsOnly }) => ({ deploymentId, hostsOnly }),
    refusalOf: (_scope, { deployment }) =>
      deployment!.definition.purpose === "allowlist"
        ? { code: "not-a-blocklist", message: "a bouncer would block what this deployment allows; use a blocklist" }
        : undefined,
  },
  edge: {
    prefix: null,
    called: "edge component",
    auditedAs: "credential",
    quota: OF_DEPLOYMENTS,
    scopeOf: ({ deploymentId }) => ({ deploymentId }),
  },
  taxii: {
    prefix: "ipt_",
    called: "TAXII credential",
    auditedAs: "taxii-credential",
    quota: { ...OF_DEPLOYMENTS, things: `TAXII credentials ${revokeSome}` },
    scopeOf: ({ collections }) => ({ collections: [...new Set(collections)].sort() }),
    refusalOf: ({ collections }, known) => {
      const unknown = collections.find((id) => !known.collections.has(id));
      return unknown === undefined
        ? undefined
        : { code: "collection-not-found", message: `unknown collection ${unknown}` };
    },
  },
};

/** The definition of a kind. The compiler does not see that a kind and its scope belong together. */
export function definitionOf(kind: CredentialKind): Definition<CredentialKind> {
  return CREDENTIALS[kind] as unknown as Definition<CredentialKind>;
}

/** The kinds that share the quota of this one. */
export function kindsWithin(kind: CredentialKind): CredentialKind[] {
  const all = Object.keys(CREDENTIALS) as CredentialKind[];
  return all.filter((other) => CREDENTIALS[other].quota === CREDENTIALS[kind].quota);
}

export function isOfKind<Kind extends CredentialKind>(
  kind: Kind,
  one: Credential,
): one is Credential & Credential<Kind> {
  return one.kind === kind;
}

/** Those of a kind, in their order. */
export function ofKind<Kind extends CredentialKind>(kind: Kind, all: readonly Credential[]): Credential<Kind>[] {
  return all.filter((one) => isOfKind(kind, one));
}
