import { Badge } from "../components/badge.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { Time } from "../components/time.tsx";
import type { Change, Rule } from "../documents.ts";
import { formatCount, formatCounted, formatLocal } from "../format.ts";

const ACTORS: Readonly<Record<Change["actor"]["kind"], readonly [IconName, string]>> = {
  key: ["key", "key"],
  user: ["user", "user"],
  command: ["system", "command line"],
};

/** One change: when, who, what, and the state before and after it. */
export function ChangeRow({ at, actor, action, summary, counts, sha256, old, new: now, ruleset_id }: Change) {
  const [icon, by] = ACTORS[actor.kind];
  const rows = [...changedMembers(old, now), ...changedRules(old?.rules ?? [], now?.rules ?? [])];
  // Only the first of many rules are shown; a changed one counts on both sides.
  const unlisted = Math.max(...[old, now].map((state) => (state?.rule_count ?? 0) - (state?.rules?.length ?? 0)));
  return (
    <li class="change">
      <Time at={at} seconds />
      <span class="change-actor" title={`${by} ${actor.id ?? ""}`}>
        <Icon name={icon} />
        <span>
          <span class="hidden">{by} </span>
          {actor.name ?? actor.id ?? by}
        </span>
      </span>
      <div class="change-what">
        <p class="wrap">
          {summary} <Badge>{action}</Badge>
          {ruleset_id !== null && (
            <>
              {" "}
              <a class="small" href={`#/rulesets/${encodeURIComponent(ruleset_id)}`}>
                Ruleset
              </a>
            </>
          )}
        </p>
        {rows.length > 0 && (
          <details>
            <summary>
              What changed<span class="hidden">: {summary}</span>
            </summary>
            <div class="scroll" tabIndex={0} role="region" aria-label={summary}>
              <table class="before-after">
                <thead>
                  <tr>
                    <th scope="col">What</th>
                    <th scope="col">Before</th>
                    <th scope="col">After</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ name, before, after }) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td>{before}</td>
                      <td>{after}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {unlisted > 0 && <p class="muted">and {formatCounted(unlisted, "more rule")}</p>}
            {counts !== null && counts.skipped !== null && (
              <p class="muted small">
                From the list, {formatCounted(counts.created, "rule was", "rules were")} created,{" "}
                {formatCount(counts.updated)} updated, {formatCount(counts.deleted)} deleted,{" "}
                {formatCount(counts.skipped)} left unchanged.
              </p>
            )}
            {sha256 !== null && (
              <p class="muted small wrap">
                SHA-256 of {(old?.dataset ?? now?.dataset) ? "what was sent or built" : "the list"}:{" "}
                <code>{sha256}</code>
              </p>
            )}
          </details>
        )}
      </div>
    </li>
  );
}

/** A row of the table of differences. */
interface Changed {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

type Members = Readonly<Record<string, unknown>> | null;

/** Not in the table: ids, which mean nothing to people, and rules, which are listed individually. */
const OMITTED = ["id", "rules", "rule_count"];

const MEMBERS: Readonly<Record<string, string>> = {
  name: "Name",
  label: "Label",
  purpose: "Purpose",
  description: "Description",
  role: "Role",
  access: "Access",
  start: "Key",
  area: "Plan",
  active: "Active",
  until: "Until",
  expires_at: "Expires",
  revoked_at: "Revoked",
  deleted_at: "Removed",
  invited_until: "Invitation valid until",
  dataset: "Dataset",
  source: "Source",
  created_at: "Created",
  prefixes: "Prefixes",
  added: "Prefixes added",
  removed: "Prefixes removed",
  skipped: "Lines skipped",
};
const VALUES: Readonly<Record<string, string>> = {
  read: "read",
  read_write: "read and write",
  edl: "rulesets",
  cbs: "business services",
  cti: "threat intelligence",
  catalogue: "catalogue",
};
/** Properties whose values are our own ids, for which there are words. */
const WITH_WORDS = ["access", "area", "dataset"];

/** The properties that differ, as text. */
function changedMembers(old: Members, now: Members): Changed[] {
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])].filter(
    (name) => !OMITTED.includes(name),
  );
  return names
    .map((name) => ({
      name: MEMBERS[name] ?? name,
      before: textOf(name, old?.[name]),
      after: textOf(name, now?.[name]),
    }))
    .filter(({ before, after }) => before !== after);
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "string") return JSON.stringify(value);
  if (WITH_WORDS.includes(name)) return VALUES[value] ?? value;
  return TIMESTAMP.test(value) ? formatLocal(new Date(value)) : value;
}

function changedRules(old: readonly Rule[], now: readonly Rule[]): Changed[] {
  const [before, after] = [old, now].map((rules) => new Map(rules.map((rule) => [rule.ip, describe(rule)])));
  return [...new Set([...before!.keys(), ...after!.keys()])].map((ip) => ({
    name: ip,
    before: before!.get(ip) ?? "no rule",
    after: after!.get(ip) ?? "no rule",
  }));
}

function describe({ name, expires_at }: Rule): string {
  const until = expires_at === null ? "never expires" : `until ${formatLocal(new Date(expires_at))}`;
  return [name, until].filter((each) => each !== null && each !== "").join(", ");
}
