import type { TSchema } from "typebox";
import type { AccessLevel } from "../store/records/credential.ts";
import type { Area } from "../store/state.ts";
import type { ProblemKind } from "./problem.ts";
import type { Settings } from "../service/settings.ts";

/**
 * The two scopes. `public`: for programs, which send an API key. `dashboard`: for its pages, which send a session's
 * cookie. Neither accepts the other's credentials.
 */
export type RouteScope = "public" | "dashboard";

/**
 * What an operation requires: in the public scope, the access level of a key; in the dashboard's, a role, where editors
 * write and admins do everything. `none`: nothing.
 */
export type Access = AccessLevel | "admin" | "none";

declare module "fastify" {
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    description?: string;
    tags?: readonly string[];
    /** The operation's own problems: by status if that identifies it, otherwise by kind. */
    problems?: readonly (number | ProblemKind)[];
    /** Request headers that it reads, by name, with their purpose. */
    requestHeaders?: Readonly<Record<string, string>>;
    /** Response headers, by name, with their meaning; those that are not on every response say when they are. */
    responseHeaders?: Readonly<Record<string, string | { readonly sometimes: string }>>;
    /** Media types of the response 200 other than JSON. */
    otherTypes?: readonly string[];
    /** Media types of the body other than JSON. */
    otherBodies?: readonly string[];
    /** The body as the OpenAPI document describes it, if more is accepted than that. */
    documentedBody?: TSchema;
    /** An example of the body. */
    bodyExample?: unknown;
  }

  interface FastifyContextConfig {
    /** The scope that it belongs to; set by `addScope`. Without one it is open to everyone. */
    readonly scope?: RouteScope;
    /** The area for which the organisation needs a plan. */
    readonly area?: Area;
    /** The access level that the caller needs. */
    readonly access?: Access;
    /** The name in logs and metrics of an operation for devices, which has no `operationId`: no document describes it. */
    readonly operation?: string;
  }
}

/** The `operation` of feeds. */
export const READ_FEED = "readFeed";

/** An address or prefix of a JSON document, with quotes, comma and indentation. */
const ADDRESS_BYTES = 105;
/** A rule of a JSON document with the longest name, unless that is written in escapes. */
const RULE_BYTES = 1024;

/** The maximum body length of an operation on many addresses. */
export function addressesBytes(settings: Settings): number {
  return itemsBytes(settings, ADDRESS_BYTES);
}

/** The maximum body length of an operation on many rules. */
export function rulesBytes(settings: Settings): number {
  return itemsBytes(settings, RULE_BYTES);
}

function itemsBytes({ bodyBytes, bulkBodyBytes, bulkAddresses }: Settings, bytes: number): number {
  return Math.min(bulkBodyBytes, Math.max(bodyBytes, bulkAddresses * bytes));
}

export const READ_CBS = { area: "cbs", access: "read" } as const;
export const READ_CTI = { area: "cti", access: "read" } as const;
export const READ_EDL = { area: "edl", access: "read" } as const;
export const WRITE_EDL = { area: "edl", access: "read_write" } as const;

// Operations of the dashboard that need no plan.
export const PUBLIC = { access: "none" } as const;
export const BY_USERS = { access: "read" } as const;
export const BY_ADMINS = { access: "admin" } as const;
