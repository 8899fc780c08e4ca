import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { notify, notifyProblem } from "../components/toasts.tsx";
import type { SentWebhookDelivery, WebhookDelivery } from "../documents.ts";
import { formatCount } from "../format.ts";
import { type Loading, useLoad } from "../load.ts";
import { fetchDelivery, resend } from "./webhooks-api.ts";

const OUTCOMES = { delivered: "good", failed: "warning", "given-up": "bad" } as const;
const NAMES = { delivered: "delivered", failed: "failed", "given-up": "given up" } as const;

/** Reports whether a message that a user sent was delivered. */
export function notifyOutcome({ outcome, status, error, milliseconds }: WebhookDelivery): void {
  if (outcome === "delivered") notify(`Delivered: status ${status} after ${formatCount(milliseconds)} ms.`);
  else notifyProblem(new Error(`Not delivered: ${error}.`));
}

/** What was sent to an endpoint, newest first. */
export function Deliveries({
  webhookId,
  deliveries,
}: {
  readonly webhookId: string;
  readonly deliveries: Loading<WebhookDelivery[]>;
}) {
  const [shown, show] = useState<string>();
  const [sending, setSending] = useState<string>();
  const sendAgain = async (id: string): Promise<void> => {
    setSending(id);
    await resend(webhookId, id).then(notifyOutcome, notifyProblem);
    setSending(undefined);
    deliveries.reload();
  };
  return (
    <Panel
      title="Deliveries"
      actions={
        <Button small icon="refresh" onClick={deliveries.reload}>
          Refresh deliveries
        </Button>
      }
    >
      <Loaded of={deliveries}>
        {(items) => (
          <Table
            caption="Deliveries"
            columns={[
              ...COLUMNS,
              {
                title: "Actions",
                kind: "actions",
                cell: ({ id, type }) => (
                  <span class="row-actions">
                    <Button small aria-label={`Show what was sent: ${type}`} onClick={() => show(id)}>
                      Show
                    </Button>
                    <Button
                      small
                      busy={sending === id}
                      aria-label={`Send again: ${type}`}
                      onClick={() => void sendAgain(id)}
                    >
                      Send again
                    </Button>
                  </span>
                ),
              },
            ]}
            rows={items}
            keyOf={({ id }) => id}
            empty={
              <Empty icon="send" title="Nothing sent yet">
                Each attempt to send an event is listed here, with what the receiver answered.
              </Empty>
            }
          />
        )}
      </Loaded>
      {shown !== undefined && <Message webhookId={webhookId} deliveryId={shown} onClose={() => show(undefined)} />}
    </Panel>
  );
}

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: "Time", cell: ({ at }) => <Time at={at} seconds /> },
  {
    title: "Event",
    cell: ({ type, cause, attempt }) => (
      <div>
        <code class="wrap">{type}</code>
        {cause === "resend" && <span class="muted"> sent again</span>}
        {attempt > 1 && <span class="muted"> (attempt {attempt})</span>}
      </div>
    ),
  },
  {
    title: "Outcome",
    cell: ({ outcome, error }) => (
      <div>
        <Badge kind={OUTCOMES[outcome]}>{NAMES[outcome]}</Badge>
        {error !== "" && <p class="muted small wrap">{error}</p>}
      </div>
    ),
  },
  { title: "Status", kind: "number", cell: ({ status }) => status ?? <span class="muted">none</span> },
  { title: "Milliseconds", kind: "number", cell: ({ milliseconds }) => formatCount(milliseconds) },
];

function Message({
  webhookId,
  deliveryId,
  onClose,
}: {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
}) {
  const sent = useLoad((signal) => fetchDelivery(webhookId, deliveryId, signal), [deliveryId]);
  return (
    <Dialog title="What was sent" wide onClose={onClose}>
      <Loaded of={sent}>{(delivery) => <Sent {...delivery} />}</Loaded>
      <footer class="dialog-foot">
        {sent.data !== undefined && <CopyButton text={sent.data.body} label="Copy body" />}
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

function Sent({ message_id: id, at, body }: SentWebhookDelivery) {
  return (
    <>
      <dl class="facts">
        <dt>webhook-id</dt>
        <dd>
          <code class="wrap">{id}</code>
        </dd>
        <dt>Time</dt>
        <dd>
          <Time at={at} seconds />
        </dd>
      </dl>
      <pre class="scroll" tabIndex={0} role="region" aria-label="Body">
        <code>{indented(body)}</code>
      </pre>
    </>
  );
}

/** Bodies are sent without line breaks. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
