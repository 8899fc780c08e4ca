import type { Access, RouteScope } from "../operation.ts";
import { PLAIN_NAME, SECURE_NAME } from "../access/session-cookie.ts";
import type { Area } from "../../store/state.ts";
import type { Json } from "./open-api.ts";

// The descriptions in the documents of the two scopes.

export const TITLES: Readonly<Record<RouteScope, string>> = { public: "ipsieve", dashboard: "ipsieve dashboard" };

export const DESCRIPTIONS: Readonly<Record<RouteScope, string>> = {
  public:
    "IP rulesets, business services and threat intelligence. Errors are problem details (RFC 9457), except for 400 and 500 under threat intelligence.",
  dashboard:
    `The API of the dashboard's pages. A signed-in user has a session cookie (${SECURE_NAME} over TLS, else ${PLAIN_NAME}); API keys are not accepted here, nor is the cookie ` +
    "anywhere else. A request other than GET must come from the dashboard's own pages, as shown by Sec-Fetch-Site or Origin; otherwise the response is 403.",
};

/** The package's licence, in the form that both versions of OpenAPI have. */
export const LICENSE = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };

/** All tags, in the order in which they are shown. */
export const TAGS: Readonly<Record<string, string>> = {
  Status: "What needs attention, for whoever is on call and for monitors.",
  "IP rulesets": "Allowlists and blocklists of addresses and prefixes, whose rules may expire.",
  "External lists": "Lists that others publish at URLs, fetched on a schedule: sources of deployments and of rules.",
  Deployments: "Lists at URLs, made of rulesets, services and threat intelligence, for firewalls that pull them.",
  TAXII: "Credentials of TAXII clients, which read rulesets, deployments and threat intelligence as STIX indicators.",
  Sets: "Combining and comparing lists, whatever they come from; nothing is written.",
  Changes: "What has changed in the organisation, in order, for programs that follow it.",
  "Common Business Services":
    "Which cloud, CDN, SaaS, crawler, security or ISP service an address belongs to, and what the catalogue holds.",
  "Threat intelligence": "What threat feeds report about addresses.",
  Lookup: "Everything that is known about an address or prefix.",
  Logs: "Uploaded logs, identified line by line.",
  Undo: "Reverting the last change.",
  Sessions: "Signing in and out.",
  Users: "The users of the organisation and their invitations.",
  "API keys": "The keys of the organisation.",
  Webhooks: "Endpoints that receive events, signed by the Standard Webhooks specification.",
  "Audit log": "Who changed what, and when.",
  Usage: "Request counts and response times.",
};

export const SECURITY: Readonly<Record<RouteScope, Json>> = {
  public: {
    header: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key, recommended" },
    query: {
      type: "apiKey",
      in: "query",
      name: "apikey",
      description: "An API key, for clients that cannot set headers",
    },
  },
  dashboard: {
    session: { type: "apiKey", in: "cookie", name: SECURE_NAME, description: "A session over TLS" },
    plain: { type: "apiKey", in: "cookie", name: PLAIN_NAME, description: "A session without TLS" },
  },
};

const PLANS: Readonly<Record<Area, string>> = {
  edl: "EDL Management",
  cbs: "Common Business Services",
  cti: "threat intelligence",
};

const NEEDED: Readonly<Record<RouteScope, Readonly<Record<Access, string>>>> = {
  public: {
    none: "no key",
    read: "a key (access level read or read_write)",
    read_write: "a key with access level read_write",
    admin: "",
  },
  dashboard: { none: "no session", read: "a session", read_write: "the role editor or admin", admin: "the role admin" },
};

/** What a caller needs for an operation, in words. */
export function requirement(scope: RouteScope, access: Access, area: Area | undefined): string {
  return `Requires ${NEEDED[scope][access]}${area === undefined ? "" : ` and an active plan for ${PLANS[area]}`}.`;
}

/** The lowest role, by what the operation does. */
const ROLES: Readonly<Record<Access, string>> = { none: "none", read: "viewer", read_write: "editor", admin: "admin" };

/** The same for programs. */
export function requirementMembers(scope: RouteScope, access: Access, area: Area | undefined): Json {
  const least = scope === "public" ? { "x-access-level": access } : { "x-role": ROLES[access] };
  return { ...least, ...(area === undefined ? {} : { "x-plan": area }) };
}
