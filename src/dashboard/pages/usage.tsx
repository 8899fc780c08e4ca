import { LineChart } from "../charts/line-chart.tsx";
import { ShareBar } from "../charts/share-bar.tsx";
import { get } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Segments } from "../components/segments.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount, formatCounted, formatLocal } from "../format.ts";
import type { Usage as UsageDocument } from "../documents.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";

type Step = UsageDocument["steps"][number];
type Window = UsageDocument["window"];
type Key = UsageDocument["keys"][number];

const WINDOWS: Readonly<Record<Window, string>> = { hour: "1 hour", day: "24 hours", week: "7 days", month: "30 days" };

export default function Usage({ query }: PageProps) {
  const wanted = query.get("window") ?? "hour";
  const window = Object.hasOwn(WINDOWS, wanted) ? (wanted as Window) : "hour";
  const usage = useLoad((signal) => get("/dashboard/api/usage", { params: { query: { window } }, signal }), [window]);
  return (
    <Page
      title="Usage"
      about="Requests, response times and limits."
      actions={
        <Button icon="refresh" busy={usage.isLoading && usage.data !== undefined} onClick={usage.reload}>
          Refresh
        </Button>
      }
    >
      <Loaded of={usage} lines={10}>
        {({ window: shown, steps, keys, snapshots, rules }) => (
          <>
            <Traffic window={window} isWaiting={shown !== window} steps={steps} />
            <Panel title="Keys" flush>
              <Table
                caption="Requests by key"
                columns={KEY_COLUMNS}
                rows={keys}
                keyOf={({ id }) => id}
                empty={<Empty icon="key" title="No keys yet" />}
              />
            </Panel>
            <Panel title="Rules">
              <ShareBar
                title="Total rules in the organisation"
                shares={[
                  { name: "Active", value: rules.active, color: 2 },
                  { name: "Expired", value: rules.expired, color: 7 },
                ]}
              />
            </Panel>
            <Panel title="Data" flush>
              <Table
                caption="Snapshots in use"
                columns={SNAPSHOT_COLUMNS}
                rows={snapshots}
                keyOf={({ name }) => name}
                empty={<Empty title="No snapshot is loaded" />}
              />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface TrafficProps {
  /** The chosen one; until its data has arrived, that of the last one is shown. */
  readonly window: Window;
  readonly isWaiting: boolean;
  readonly steps: readonly Step[];
}

function Traffic({ window, isWaiting, steps }: TrafficProps) {
  // Labels include the day if there is more than one.
  const isLong = steps.length > 96;
  const labels = steps.map(({ at }) => formatLocal(new Date(at)).slice(isLong ? 5 : 11));
  const series = (name: string, of: (step: Step) => number | null) => ({ name, values: steps.map(of) });
  const milliseconds = (value: number): string =>
    `${value < 10 ? value.toFixed(2) : formatCount(Math.round(value))} ms`;
  return (
    <Panel title="Traffic" actions={<WindowChoice window={window} />}>
      <div class={isWaiting ? "columns wide-gap waiting" : "columns wide-gap"} aria-busy={isWaiting}>
        <LineChart title="Requests" labels={labels} series={[series("Requests", ({ requests }) => requests)]} area />
        <LineChart
          title="Addresses looked up"
          labels={labels}
          series={[series("Lookups", ({ lookups }) => lookups)]}
          area
        />
        <LineChart
          title="Response time"
          labels={labels}
          series={[series("Median", ({ p50_ms }) => p50_ms), series("99th percentile", ({ p99_ms }) => p99_ms)]}
          format={milliseconds}
          formatTick={(value) => (value >= 1000 ? `${value / 1000} s` : `${value} ms`)}
        />
        <LineChart
          title="Error responses"
          labels={labels}
          series={[series("Refused (4xx)", ({ refused }) => refused), series("Failed (5xx)", ({ failed }) => failed)]}
        />
      </div>
    </Panel>
  );
}

function WindowChoice({ window }: { readonly window: Window }) {
  return (
    <Segments<string>
      legend="Time range"
      name="window"
      value={window}
      choices={Object.entries(WINDOWS)}
      onChange={(each) => navigate(hrefOf("/usage", { window: each }), { replace: true })}
    />
  );
}

const KEY_COLUMNS: readonly Column<Key>[] = [
  {
    title: "Key",
    cell: ({ label, start }) => (
      <>
        <strong class="wrap">{label}</strong> <code class="muted">{start}…</code>
      </>
    ),
  },
  { title: "Requests this month", kind: "number", cell: ({ requests_this_month }) => formatCount(requests_this_month) },
  { title: "Monthly limit", cell: ({ month }) => <Meter name="month" window={month} /> },
  { title: "Limit per minute", cell: ({ minute }) => <Meter name="minute" window={minute} /> },
];

/** How much of a rate has been used. */
function Meter({
  name,
  window: { limit, remaining, reset },
}: {
  readonly name: string;
  readonly window: Key["minute"];
}) {
  const used = limit - remaining;
  const share = limit === 0 ? 1 : used / limit;
  const ends =
    reset < 120
      ? formatCounted(reset, "second")
      : reset < 7200
        ? formatCounted(Math.round(reset / 60), "minute")
        : reset < 172_800
          ? formatCounted(Math.round(reset / 3600), "hour")
          : formatCounted(Math.round(reset / 86_400), "day");
  return (
    <span class="meter" title={`The ${name} ends in ${ends}`}>
      <span class="meter-track" aria-hidden="true">
        <span class={share > 0.9 ? "c5" : "c0"} style={{ width: `${Math.min(100, 100 * share)}%` }} />
      </span>
      <span>
        {formatCount(used)} of {formatCount(limit)}
      </span>
    </span>
  );
}

const SNAPSHOT_NAMES = { catalogue: "Business services", threats: "Threat intelligence" };

const SNAPSHOT_COLUMNS: readonly Column<UsageDocument["snapshots"][number]>[] = [
  { title: "Snapshot", cell: ({ name }) => <strong>{SNAPSHOT_NAMES[name]}</strong> },
  {
    title: "Created",
    cell: ({ created_at }) =>
      created_at === null ? <span class="muted">not known</span> : <Time at={created_at} relative />,
  },
  {
    title: "Loaded",
    cell: ({ loaded_at }) =>
      loaded_at === null ? <span class="muted">not loaded</span> : <Time at={loaded_at} relative />,
  },
  { title: "Generation", kind: "number", cell: ({ generation }) => generation },
];
