import { Icon } from "../components/icon.tsx";
import { Panel } from "../components/page.tsx";
import { Note } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Finding, Status } from "../documents.ts";
import { formatCounted } from "../format.ts";
import { hasRole } from "../session.ts";

const KINDS = { critical: "bad", warning: "warning", notice: "info" } as const;
const SEVERITIES = { critical: "Critical", warning: "Warning", notice: "Notice" } as const;

/** What needs someone: the worst first, each with the page on which it is put right. */
export function Attention({ status: { state, findings, looked_at: counts } }: { readonly status: Status }) {
  return (
    <>
      {state === "ok" && <Note kind="good">Nothing needs attention: {lookedAt(counts)} looked at.</Note>}
      {findings.length > 0 && (
        <Panel title={state === "ok" ? "Good to know" : "Needs attention"} flush>
          <ul class="findings">
            {findings.map((finding, at) => (
              <Line key={at} finding={finding} />
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function Line({ finding: { severity, about, message, at, cure } }: { readonly finding: Finding }) {
  const href = hrefOf(about);
  return (
    <li class={KINDS[severity]}>
      <Icon name={severity === "notice" ? "info" : "warning"} />
      <span class="wrap">
        <span class="hidden">{SEVERITIES[severity]}: </span>
        <strong>{about.name}</strong> {message}
        {at !== null && (
          <span class="muted">
            {" "}
            · <Time at={at} relative />
          </span>
        )}
      </span>
      {href === undefined ? (
        <span class="cure muted">{cure}</span>
      ) : (
        <a class="cure" href={href}>
          {cure}
        </a>
      )}
    </li>
  );
}

const PAGES: Readonly<Record<Finding["about"]["type"], string>> = {
  deployment: "#/deployments/",
  list: "#/lists/",
  ruleset: "#/rulesets/",
  key: "#/keys",
  webhook: "#/webhooks/",
  plan: "#/",
  catalogue: "#/catalogue",
  threats: "#/threats",
  limit: "#/rulesets",
};

/** Where it is put right; undefined: on no page of this user. */
function hrefOf({ type, id }: Finding["about"]): string | undefined {
  if (type === "plan" || (type === "webhook" && !hasRole("admin"))) return undefined;
  const page = PAGES[type];
  return page.endsWith("/") && id !== null ? page + id : page;
}

/** What was looked at, so that "nothing to do" says of what. */
function lookedAt(counts: Status["looked_at"]): string {
  const names: readonly (readonly [number, string])[] = [
    [counts.deployments, "deployment"],
    [counts.lists, "external list"],
    [counts.rulesets, "ruleset"],
    [counts.keys, "key"],
    [counts.webhooks, "webhook endpoint"],
    [counts.datasets, "dataset"],
  ];
  return names
    .filter(([count]) => count > 0)
    .map(([count, one]) => formatCounted(count, one))
    .join(", ");
}
