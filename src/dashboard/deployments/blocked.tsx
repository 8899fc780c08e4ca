import { LineChart } from "../charts/line-chart.tsx";
import { Button } from "../components/button.tsx";
import { Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import type { BlockedList, DeploymentSource } from "../documents.ts";
import { formatBytes, formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { fetchBlocked } from "./enforcers-api.ts";
import { type Choices, sourceText } from "./source-list.tsx";
import { SourceLink } from "./source-link.tsx";

type Blocked = BlockedList["items"][number];
type Unit = Blocked["unit"];

const HOUR = 3_600_000;
/** Hours of the chart. */
const HOURS = 72;
const UNITS: Readonly<Record<Unit, string>> = { request: "Requests", packet: "Packets", byte: "Bytes" };

/** What bouncers and edge components report as blocked: by hour, and by source and rule. */
export function BlockedRequests({
  deploymentId,
  choices,
}: {
  readonly deploymentId: string;
  readonly choices: Choices;
}) {
  const blocked = useLoad((signal) => fetchBlocked(deploymentId, signal), [deploymentId]);
  return (
    <Panel
      title="Blocked"
      actions={
        <Button small icon="refresh" onClick={blocked.reload}>
          Refresh what was blocked
        </Button>
      }
    >
      <Loaded of={blocked}>
        {({ items, hours }) =>
          items.length === 0 ? (
            <Empty icon="rulesets" title="Nothing reported yet">
              Bouncers report what they dropped every half hour, edge components immediately. Firewalls that fetch a
              list do not report.
            </Empty>
          ) : (
            <div class="stack">
              {(Object.keys(UNITS) as Unit[])
                .filter((unit) => items.some((each) => each.unit === unit))
                .map((unit) => (
                  <Chart key={unit} unit={unit} hours={hours} />
                ))}
              <Table
                caption="Blocked by source and rule"
                columns={columnsOf(choices)}
                rows={items}
                keyOf={({ source, prefix, unit }) => `${source} ${prefix} ${unit}`}
              />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Hours in which nothing was reported are left out of the response. */
function Chart({ unit, hours }: { readonly unit: Unit } & Pick<BlockedList, "hours">) {
  const known = new Map(
    hours.filter((each) => each.unit === unit).map(({ at, amount }) => [Math.floor(Date.parse(at) / HOUR), amount]),
  );
  const last = Math.floor(Date.now() / HOUR);
  const shown = Array.from({ length: HOURS }, (_, index) => last - (HOURS - 1 - index));
  return (
    <LineChart
      title={`${UNITS[unit]} blocked per hour (UTC)`}
      labels={shown.map((hour) => new Date(hour * HOUR).toISOString().slice(5, 16).replace("T", " "))}
      series={[{ name: UNITS[unit], values: shown.map((hour) => known.get(hour) ?? 0) }]}
      height={110}
      {...(unit === "byte" ? { format: formatBytes, formatTick: formatBytes } : {})}
      area
    />
  );
}

function columnsOf(choices: Choices): Column<Blocked>[] {
  return [
    { title: "Source", cell: ({ source }) => <Source source={source} choices={choices} /> },
    {
      title: "Rule",
      cell: ({ prefix }) => (prefix === null ? <span class="muted">not reported</span> : <code>{prefix}</code>),
    },
    {
      title: "Blocked in 31 days",
      kind: "number",
      cell: ({ unit, amount }) => (unit === "byte" ? formatBytes(amount) : formatCounted(amount, unit)),
    },
  ];
}

const OTHERS: Readonly<Record<string, string>> = {
  cti: "Threat intelligence",
  prefixes: "Addresses and prefixes",
  deployment: "One of the sources; bouncers do not say which",
  other: "Not from a source of this deployment",
};

function Source({ source, choices }: { readonly source: string; readonly choices: Choices }) {
  const [kind = "", ...rest] = source.split("/");
  const known = OTHERS[kind];
  if (known !== undefined) return <>{known}</>;
  const link = { [kind]: rest.join("/") } as DeploymentSource;
  return (
    <SourceLink source={link}>
      <bdi class="wrap">{sourceText(link, choices)}</bdi>
    </SourceLink>
  );
}
