import type { ComponentChildren } from "preact";
import { get } from "../api.ts";
import { Icon } from "../components/icon.tsx";
import { Panel } from "../components/page.tsx";
import { Loaded, Note } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { stateOf } from "../deployments/state-of.ts";
import type { ApiKey, Deployment, ExternalList, Webhook } from "../documents.ts";
import { formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { hasPlan, hasRole } from "../session.ts";

interface Finding {
  readonly kind: "bad" | "warning";
  /** Where it is put right. */
  readonly href: string;
  readonly name: string;
  readonly what: ComponentChildren;
}

const DAY = 86_400_000;
/** A key that ends within this time is a finding, as it is an event. */
const KEY_SOON = 7 * DAY;

/** What was looked at, so that "nothing to do" says of what. */
interface Looked {
  readonly findings: readonly Finding[];
  readonly at: string;
}

/** What needs someone: the worst first, each with the page on which it is put right. */
export function Attention() {
  const looked = useLoad(look);
  return (
    <Loaded of={looked} lines={1}>
      {({ findings, at }) =>
        findings.length === 0 ? (
          at !== "" && <Note kind="good">Nothing needs attention: {at} looked at.</Note>
        ) : (
          <Panel title="Needs attention" flush>
            <ul class="findings">
              {findings.map((finding) => (
                <li key={`${finding.href} ${finding.kind}`} class={finding.kind}>
                  <Icon name="warning" />
                  <span class="wrap">
                    <a href={finding.href}>{finding.name}</a> {finding.what}
                  </span>
                </li>
              ))}
            </ul>
          </Panel>
        )
      }
    </Loaded>
  );
}

async function look(signal: AbortSignal): Promise<Looked> {
  const mayRead = hasPlan("edl");
  const params = { query: { page_size: 1000 } };
  const [deployments, lists, webhooks, keys] = await Promise.all([
    mayRead ? get("/dashboard/api/edl/deployments/", { params, signal }).then(itemsOf) : [],
    mayRead ? get("/dashboard/api/edl/lists/", { params, signal }).then(itemsOf) : [],
    hasRole("admin") ? get("/dashboard/api/webhooks", { signal }).then(itemsOf) : [],
    get("/dashboard/api/keys", { signal }).then(itemsOf),
  ]);
  const active = keys.filter(({ state }) => state === "active");
  const findings = [
    ...deployments.flatMap(ofDeployment),
    ...lists.flatMap(ofList),
    ...webhooks.flatMap(ofWebhook),
    ...active.flatMap(ofKey),
  ];
  const counts: readonly (readonly [number, string])[] = [
    [deployments.length, "deployment"],
    [lists.length, "external list"],
    [webhooks.length, "webhook endpoint"],
    [active.length, "key"],
  ];
  const at = counts.filter(([count]) => count > 0).map(([count, one]) => formatCounted(count, one));
  return {
    findings: [...findings.filter(({ kind }) => kind === "bad"), ...findings.filter(({ kind }) => kind === "warning")],
    at: at.join(", "),
  };
}

const itemsOf = <Item,>({ items }: { readonly items: Item[] }): Item[] => items;

function ofDeployment(deployment: Deployment): Finding[] {
  const { id, name, reasons, last_generated: at } = deployment;
  const about = { href: `#/deployments/${id}`, name };
  const state = stateOf(deployment);
  if (state === "not pulled") return [{ ...about, kind: "warning", what: "is fetched by no device any more." }];
  if (state !== "refused") return [];
  const what = (
    <>
      was not published: {reasons[0]?.message ?? "see why"}.{" "}
      {at === null ? (
        "Devices have no list."
      ) : (
        <>
          Devices keep the list of <Time at={at} relative />.
        </>
      )}
    </>
  );
  return [{ ...about, kind: "bad", what }];
}

function ofList({ id, name, state, problem }: ExternalList): Finding[] {
  if (problem === null) return [];
  const what = (
    <>
      {state === "refused" ? "was refused" : "could not be fetched"} <Time at={problem.since} relative />:{" "}
      {problem.message}.
    </>
  );
  return [{ kind: state === "refused" ? "bad" : "warning", href: `#/lists/${id}`, name, what }];
}

function ofWebhook({ id, url, health: { status } }: Webhook): Finding[] {
  const about = { href: `#/webhooks/${id}`, name: url };
  if (status === "disabled")
    return [{ ...about, kind: "bad", what: "gets no events any more: it failed for too long." }];
  return status === "failing" ? [{ ...about, kind: "warning", what: "does not accept events." }] : [];
}

function ofKey({ label, expires_at: at }: ApiKey): Finding[] {
  if (at === null || Date.parse(at) - Date.now() > KEY_SOON) return [];
  const what = (
    <>
      expires <Time at={at} relative />.
    </>
  );
  return [{ kind: "warning", href: "#/keys", name: `The key ${label}`, what }];
}
