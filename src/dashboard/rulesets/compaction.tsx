import { http, post, tagOf } from "../api.ts";
import type { Compaction } from "../documents.ts";
import { type CompactedLine, compactedCounts, compactedLines } from "./compacted-lines.ts";
import type { Examined } from "./examine-list.ts";
import { Expires, RuleText } from "./rule-state.tsx";

/** What compacting a ruleset would do. */
export interface PlannedCompaction extends Examined {
  readonly name: string;
  /** Rules now, and then. */
  readonly before: number;
  readonly after: number;
}

const ONE = "/dashboard/api/edl/ip-rulesets/{ruleset_id}";

/** Asks the server, which writes nothing. */
export async function planCompaction(
  rulesetId: string,
  ignoreNames: boolean,
  signal: AbortSignal,
): Promise<PlannedCompaction> {
  const { data, response } = await http.GET(ONE, { params: { path: { ruleset_id: rulesetId } }, signal });
  const { name, total_rules: before } = data!;
  const tag = tagOf(response);
  const planned = await compact(rulesetId, { ignore_names: ignoreNames, dry_run: true }, tag, signal);
  const lines = compactedLines(planned.plan!);
  return {
    name,
    before,
    after: before + planned.added - planned.removed,
    tag,
    counts: compactedCounts(planned, lines),
    unchanged: 0,
    lines: lines.map((line) => ({ ...line, reason: reasonOf(line) })),
    isCut: planned.plan!.truncated,
    canUndo: planned.can_undo,
  };
}

/** Makes the ruleset shorter, if it has not changed since `tag`: else it rejects with a Problem of status 412. */
export function compact(
  rulesetId: string,
  query: { readonly ignore_names: boolean; readonly dry_run?: boolean },
  tag: string,
  signal?: AbortSignal,
): Promise<Compaction> {
  return post(`${ONE}/rules:compact`, {
    params: { path: { ruleset_id: rulesetId }, query },
    headers: { "If-Match": tag },
    ...(signal && { signal }),
  });
}

function reasonOf({ verdict, before, coveredBy, partOf }: CompactedLine) {
  if (partOf !== undefined)
    return (
      <>
        Becomes part of <code>{partOf}</code>
      </>
    );
  if (coveredBy === undefined) return undefined;
  return (
    <>
      Covered by <RuleText rule={coveredBy} />
      {verdict === "kept" && <Later at={before!.expires_at} />}
    </>
  );
}

function Later({ at }: { readonly at: string | null }) {
  if (at === null) return <>; this one never expires</>;
  return (
    <>
      ; this one expires later: <Expires at={at} />
    </>
  );
}
