import { get } from "../api.ts";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded, Note } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import type { ThreatDataset } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { type Loading, useLoad } from "../load.ts";
import { NoPlan } from "../lookup/no-plan.tsx";
import { hasPlan, hasRole } from "../session.ts";
import { FeedImport } from "../threats/feed-import.tsx";

/** What the threat intelligence consists of, and how old it is; admins replace it with a feed. */
export default function Threats() {
  const hasThreats = hasPlan("cti");
  const loading = useLoad(async (signal) =>
    hasThreats ? get("/dashboard/api/threats", { signal }) : { dataset: null },
  );
  return (
    <Page
      title="Threat intelligence"
      about="What feeds report about addresses. All organisations of this server share it."
      actions={
        hasThreats ? (
          <a class="button" href="#/threats/search">
            Search
          </a>
        ) : undefined
      }
    >
      {hasThreats ? <Dataset loading={loading} /> : <NoPlan area="cti" what="threat intelligence" />}
      {hasRole("admin") && <FeedImport onImported={loading.reload} />}
    </Page>
  );
}

function Dataset({ loading }: { readonly loading: Loading<ThreatDataset> }) {
  return (
    <Panel title="Dataset">
      <Loaded of={loading} lines={3}>
        {({ dataset }) =>
          dataset === null ? (
            <Empty title="The server has no threat intelligence" />
          ) : (
            <div class="stack">
              {dataset.is_old && (
                <Note kind="warning">
                  The dataset is {formatCounted(dataset.age_days, "day")} old. Addresses change hands; import a new
                  feed.
                </Note>
              )}
              <p>
                Created <Time at={dataset.created_at} />:{" "}
                {formatCounted(dataset.ipv4_prefixes, "IPv4 prefix", "IPv4 prefixes")},{" "}
                {formatCounted(dataset.ipv6_prefixes, "IPv6 prefix", "IPv6 prefixes")},{" "}
                {formatCounted(dataset.documents, "distinct document")}
              </p>
              <Table
                caption="Sources"
                rows={dataset.sources}
                keyOf={({ name }) => name}
                columns={[
                  { title: "Source", cell: ({ name }) => <span class="wrap">{name}</span> },
                  { title: "Entries", kind: "number", cell: ({ entries }) => formatCount(entries) },
                ]}
              />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
