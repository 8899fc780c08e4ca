import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Panel } from "../components/page.tsx";
import { Empty } from "../components/states.tsx";
import { formatCounted } from "../format.ts";
import type { Lookup } from "../documents.ts";
import { hasPlan } from "../session.ts";
import { NoPlan } from "./no-plan.tsx";

type Document = NonNullable<Lookup["cti"]>;

const KINDS = { malicious: "bad", promiscuous: "warning", benign: "good", unknown: "plain" } as const;

export function Classification({ of }: { readonly of: Document["classification"] }) {
  return <Badge kind={KINDS[of]}>{of}</Badge>;
}

/** What feeds say about an address, or a whole prefix. */
export function Threat({ ip, cti }: Pick<Lookup, "ip" | "cti">) {
  const title = "Threat intelligence";
  if (!hasPlan("cti"))
    return (
      <Panel title={title}>
        <NoPlan area="cti" what="threat intelligence" />
      </Panel>
    );
  if (cti === null)
    return (
      <Panel title={title}>
        <Empty title="No threat-intelligence dataset loaded" />
      </Panel>
    );
  if (!cti.seen)
    return (
      <Panel title={title}>
        <Empty icon="check" title="Not seen">
          No feed says anything about <span class="mono">{ip}</span>
          {ip.includes("/") && " as a whole; feeds may list addresses in it"}.
        </Empty>
      </Panel>
    );
  return (
    <Panel title={title} actions={<CopyButton label="Copy as JSON" text={JSON.stringify(cti, null, 2)} />}>
      <div class="row threat-head">
        <Classification of={cti.classification} />
        {cti.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </div>
      <div class="threat">
        <Facts rows={activity(cti)} />
        <Facts rows={origin(cti)} />
      </div>
      <Ports {...cti.network} />
      <div class="threat">
        <Lists of={cti} />
      </div>
    </Panel>
  );
}

type FactRow = readonly [name: string, value: ComponentChildren];

function Facts({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => [
        <dt key={`${name}?`}>{name}</dt>,
        <dd key={name}>{value === "" || value === null ? <span class="muted">not known</span> : value}</dd>,
      ])}
    </dl>
  );
}

function activity({ actor, first_seen, last_seen, active_days, spoofable }: Document): FactRow[] {
  return [
    ["Actor", actor === "unknown" ? "" : actor],
    ["First seen", first_seen],
    ["Last seen", last_seen],
    ["Active", active_days === null ? null : `on ${formatCounted(active_days, "day")}`],
    [
      "Spoofable",
      spoofable === null
        ? null
        : spoofable
          ? "yes: the source address may be spoofed"
          : "no: TCP handshakes were completed",
    ],
  ];
}

function origin({ rdns, src: { asn, geo } }: Document): FactRow[] {
  const named = ({ code, name }: { readonly code: string; readonly name: string }): string =>
    name === "" || code === "" ? name || code : `${name} (${code})`;
  return [
    ["Network", asn.number === null ? asn.name : `AS${asn.number} ${asn.name}`],
    ["Country", named(geo.country)],
    ["Continent", named(geo.continent)],
    ["City", geo.city],
    ["Reverse DNS", rdns],
  ];
}

function Ports({ ports, non_spoofable_ports: proven }: Document["network"]) {
  if (ports.length === 0) return null;
  return (
    <div>
      <h3>Ports probed</h3>
      <ul class="chips">
        {ports.map((port) => (
          <li key={port} class={proven.includes(port) ? "mono proven" : "mono"}>
            {port}
            {proven.includes(port) && <span class="hidden"> (connection completed)</span>}
          </li>
        ))}
      </ul>
      {proven.length > 0 && (
        <p class="muted small">Green outline: completed TCP handshake, so the source address was not spoofed.</p>
      )}
    </div>
  );
}

function Lists({
  of: {
    cve,
    tag_ids,
    fingerprints: { muonfp, ja3, ja4 },
    http,
  },
}: {
  readonly of: Document;
}) {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["Vulnerabilities tried", cve],
    ["Paths requested", http.path],
    ["User agents", http.user_agent],
    ["MuonFP", muonfp],
    ["JA3", ja3],
    ["JA4", ja4],
    ["Tag ids", tag_ids],
  ];
  return (
    <>
      {lists
        .filter(([, texts]) => texts.length > 0)
        .map(([title, texts]) => (
          <div key={title}>
            <h3>{title}</h3>
            <ul class="texts mono">
              {texts.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </div>
        ))}
    </>
  );
}
