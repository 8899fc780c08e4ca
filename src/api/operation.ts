import type { TSchema } from "typebox";
import type { AccessLevel, Area } from "../store/state.ts";
import type { RouteScope } from "./plugins/route-scopes.ts";
import type { ProblemKind } from "./problem.ts";
import type { Settings } from "../service/settings.ts";

/**
 * What an operation asks for: in the public scope a key; in the dashboard's a role, where editors write and admins
 * do everything. `none`: of no one.
 */
export type Access = AccessLevel | "admin" | "none";

declare module "fastify" {
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    description?: string;
    tags?: readonly string[];
    /** The problems of its own that the operation may answer with: by status where that says it, else by kind. */
    problems?: readonly (number | ProblemKind)[];
    /** Headers of requests that it reads, by name, with what they are for. */
    requestHeaders?: Readonly<Record<string, string>>;
    /** Headers of answers, by name, with what they mean; those that do not come with every answer say when. */
    responseHeaders?: Readonly<Record<string, string | { readonly sometimes: string }>>;
    /** Other media types of the answer 200 than JSON. */
    otherTypes?: readonly string[];
    /** Other media types of the body than JSON. */
    otherBodies?: readonly string[];
    /** The body as the OpenAPI document describes it, where what is checked is wider. */
    documentedBody?: TSchema;
    /** An example of the body. */
    bodyExample?: unknown;
  }

  interface FastifyContextConfig {
    /** The way in that it belongs to; set by `addScope`. Without one it is open to everybody. */
    readonly scope?: RouteScope;
    /** What the organisation needs a plan for. */
    readonly area?: Area;
    /** The least that the caller may do. */
    readonly access?: Access;
  }
}

/** An address or prefix of a JSON document, with quotes, comma and indentation. */
const ADDRESS_BYTES = 105;
/** A rule of a JSON document with the longest name, unless that is written in escapes. */
const RULE_BYTES = 1024;

/** The longest body of an operation on many addresses. */
export function addressesBytes(settings: Settings): number {
  return itemsBytes(settings, ADDRESS_BYTES);
}

/** The longest body of an operation on many rules. */
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
export const BY_ANYBODY = { access: "none" } as const;
export const BY_USERS = { access: "read" } as const;
export const BY_ADMINS = { access: "admin" } as const;
