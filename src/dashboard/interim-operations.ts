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
export type Usage = components["schemas"]["Usage"];
export type Rule = components["schemas"]["Rule"];
/** Of a change of rules: those that were touched, or the first of them. */
type ChangedState = { rules?: Rule[]; rule_count?: number } & Record<string, unknown>;
export interface Change {
  sequence: number;
  at: string;
  actor: { kind: "key" | "user" | "command"; id: string | null; name: string | null };
  kind: string;
  ruleset_id: string | null;
  summary: string;
  old: ChangedState | null;
  new: ChangedState | null;
}

export type Ruleset = components["schemas"]["Ruleset"];
export type Rule = components["schemas"]["Rule"];
export type RuleRow = Rule & { state: "active" | "expired" | "expiring" };
export type Verdict = "created" | "updated" | "skipped" | "conflict" | "error";
export interface PreviewLine { line: number; ip: string; verdict: Verdict; message?: string; before?: Rule; after?: Rule }
export interface Preview { version: number; counts: Record<Verdict, number>; lines: PreviewLine[]; truncated: boolean }
export interface UndoChange { sequence: number; at: string; kind: string; ruleset_id: string | null; ruleset_name: string | null; summary: string; can_undo: boolean; reason: string | null }
type RulesetPath = { path: { ruleset_id: string } };
type RowsQuery = { offset?: number; limit?: number; state?: RuleRow["state"]; expiring_within_days?: number; name?: string; ip?: string };
type ConflictQuery = { query?: { conflict_resolution?: "extend" | "override" | "skip" | "fail" } };
type Rules = { rules: components["schemas"]["ReplaceRequest"]["rules"] };

export interface paths extends Shared {
  "/dashboard/api/edl/ip-rulesets/{ruleset_id}/rows": Item<{ get: Operation<RulesetPath & { query?: RowsQuery }, undefined, 200, { version: number; count: number; total: number; active: number; items: RuleRow[] }> }>;
  "/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:preview": Item<{ post: Operation<RulesetPath & ConflictQuery, Rules, 200, Preview> }>;
  "/dashboard/api/undo": Item<{ get: Get<{ change: UndoChange | null }>; post: Operation<{ query: { sequence: number } }, undefined, 200, { undone: UndoChange }> }>;
  "/dashboard/api/audit": Item<{ get: Get<{ items: Change[]; next_before: number | null }, { before?: number; limit?: number; ruleset_id?: string }> }>;
}
