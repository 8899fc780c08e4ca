import type { components, paths as Shared } from "./_operations.ts";

/** Operations of the dashboard that the server's document does not tell yet. */
type Operation<Given, Body, Status extends number, Result> = {
  parameters: Omit<{ query?: never; header?: never; path?: never; cookie?: never }, keyof Given> & Given;
  responses: { [Each in Status]: { headers: Record<string, unknown>; content: Result extends undefined ? never : { "application/json": Result } } };
} & (Body extends undefined ? { requestBody?: never } : { requestBody: { content: { "application/json": Body } } });
type Item<Given> = Omit<{ get?: never; post?: never; put?: never; patch?: never; delete?: never }, keyof Given> & Given;
type Plain = object;
type Get<Result, Query = object> = Operation<{ query?: Query }, undefined, 200, Result>;
type UserPath = { path: { user_id: string } };

export type Role = Session["user"]["role"];
export type Area = Session["plans"][number]["area"];
export type Session = components["schemas"]["Session"];
export interface User { id: string; name: string; role: Role; created_at: string; last_sign_in_at: string | null; invited: boolean }
export interface Invitation { token: string; expires_at: string }
export interface ApiKey {
  id: string;
  label: string;
  access: "read" | "read_write";
  start: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  requests_this_month: number;
  state: "active" | "expired" | "revoked";
}
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
  "/dashboard/api/users": Item<{ get: Get<{ items: User[] }>; post: Operation<Plain, { name: string; role: Role }, 201, { user: User; invitation: Invitation }> }>;
  "/dashboard/api/users/{user_id}": Item<{ patch: Operation<UserPath, { role: Role }, 200, User>; delete: Operation<UserPath, undefined, 204, undefined> }>;
  "/dashboard/api/users/{user_id}/invitation": Item<{ post: Operation<UserPath, undefined, 201, { user: User; invitation: Invitation }> }>;
  "/dashboard/api/keys": Item<{ get: Get<{ items: ApiKey[] }>; post: Operation<Plain, { label: string; access: "read" | "read_write"; expires_on?: string }, 201, { key: ApiKey; text: string }> }>;
  "/dashboard/api/keys/{key_id}": Item<{ delete: Operation<{ path: { key_id: string } }, undefined, 200, ApiKey> }>;
  "/dashboard/api/audit": Item<{ get: Get<{ items: Change[]; next_before: number | null }, { before?: number; limit?: number; ruleset_id?: string }> }>;
  "/dashboard/api/usage": Item<{ get: Get<Usage> }>;
}
