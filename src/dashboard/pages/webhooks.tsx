import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { NameCell } from "../components/name-cell.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import type { Webhook } from "../documents.ts";
import { formatCount } from "../format.ts";
import { useLoad } from "../load.ts";
import { EditWebhook } from "../webhooks/webhook-dialogs.tsx";
import { HealthBadge } from "../webhooks/webhook-state.tsx";
import { fetchWebhooks } from "../webhooks/webhooks-api.ts";

/** All endpoints that events are sent to, and whether they arrive. */
export default function Webhooks() {
  const webhooks = useLoad(fetchWebhooks);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      about="Messages to other programs within seconds of a change: rules, lists, keys and the catalogue."
      actions={
        <>
          <Button icon="refresh" busy={webhooks.isLoading && webhooks.data !== undefined} onClick={webhooks.reload}>
            Refresh
          </Button>
          {create}
        </>
      }
    >
      <Panel flush>
        <Loaded of={webhooks}>
          {(items) => (
            <Table
              caption="Endpoints"
              columns={COLUMNS}
              rows={items}
              keyOf={({ id }) => id}
              isFaded={({ health: { status } }) => status === "inactive"}
              empty={
                <Empty icon="send" title="No endpoints yet">
                  An endpoint is the URL of a program to notify of changes, such as a chat or a SIEM. {create}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {isCreating && <EditWebhook onClose={() => setCreating(false)} onSaved={webhooks.reload} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: "Endpoint",
    cell: ({ id, url, description }) => <NameCell name={url} href={`#/webhooks/${id}`} note={description} />,
  },
  { title: "State", cell: ({ health }) => <HealthBadge status={health.status} /> },
  { title: "Kinds of events", kind: "number", cell: ({ kinds }) => formatCount(kinds.length) },
  {
    title: "Last success",
    cell: ({ health: { last_success_at: at } }) =>
      at === null ? <span class="muted">never</span> : <Time at={at} relative />,
  },
  { title: "Given up", kind: "number", cell: ({ health }) => formatCount(health.given_up) },
];
