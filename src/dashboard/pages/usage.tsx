import { LineChart } from "../charts/line-chart.tsx";
import { ShareBar } from "../charts/share-bar.tsx";
import { get } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount, formatCounted, formatLocal } from "../format.ts";
import type { Usage as UsageDocument } from "../documents.ts";
import { useLoad } from "../load.ts";

type Minute = UsageDocument["minutes"][number];
type Key = UsageDocument["keys"][number];

export default function Usage() {
  const usage = useLoad((signal) => get("/dashboard/api/usage", { signal }));
  return (
    <Page title="Usage" about="What was asked of the service, and how fast it answered." actions={<Button icon="refresh" busy={usage.isLoading && usage.data !== undefined} onClick={usage.reload}>Refresh</Button>}>
      <Loaded of={usage} lines={10}>
        {({ minutes, keys, snapshots, rules }) => (
          <>
            <Traffic minutes={minutes} />
            <Panel title="Keys" flush>
              <Table caption="Keys and their rates" columns={KEY_COLUMNS} rows={keys} keyOf={({ id }) => id} empty={<Empty icon="key" title="No keys yet" />} />
            </Panel>
            <div class="columns">
              <Panel title="Rules"><ShareBar title="All rules of the organisation" shares={[{ name: "Active", value: rules.active, color: 2 }, { name: "Expired", value: rules.expired, color: 7 }]} /></Panel>
              <Panel title="Data" flush><Table caption="Snapshots in use" columns={SNAPSHOT_COLUMNS} rows={snapshots} keyOf={({ name }) => name} empty={<Empty title="No snapshot is loaded" />} /></Panel>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Traffic({ minutes }: { readonly minutes: readonly Minute[] }) {
  const labels = minutes.map(({ at }) => formatLocal(new Date(at)).slice(11));
  const series = (name: string, of: (minute: Minute) => number | null) => ({ name, values: minutes.map(of) });
  const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : formatCount(Math.round(value))} ms`;
  return (
    <Panel title="The last hour, by minute">
      <div class="columns wide-gap">
        <LineChart title="Requests" labels={labels} series={[series("Requests", ({ requests }) => requests)]} area />
        <LineChart title="Addresses looked up" labels={labels} series={[series("Lookups", ({ lookups }) => lookups)]} area />
        <LineChart title="Time to answer" labels={labels} series={[series("Median", ({ p50_ms }) => p50_ms), series("99th percentile", ({ p99_ms }) => p99_ms)]} format={milliseconds} formatTick={(value) => (value >= 1000 ? `${value / 1000} s` : `${value} ms`)} />
        <LineChart title="Answers with an error" labels={labels} series={[series("Errors", ({ errors }) => errors)]} area />
      </div>
    </Panel>
  );
}

const KEY_COLUMNS: readonly Column<Key>[] = [
  { title: "Key", cell: ({ label, start }) => <><strong class="wrap">{label}</strong> <code class="muted">{start}…</code></> },
  { title: "Requests this month", kind: "number", cell: ({ requests_this_month }) => formatCount(requests_this_month) },
  { title: "Monthly limit", cell: ({ month }) => <Meter name="month" window={month} /> },
  { title: "Limit per minute", cell: ({ minute }) => <Meter name="minute" window={minute} /> },
];

/** How much of a rate has been used. */
function Meter({ name, window: { limit, remaining, reset } }: { readonly name: string; readonly window: Key["minute"] }) {
  const used = limit - remaining;
  const share = limit === 0 ? 1 : used / limit;
  const ends = reset < 120 ? formatCounted(reset, "second") : reset < 7200 ? formatCounted(Math.round(reset / 60), "minute") : reset < 172_800 ? formatCounted(Math.round(reset / 3600), "hour") : formatCounted(Math.round(reset / 86_400), "day");
  return (
    <span class="meter" title={`The ${name} ends in ${ends}`}>
      <span class="meter-track" aria-hidden="true"><span class={share > 0.9 ? "c5" : "c0"} style={{ width: `${Math.min(100, 100 * share)}%` }} /></span>
      <span>{formatCount(used)} of {formatCount(limit)}</span>
    </span>
  );
}

const SNAPSHOT_NAMES = { catalogue: "Business services", threats: "Threat intelligence" };

const SNAPSHOT_COLUMNS: readonly Column<UsageDocument["snapshots"][number]>[] = [
  { title: "Snapshot", cell: ({ name }) => <strong>{SNAPSHOT_NAMES[name]}</strong> },
  { title: "Made", cell: ({ created_at }) => (created_at === null ? <span class="muted">not known</span> : <Time at={created_at} relative />) },
  { title: "Loaded", cell: ({ loaded_at }) => (loaded_at === null ? <span class="muted">not loaded</span> : <Time at={loaded_at} relative />) },
  { title: "Generation", kind: "number", cell: ({ generation }) => generation },
];
