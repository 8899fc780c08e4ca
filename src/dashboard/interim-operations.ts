import type { components, paths as Shared } from "./_operations.ts";

/** Operations of the dashboard that the server's document does not tell yet. */
type Operation<Given, Body, Status extends number, Result> = {
  parameters: Omit<{ query?: never; header?: never; path?: never; cookie?: never }, keyof Given> & Given;
  responses: { [Each in Status]: { headers: Record<string, unknown>; content: Result extends undefined ? never : { "application/json": Result } } };
} & (Body extends undefined ? { requestBody?: never } : { requestBody: { content: { "application/json": Body } } });
type Item<Given> = Omit<{ get?: never; post?: never; put?: never; patch?: never; delete?: never }, keyof Given> & Given;
type Get<Result, Query = object> = Operation<{ query?: Query }, undefined, 200, Result>;

export type Role = Session["user"]["role"];
export type Area = Session["plans"][number]["area"];
export type Session = components["schemas"]["Session"];
export type User = components["schemas"]["User"];
export type Invitation = components["schemas"]["InvitedUser"]["invitation"];
export type ApiKey = components["schemas"]["Key"];
export interface Change {
  sequence: number;
  at: string;
  actor: { kind: "key" | "user" | "command"; id: string; name: string };
  kind: string;
  ruleset_id: string | null;
  summary: string;
  old: unknown;
  new: unknown;
}

export interface Window { limit: number; remaining: number; reset: number }
export interface Minute { at: string; requests: number; errors: number; lookups: number; p50_ms: number | null; p99_ms: number | null }
export interface Usage {
  keys: { id: string; label: string; state: ApiKey["state"]; requests_this_month: number; minute: Window; month: Window }[];
  minutes: Minute[];
  snapshots: { name: "catalogue" | "threats"; generation: number; created_at: string | null; loaded_at: string | null }[];
  rules: { active: number; expired: number };
}

export interface paths extends Shared {
  "/dashboard/api/audit": Item<{ get: Get<{ items: Change[]; next_before: number | null }, { before?: number; limit?: number; ruleset_id?: string }> }>;
  "/dashboard/api/usage": Item<{ get: Get<Usage> }>;
}
