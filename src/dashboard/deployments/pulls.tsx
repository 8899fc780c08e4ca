import { useState } from "preact/hooks";
import { LineChart } from "../charts/line-chart.tsx";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import type { PullList } from "../documents.ts";
import { formatBytes } from "../format.ts";
import { useLoad } from "../load.ts";
import { fetchPulls } from "./deployments-api.ts";

const DAY = 86_400_000;
const DAYS = 31;
/** Rows at first. */
const FEW = 10;

type Pull = PullList["items"][number];

/** Which devices fetch the list, and how often. */
export function Pulls({ id }: { readonly id: string }) {
  const pulls = useLoad((signal) => fetchPulls(id, signal), [id]);
  const [isWhole, setWhole] = useState(false);
  return (
    <Panel
      title="Pulls"
      actions={
        <Button small icon="refresh" onClick={pulls.reload}>
          Refresh pulls
        </Button>
      }
    >
      <Loaded of={pulls}>
        {({ items, days }) =>
          items.length === 0 && days.length === 0 ? (
            <Empty icon="download" title="No device has fetched the list yet">
              Give a device one of the URLs above; its requests are listed here.
            </Empty>
          ) : (
            <div class="stack">
              <Chart days={days} />
              <Table
                caption="Latest pulls"
                columns={COLUMNS}
                rows={isWhole ? items : items.slice(0, FEW)}
                keyOf={({ at, file, address }) => `${at} ${file} ${address}`}
              />
              {!isWhole && items.length > FEW && (
                <button type="button" class="link" onClick={() => setWhole(true)}>
                  Show the last {items.length}
                </button>
              )}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Days without pulls are left out of the response. */
function Chart({ days }: Pick<PullList, "days">) {
  const known = new Map(days.map(({ day, pulls }) => [day, pulls]));
  const labels = Array.from({ length: DAYS }, (_, ago) =>
    new Date(Date.now() - (DAYS - 1 - ago) * DAY).toISOString().slice(0, 10),
  );
  return (
    <LineChart
      title="Requests per day (UTC)"
      labels={labels.map((day) => day.slice(5))}
      series={[{ name: "Requests", values: labels.map((day) => known.get(day) ?? 0) }]}
      height={110}
      area
    />
  );
}

const COLUMNS: readonly Column<Pull>[] = [
  { title: "Time", cell: ({ at }) => <Time at={at} relative /> },
  { title: "Response", cell: ({ status }) => <Badge kind={status < 400 ? "good" : "bad"}>{status}</Badge> },
  { title: "Sent", kind: "number", cell: ({ bytes }) => formatBytes(bytes) },
  { title: "File", cell: ({ file }) => <code class="wrap">{file}</code> },
  { title: "Address", cell: ({ address }) => <code>{address}</code> },
  { title: "Client", cell: ({ user_agent: agent }) => <bdi class="wrap">{agent === "" ? "-" : agent}</bdi> },
];
