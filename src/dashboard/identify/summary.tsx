import { BarList } from "../charts/bar-list.tsx";
import { ShareBar } from "../charts/share-bar.tsx";
import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { formatCount, formatCounted } from "../format.ts";
import type { Identification } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { RulesetComparison } from "./ruleset-comparison.tsx";
import { TopAddresses } from "./top-addresses.tsx";

const MAX_BARS = 12;

/** What has been found in a log so far. */
export function Summary({ of }: { readonly of: Identification }) {
  const { lines, matched, unmatched, no_address, repeated_address: repeated, types, providers } = of;
  if (lines === 0)
    return (
      <Panel>
        <Empty icon="identify" title={of.state === "running" ? "Waiting for lines" : "No lines"} />
      </Panel>
    );
  const shares = [
    { name: "Service known", value: matched, color: 2 },
    { name: "No matching service", value: unmatched, color: 1 },
    { name: "No address", value: no_address, color: 7 },
  ];
  return (
    <>
      <Panel>
        <ShareBar title={formatCounted(lines, "line")} shares={shares} />
        {repeated !== null && (
          <p class="note warning">
            The first address of nearly all lines is <code>{repeated}</code>, which is private or reserved; others
            follow it. If one of them is meant, upload the log again and name its column, member or key.
          </p>
        )}
      </Panel>
      {matched > 0 && (
        <div class="columns log-bars">
          <Panel>
            <BarList
              title="Lines by type"
              items={types.map(({ type, name, lines: value }, at) => ({
                key: type,
                name: <a href={hrefOf("/catalogue", { id: idOf(type) })}>{name}</a>,
                value,
                color: at % 8,
              }))}
            />
          </Panel>
          <Panel>
            <BarList
              title={providers.length > MAX_BARS ? `Lines by provider, top ${MAX_BARS}` : "Lines by provider"}
              items={providers.slice(0, MAX_BARS).map(({ type, provider, name, lines: value }) => ({
                key: `${type}/${provider}`,
                name: (
                  <a href={hrefOf("/catalogue", { id: idOf(type, provider) })} title={name}>
                    {name}
                  </a>
                ),
                value,
                color:
                  Math.max(
                    0,
                    types.findIndex((each) => each.type === type),
                  ) % 8,
              }))}
            />
          </Panel>
        </div>
      )}
      {matched > 0 && <Services of={of} />}
      <RulesetComparison of={of} />
      <TopAddresses of={of} />
      <Unmatched of={of} />
    </>
  );
}

/** The id of a user's own list is its label. */
function idOf(type: string, ...parts: readonly string[]): string {
  return type === "list" ? parts.join("/") : `/${[type, ...parts].join("/")}`;
}

interface ServiceRow {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly href: string;
  readonly lines: number;
}

/**
 * Providers, and their services if the catalogue names them: a line that counts for a service also counts for its
 * provider.
 */
function Services({ of: { services, providers, types, matched } }: { readonly of: Identification }) {
  const typeName = (type: string): string => types.find((each) => each.type === type)?.name ?? type;
  const rows = [...providers.map((each) => ({ ...each, service: "" })), ...services].map(
    ({ type, provider, service, name, lines }): ServiceRow => ({
      key: `${type}/${provider}/${service}`,
      name,
      type: typeName(type),
      href: hrefOf("/catalogue", { id: idOf(type, provider) }),
      lines,
    }),
  );
  rows.sort((a, b) => b.lines - a.lines);
  return (
    <Panel title="Top providers and services" flush>
      <Table
        scrollsAs="Top providers and services"
        caption="Most lines first"
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          {
            title: "Name",
            cell: ({ name, href }) => (
              <a class="wrap" href={href}>
                {name}
              </a>
            ),
          },
          { title: "Type", cell: ({ type }) => type },
          { title: "Lines", kind: "number", cell: ({ lines }) => formatCount(lines) },
          {
            title: "Of all matched",
            kind: "number",
            cell: ({ lines }) => `${((100 * lines) / matched).toFixed(1)} %`,
          },
        ]}
      />
    </Panel>
  );
}

function Unmatched({ of: { unmatched_sample: sample, unmatched, no_address } }: { readonly of: Identification }) {
  if (sample.length === 0) return null;
  return (
    <Panel title="Lines without a service">
      <p class="muted">
        {sample.length < unmatched + no_address
          ? `${formatCount(sample.length)} of ${formatCount(unmatched + no_address)} lines, sampled from the whole log.`
          : "All lines without a service."}
      </p>
      <ol class="sample" tabIndex={0} aria-label="Lines without a service">
        {sample.map(({ text, has_address: hasAddress }, at) => (
          <li key={at}>
            <span class="mono">{text === "" ? <span class="muted">(empty line)</span> : text}</span>
            {!hasAddress && <Badge>no address</Badge>}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
