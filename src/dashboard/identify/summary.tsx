import { BarList } from "../charts/bar-list.tsx";
import { LineChart } from "../charts/line-chart.tsx";
import { ShareBar } from "../charts/share-bar.tsx";
import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { countryName, formatCount, formatCounted } from "../format.ts";
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
      <Networks of={of} />
      <Times of={of} />
      {matched > 0 && <Services of={of} />}
      <RulesetComparison of={of} />
      <TopAddresses of={of} />
      <Unmatched of={of} />
    </>
  );
}

/** Who announces the addresses, and from where they are; nothing until it is known. */
function Networks({ of: { network_counts: counts } }: { readonly of: Identification }) {
  if (counts === null || counts.networks.length === 0) return null;
  const { networks, countries } = counts;
  const title = (what: string, count: number): string =>
    count > MAX_BARS ? `Lines by ${what}, top ${MAX_BARS}` : `Lines by ${what}`;
  return (
    <div class="columns log-bars">
      <Panel>
        <BarList
          title={title("network", networks.length)}
          items={networks.slice(0, MAX_BARS).map(({ asn, name, lines: value }) => ({
            key: String(asn),
            name: <span title={name}>{`AS${asn} ${name}`}</span>,
            value,
            color: 3,
          }))}
        />
      </Panel>
      <Panel>
        <BarList
          title={title("country", countries.length)}
          items={countries.slice(0, MAX_BARS).map(({ country, lines: value }) => ({
            key: country,
            name: <span title={country}>{countryName(country)}</span>,
            value,
            color: 4,
          }))}
        />
      </Panel>
    </div>
  );
}

const UNITS = { hour: 3_600_000, day: 86_400_000 } as const;
/** More times than this are drawn without those that have no lines. */
const MAX_POINTS = 1000;

/** When there were how many lines; nothing if no line has a time. */
function Times({ of: { times } }: { readonly of: Identification }) {
  if (times === null || times.counts.length === 0) return null;
  const { unit, counts, lines_without_time: without } = times;
  const known = new Map(counts.map((count) => [Date.parse(count.from), count]));
  const [first, last] = [Date.parse(counts[0]!.from), Date.parse(counts.at(-1)!.from)];
  const points = (last - first) / UNITS[unit] + 1;
  const moments =
    points > MAX_POINTS ? [...known.keys()] : Array.from({ length: points }, (_, at) => first + at * UNITS[unit]);
  const label = (at: number): string => {
    const text = new Date(at).toISOString();
    return unit === "day" ? text.slice(0, 10) : `${text.slice(5, 10)} ${text.slice(11, 16)}`;
  };
  return (
    <Panel>
      <LineChart
        title={`Lines per ${unit} (UTC)`}
        labels={moments.map(label)}
        series={[
          { name: "Service known", values: moments.map((at) => known.get(at)?.matched ?? 0) },
          { name: "No matching service", values: moments.map((at) => known.get(at)?.unmatched ?? 0) },
        ]}
      />
      {without > 0 && <p class="muted">{formatCounted(without, "line")} without a time.</p>}
    </Panel>
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
