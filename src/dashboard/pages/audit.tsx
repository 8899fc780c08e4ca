import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Button, ButtonLink } from "../components/button.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, ProblemNote, Skeleton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { formatCounted, formatLocal } from "../format.ts";
import type { Change, Rule } from "../documents.ts";
import { type Problem, problemOf } from "../problem.ts";

const PAGE = 50;

/** All changes, the newest first; `?ruleset_id=`: those of one ruleset. */
export default function Audit({ query }: PageProps) {
  const rulesetId = query.get("ruleset_id") ?? undefined;
  const { items, problem, more } = useChanges(rulesetId);
  return (
    <Page title="Audit log" about={rulesetId === undefined ? "Who changed what, and when: here, by the API and on the command line." : "The changes of one ruleset."} actions={rulesetId !== undefined && <ButtonLink href="#/audit">All changes</ButtonLink>}>
      <Panel flush>
        {items?.length === 0 && <Empty icon="audit" title="Nothing has been changed yet" />}
        {items !== undefined && items.length > 0 && <ol class="changes">{items.map((change) => <ChangeRow key={change.sequence} {...change} />)}</ol>}
        {problem !== undefined && <ProblemNote problem={problem} {...(more === undefined ? {} : { retry: more })} />}
        {items === undefined && problem === undefined && <Skeleton lines={8} />}
        {items !== undefined && more !== undefined && problem === undefined && <p class="more"><Button onClick={more}>Show older changes</Button></p>}
      </Panel>
    </Page>
  );
}

/** What has been fetched so far; `more` fetches what came before it, where there is more. */
function useChanges(rulesetId: string | undefined): { items: Change[] | undefined; problem: Problem | undefined; more: (() => void) | undefined } {
  const [items, setItems] = useState<Change[]>();
  const [next, setNext] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem>();
  const fetch = async (before: number | null, signal?: AbortSignal): Promise<void> => {
    setProblem(undefined);
    try {
      const query = { limit: PAGE, ...(before === null ? {} : { before }), ...(rulesetId === undefined ? {} : { ruleset_id: rulesetId }) };
      const page = await get("/dashboard/api/audit", { params: { query }, ...(signal === undefined ? {} : { signal }) });
      setItems((last) => (before === null ? page.items : [...(last ?? []), ...page.items]));
      setNext(page.next_before);
    } catch (error) {
      if (signal?.aborted !== true) setProblem(problemOf(error));
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    setItems(undefined);
    void fetch(null, controller.signal);
    return () => controller.abort();
  }, [rulesetId]);
  const isFirst = items === undefined;
  return { items, problem, more: isFirst || next !== null ? () => void fetch(isFirst ? null : next) : undefined };
}

const ACTORS: Readonly<Record<Change["actor"]["kind"], readonly [IconName, string]>> = { key: ["key", "key"], user: ["user", "user"], command: ["system", "command"] };

function ChangeRow({ at, actor, kind, summary, old, new: now, ruleset_id }: Change) {
  const [icon, by] = ACTORS[actor.kind];
  const rows = [...changedMembers(old, now), ...changedRules(old?.rules ?? [], now?.rules ?? [])];
  // Only the first of many rules are told; one that was changed counts on both sides.
  const untold = Math.max(...[old, now].map((state) => (state?.rule_count ?? 0) - (state?.rules?.length ?? 0)));
  return (
    <li class="change">
      <Time at={at} seconds />
      <span class="change-actor" title={`${by} ${actor.id ?? ""}`}><Icon name={icon} /><span><span class="hidden">{by} </span>{actor.name ?? actor.id ?? by}</span></span>
      <div class="change-what">
        <p class="wrap">{summary} <Badge>{kind}</Badge>{ruleset_id !== null && <> <a class="small" href={`#/rulesets/${encodeURIComponent(ruleset_id)}`}>Ruleset</a></>}</p>
        {rows.length > 0 && (
          <details>
            <summary>What changed<span class="hidden">: {summary}</span></summary>
            <div class="scroll" tabIndex={0} role="region" aria-label={summary}>
              <table class="before-after">
                <thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
                <tbody>{rows.map(({ name, before, after }) => <tr key={name}><th scope="row"><code>{name}</code></th><td>{before}</td><td>{after}</td></tr>)}</tbody>
              </table>
            </div>
            {untold > 0 && <p class="muted">and {formatCounted(untold, "more rule")}</p>}
          </details>
        )}
      </div>
    </li>
  );
}

/** A row of what changed. */
interface Changed {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

type Members = Readonly<Record<string, unknown>> | null;

/** Told in other ways: ids to nobody, rules one by one. */
const UNTOLD = ["id", "rules", "rule_count"];

/** The members that differ, as text. */
function changedMembers(old: Members, now: Members): Changed[] {
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])].filter((name) => !UNTOLD.includes(name));
  return names.map((name) => ({ name, before: textOf(old?.[name]), after: textOf(now?.[name]) })).filter(({ before, after }) => before !== after);
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return TIMESTAMP.test(value) ? formatLocal(new Date(value)) : value;
}

function changedRules(old: readonly Rule[], now: readonly Rule[]): Changed[] {
  const [before, after] = [old, now].map((rules) => new Map(rules.map((rule) => [rule.ip, describe(rule)])));
  return [...new Set([...before!.keys(), ...after!.keys()])].map((ip) => ({ name: ip, before: before!.get(ip) ?? "no rule", after: after!.get(ip) ?? "no rule" }));
}

function describe({ name, expires_at }: Rule): string {
  const until = expires_at === null ? "for ever" : `until ${formatLocal(new Date(expires_at))}`;
  return [name, until].filter((each) => each !== null && each !== "").join(", ");
}
