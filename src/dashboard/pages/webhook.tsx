import { useState } from "preact/hooks";
import { Button, IconButton } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { ProblemNote, Skeleton } from "../components/states.tsx";
import { PreviousEnds, Time } from "../components/time.tsx";
import { notify, notifyProblem } from "../components/toasts.tsx";
import type { Webhook } from "../documents.ts";
import { formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { Deliveries, notifyOutcome } from "../webhooks/deliveries.tsx";
import { DeleteWebhook, EditWebhook, RotateSecret } from "../webhooks/webhook-dialogs.tsx";
import { HealthBadge, HealthNote } from "../webhooks/webhook-state.tsx";
import { fetchDeliveries, fetchWebhook, pause, sendTest, start } from "../webhooks/webhooks-api.ts";

/** One endpoint: whether messages arrive, what it gets, and what was sent. */
export default function OneWebhook({ params }: PageProps) {
  const id = params["webhook_id"]!;
  const { data: webhook, problem, reload: reloadWebhook } = useLoad((signal) => fetchWebhook(id, signal), [id]);
  const deliveries = useLoad((signal) => fetchDeliveries(id, signal), [id]);
  const reload = (): void => {
    reloadWebhook();
    deliveries.reload();
  };
  if (webhook === undefined)
    return (
      <Page title="Webhook">
        {problem === undefined ? <Skeleton lines={8} /> : <ProblemNote problem={problem} retry={reload} />}
      </Page>
    );
  return (
    <Page
      title={new URL(webhook.url).host}
      about={<About webhook={webhook} />}
      actions={<Actions webhook={webhook} reload={reload} />}
    >
      {problem !== undefined && <ProblemNote problem={problem} retry={reload} />}
      <HealthNote health={webhook.health}>
        <StartButtons webhook={webhook} reload={reload} />
      </HealthNote>
      <Facts webhook={webhook} />
      <Deliveries webhookId={id} deliveries={deliveries} />
    </Page>
  );
}

function About({ webhook: { description, health } }: { readonly webhook: Webhook }) {
  return (
    <span class="row">
      <a href="#/webhooks">Webhooks</a>
      <HealthBadge status={health.status} />
      {description !== "" && <bdi class="wrap">{description}</bdi>}
    </span>
  );
}

interface ActionProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
}

function Actions({ webhook, reload }: ActionProps) {
  const [opened, open] = useState<"edit" | "rotate" | "delete">();
  const [isTesting, setTesting] = useState(false);
  const close = (): void => open(undefined);
  const test = async (): Promise<void> => {
    setTesting(true);
    await sendTest(webhook.id).then(notifyOutcome, notifyProblem);
    setTesting(false);
    reload();
  };
  const isRunning = webhook.health.status === "ok" || webhook.health.status === "failing";
  return (
    <>
      <IconButton icon="trash" label="Delete the endpoint" onClick={() => open("delete")} />
      <Button icon="key" onClick={() => open("rotate")}>
        Replace the secret
      </Button>
      {isRunning && (
        <Button icon="close" onClick={() => askToPause(webhook, reload)}>
          Pause
        </Button>
      )}
      <Button icon="edit" onClick={() => open("edit")}>
        Edit
      </Button>
      <Button look="primary" icon="send" busy={isTesting} onClick={() => void test()}>
        Send a test
      </Button>
      {opened === "edit" && <EditWebhook webhook={webhook} onClose={close} onSaved={reload} />}
      {opened === "rotate" && <RotateSecret webhook={webhook} onClose={close} onRotated={reload} />}
      {opened === "delete" && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  );
}

function askToPause({ id, url }: Webhook, reload: () => void): void {
  confirm({
    title: "Pause this endpoint?",
    text: (
      <p>
        Nothing is sent to <strong class="wrap">{url}</strong> until you start it again. The events it misses can then
        be sent, as far back as changes are kept.
      </p>
    ),
    action: "Pause",
    run: async () => {
      await pause(id);
      notify("Endpoint paused.");
      reload();
    },
  });
}

/** Of an endpoint that is paused, or disabled by the server. */
function StartButtons({ webhook: { id }, reload }: ActionProps) {
  const startAgain = async (missed: "resume" | "skip"): Promise<void> => {
    await start(id, missed).then(() => notify("Endpoint started."), notifyProblem);
    reload();
  };
  return (
    <span class="row">
      <Button small onClick={() => void startAgain("resume")}>
        Start and send what it missed
      </Button>
      <Button small onClick={() => void startAgain("skip")}>
        Start without what it missed
      </Button>
    </span>
  );
}

function Facts({
  webhook: { url, kinds, created_at: created, previous_secrets: previous, health },
}: Pick<ActionProps, "webhook">) {
  return (
    <Panel title="Endpoint">
      <dl class="facts">
        <dt>URL</dt>
        <dd class="wrap">{url}</dd>
        <dt>Events</dt>
        <dd class="mono wrap">{kinds.join(", ")}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={created} />
        </dd>
        {previous.length > 0 && <dt>Previous secrets</dt>}
        {previous.length > 0 && (
          <dd>
            <PreviousEnds previous={previous} verb="also signs" />
          </dd>
        )}
        <dt>Last attempt</dt>
        <dd>{health.last_attempt_at === null ? "none" : <Time at={health.last_attempt_at} relative />}</dd>
        <dt>Last success</dt>
        <dd>{health.last_success_at === null ? "none" : <Time at={health.last_success_at} relative />}</dd>
        {health.given_up > 0 && <dt>Given up</dt>}
        {health.given_up > 0 && <dd>{formatCounted(health.given_up, "event")} after ten attempts each</dd>}
      </dl>
    </Panel>
  );
}
