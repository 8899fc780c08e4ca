import { LineChart } from "../charts/line-chart.tsx";
import { get } from "../api.ts";
import { AddressBox } from "../components/address-box.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Plans } from "../components/plans.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount, formatLocal, formatRelative } from "../format.ts";
import { type Loading, useLoad } from "../load.ts";
import { Attention } from "../overview/attention.tsx";
import { hasPlan, hasRole, session } from "../session.ts";

export default function Overview() {
  return (
    <Page title="Overview" about={session.value!.organisation.name}>
      <AddressBox />
      <Attention />
      <Figures />
      <div class="columns">
        {hasPlan("edl") && <Rulesets />}
        {hasRole("admin") ? (
          <LastChanges />
        ) : (
          <Panel title="Plans">
            <Plans />
          </Panel>
        )}
      </div>
    </Page>
  );
}

function Figures() {
  const usage = useLoad((signal) => get("/dashboard/api/usage", { signal }));
  return (
    <Loaded of={usage} lines={2}>
      {({ steps, keys, snapshots, rules }) => {
        const total = (member: "requests" | "refused" | "failed"): number =>
          steps.reduce((sum, step) => sum + step[member], 0);
        const threats = snapshots.find(({ name }) => name === "threats");
        const catalogue = snapshots.find(({ name }) => name === "catalogue");
        return (
          <>
            <div class="tiles">
              <Tile
                name="Active rules"
                value={formatCount(rules.active)}
                more={`${formatCount(rules.expired)} expired`}
                href="#/rulesets"
              />
              <Tile
                name="Active keys"
                value={formatCount(keys.filter(({ state }) => state === "active").length)}
                more={`${formatCount(keys.reduce((sum, key) => sum + key.requests_this_month, 0))} requests this month`}
                href="#/keys"
              />
              <Tile
                name="Requests in the last hour"
                value={formatCount(total("requests"))}
                more={`${formatCount(total("refused"))} refused, ${formatCount(total("failed"))} failed`}
                href="#/usage"
              />
              {threats?.created_at != null && (
                <Tile
                  name="Threat intelligence"
                  value={formatRelative(new Date(threats.created_at))}
                  more={formatLocal(new Date(threats.created_at))}
                  href="#/threats"
                />
              )}
              {catalogue?.created_at != null && (
                <Tile
                  name="Catalogue"
                  value={formatRelative(new Date(catalogue.created_at))}
                  more={formatLocal(new Date(catalogue.created_at))}
                  href="#/catalogue"
                />
              )}
            </div>
            <Panel>
              <LineChart
                title="Requests by minute, last hour"
                labels={steps.map(({ at }) => formatLocal(new Date(at)).slice(11))}
                series={[{ name: "Requests", values: steps.map(({ requests }) => requests) }]}
                area
                height={140}
              />
            </Panel>
          </>
        );
      }}
    </Loaded>
  );
}

function Tile({
  name,
  value,
  more,
  href,
}: {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly href: string;
}) {
  return (
    <a class="tile" href={href}>
      <p class="tile-name">{name}</p>
      <p class="tile-value">{value}</p>
      <p class="tile-more">{more}</p>
    </a>
  );
}

const MAX_RULESETS = 8;

function Rulesets() {
  const rulesets = useLoad((signal) =>
    get("/dashboard/api/edl/ip-rulesets/", { params: { query: { page_size: MAX_RULESETS } }, signal }),
  );
  return (
    <Panel title="Rulesets" actions={<a href="#/rulesets">All rulesets</a>} flush>
      <Loaded of={rulesets}>
        {({ items }) => (
          <Table
            caption="Rulesets"
            rows={items}
            keyOf={({ id }) => id}
            empty={<Empty icon="rulesets" title="No rulesets yet" />}
            columns={[
              {
                title: "Name",
                cell: ({ id, name }) => (
                  <a class="wrap" href={`#/rulesets/${id}`}>
                    {name}
                  </a>
                ),
              },
              { title: "Purpose", cell: ({ purpose }) => purpose },
              { title: "Active rules", kind: "number", cell: ({ active_rules }) => formatCount(active_rules) },
              { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} relative /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

const MAX_CHANGES = 6;

function LastChanges() {
  const changes: Loading<{
    items: { sequence: number; at: string; summary: string; actor: { name: string | null } }[];
  }> = useLoad((signal) => get("/dashboard/api/audit", { params: { query: { limit: MAX_CHANGES } }, signal }));
  return (
    <Panel title="Recent changes" actions={<a href="#/audit">Audit log</a>} flush>
      <Loaded of={changes}>
        {({ items }) => (
          <Table
            caption="Recent changes"
            rows={items.slice(0, MAX_CHANGES)}
            keyOf={({ sequence }) => sequence}
            empty={<Empty icon="audit" title="No changes yet" />}
            columns={[
              { title: "What", cell: ({ summary }) => <span class="wrap">{summary}</span> },
              { title: "Who", cell: ({ actor }) => actor.name },
              { title: "When", cell: ({ at }) => <Time at={at} relative /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
