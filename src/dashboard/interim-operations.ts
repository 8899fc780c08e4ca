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
export type RuleRow = components["schemas"]["RuleRow"];
export type Preview = components["schemas"]["RulePreview"];
export type PreviewLine = Preview["lines"][number];
export type Verdict = PreviewLine["verdict"];
export interface UndoChange { sequence: number; at: string; kind: string; ruleset_id: string | null; ruleset_name: string | null; summary: string; can_undo: boolean; reason: string | null }

export interface paths extends Shared {
  "/dashboard/api/undo": Item<{ get: Get<{ change: UndoChange | null }>; post: Operation<{ query: { sequence: number } }, undefined, 200, { undone: UndoChange }> }>;
  "/dashboard/api/audit": Item<{ get: Get<{ items: Change[]; next_before: number | null }, { before?: number; limit?: number; ruleset_id?: string }> }>;
}
