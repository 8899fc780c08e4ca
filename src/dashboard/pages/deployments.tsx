import { Button, ButtonLink } from "../components/button.tsx";
import { NameCell } from "../components/name-cell.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { fetchDeployments } from "../deployments/deployments-api.ts";
import { StateBadge } from "../deployments/state.tsx";
import type { Deployment } from "../documents.ts";
import { formatCount } from "../format.ts";
import { FORMATS } from "../formats.ts";
import { useLoad } from "../load.ts";
import { hasRole } from "../session.ts";
import "../deployments/deployments.css";

/** All deployments, with what devices get of them. */
export default function Deployments() {
  const deployments = useLoad(fetchDeployments);
  const create = hasRole("editor") && (
    <ButtonLink look="primary" icon="plus" href="#/deployments/new">
      New deployment
    </ButtonLink>
  );
  return (
    <Page
      title="Deployments"
      about="Lists at URLs that firewalls and programs fetch: rulesets, services and threat intelligence, minus what you exclude."
      actions={
        <>
          <Button
            icon="refresh"
            busy={deployments.isLoading && deployments.data !== undefined}
            onClick={deployments.reload}
          >
            Refresh
          </Button>
          {create}
        </>
      }
    >
      <Panel flush>
        <Loaded of={deployments}>
          {(items) => (
            <Table
              caption="Deployments"
              columns={COLUMNS}
              rows={items}
              keyOf={({ id }) => id}
              isFaded={({ active }) => !active}
              empty={
                <Empty icon="download" title="No deployments yet">
                  A deployment is a list at a URL, in the format your firewall reads, kept up to date within seconds.{" "}
                  {create}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

const COLUMNS: readonly Column<Deployment>[] = [
  {
    title: "Name",
    cell: ({ id, name, description }) => <NameCell name={name} href={`#/deployments/${id}`} note={description} />,
  },
  { title: "Format", cell: ({ firewall_format: format }) => FORMATS[format].title },
  { title: "State", cell: (deployment) => <StateBadge deployment={deployment} /> },
  {
    title: "Entries",
    kind: "number",
    cell: ({ ipv4_entries_count: four, ipv6_entries_count: six }) => formatCount(four + six),
  },
  {
    title: "Last pull",
    cell: ({ last_accessed: at }) => (at === null ? <span class="muted">never</span> : <Time at={at} relative />),
  },
];
