import { get, http, post, put, tagOf } from "../api.ts";
import type { Collateral, Preview, Rule, RuleRow, Ruleset, ShrinkProblem } from "../documents.ts";
import type { ShrinkPermission } from "./confirm-shrink.tsx";
import type { Expiry } from "./expiry.tsx";
import type { RuleList } from "./read-list.ts";
import type { RowsPage } from "./row-pages.ts";
import { requestQuery, type RuleFilter } from "./rule-filter.ts";

export type ConflictMode = "extend" | "override" | "skip" | "fail";

/** Rows of the table, with the totals of the ruleset. */
export interface RulesPage extends RowsPage<RuleRow> {
  readonly total: number;
  readonly active: number;
}

export async function fetchRows(
  rulesetId: string,
  filter: RuleFilter,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<RulesPage> {
  const params = { path: { ruleset_id: rulesetId }, query: { ...requestQuery(filter), offset, limit } };
  const { data, response } = await http.GET("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rows", { params, signal });
  return { ...data!, tag: tagOf(response) };
}

/** All rulesets: an organisation has few. */
export async function fetchRulesets(signal: AbortSignal): Promise<Ruleset[]> {
  const rulesets: Ruleset[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { items: Ruleset[]; next: string | null } = await get("/dashboard/api/edl/ip-rulesets/", {
      params: { query: { cursor, page_size: 1000 } },
      signal,
    });
    rulesets.push(...page.items);
    cursor = page.next === null ? null : new URL(page.next).searchParams.get("cursor");
  }
  return rulesets;
}

export function fetchRuleset(rulesetId: string, signal: AbortSignal): Promise<Ruleset> {
  return get("/dashboard/api/edl/ip-rulesets/{ruleset_id}", { params: { path: { ruleset_id: rulesetId } }, signal });
}

export interface NewRule extends Expiry {
  readonly ip: string;
  readonly name?: string;
}

export function previewRule(
  rulesetId: string,
  rule: NewRule,
  mode: ConflictMode,
  signal: AbortSignal,
): Promise<Preview> {
  const params = { path: { ruleset_id: rulesetId }, query: { conflict_resolution: mode } };
  return post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:preview", { params, body: { rules: [rule] }, signal });
}

/** Deletes the rules, or none of them; those that are already gone are ignored. */
export function deleteRules(rulesetId: string, rules: readonly Rule[]): Promise<unknown> {
  return post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:batch", {
    params: { path: { ruleset_id: rulesetId } },
    body: { items: rules.map(({ ip }) => ({ op: "delete" as const, ip })) },
  });
}

/** What was written blocks this, but should not. */
interface Warned {
  readonly warnings?: readonly Collateral[];
}

/** Sets the expiry of the rules, or of none. `tag`: of the shown rows, whose names are sent along with them. */
export function setExpiry(
  rulesetId: string,
  rules: readonly Rule[],
  expiresAt: string | null,
  tag: string,
): Promise<Warned> {
  const items = rules.map(({ ip, name }) => ({
    op: "add" as const,
    ip,
    name,
    expires_at: expiresAt,
    conflict_resolution: "override" as const,
  }));
  return post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:batch", {
    params: { path: { ruleset_id: rulesetId } },
    headers: { "If-Match": tag },
    body: { items },
  });
}

/**
 * Deletes all rules that match the filter, however many, or sets their expiry. `count`: the number that was shown; if
 * it has changed, nothing is done (412).
 */
export function changeMatching(
  rulesetId: string,
  filter: RuleFilter,
  change: { readonly action: "delete" } | { readonly action: "set_expiry"; readonly expires_at: string | null },
  count: number,
  tag: string,
): Promise<Warned> {
  const params = { path: { ruleset_id: rulesetId }, query: requestQuery(filter) };
  return post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rows:change", {
    params,
    headers: { "If-Match": tag },
    body: { ...change, count },
  });
}

export interface ReplacementPlan {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly can_undo: boolean;
  /** Lines that were left out. */
  readonly invalid?: number;
  readonly warnings?: readonly Collateral[];
  /** Why it would be rejected; null or undefined: it would not. */
  readonly refusal?: ShrinkProblem | null;
  readonly plan?: {
    readonly added: readonly Rule[];
    readonly updated: readonly { readonly before: Rule; readonly after: Rule }[];
    readonly removed: readonly Rule[];
    readonly truncated: boolean;
  };
}

/** How a list is read. */
export interface Reading {
  readonly name?: string;
  readonly expires_in_days?: number;
  readonly skip_invalid?: boolean;
}

export async function previewList(
  rulesetId: string,
  list: RuleList,
  mode: ConflictMode,
  reading: Reading,
  signal: AbortSignal,
): Promise<{ readonly preview: Preview; readonly tag: string }> {
  const params = { path: { ruleset_id: rulesetId }, query: { conflict_resolution: mode, ...reading } };
  const { data, response } = await http.POST("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:preview", {
    params,
    ...bodyOf(list),
    signal,
  });
  return { preview: data!, tag: tagOf(response) };
}

/**
 * Adds the rules of the list, or none of them: if the ruleset has changed since `tag`, it rejects with a Problem of
 * status 412.
 */
export function importList(
  rulesetId: string,
  list: RuleList,
  mode: ConflictMode,
  reading: Reading,
  tag: string,
): Promise<{ created: number; updated: number; skipped: number; invalid?: number; warnings?: Collateral[] }> {
  const params = { path: { ruleset_id: rulesetId }, query: { conflict_resolution: mode, ...reading } };
  return post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:import", { params, ...bodyOf(list, tag) });
}

/** Returns what making the list the ruleset's rules would change, if the ruleset has not changed since `tag`. */
export async function planReplacement(
  rulesetId: string,
  list: RuleList,
  reading: Reading,
  tag: string,
  signal: AbortSignal,
): Promise<ReplacementPlan> {
  const params = { path: { ruleset_id: rulesetId }, query: { dry_run: true, ...reading } };
  return put("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules", { params, ...bodyOf(list, tag), signal });
}

/** Makes the list the ruleset's rules, if the ruleset has not changed since `tag`. */
export function replaceRules(
  rulesetId: string,
  list: RuleList,
  reading: Reading,
  permission: ShrinkPermission,
  tag: string,
): Promise<ReplacementPlan> {
  return put("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules", {
    params: { path: { ruleset_id: rulesetId }, query: { ...permission, ...reading } },
    ...bodyOf(list, tag),
  });
}

/** The types only know bodies of JSON. */
function bodyOf({ type, text }: RuleList, tag?: string): { body: never; headers: Record<string, string> } {
  return {
    body: text as never,
    headers: { "Content-Type": type, ...(tag === undefined ? {} : { "If-Match": tag }) },
  };
}
