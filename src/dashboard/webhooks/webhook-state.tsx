import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { Note } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Webhook } from "../documents.ts";
import { formatCounted } from "../format.ts";

const KINDS = { ok: "good", failing: "warning", disabled: "bad", inactive: "plain" } as const;
const NAMES = { ok: "ok", failing: "failing", disabled: "disabled", inactive: "paused" } as const;

export function HealthBadge({ status }: Pick<Webhook["health"], "status">) {
  return <Badge kind={KINDS[status]}>{NAMES[status]}</Badge>;
}

const REASONS: Readonly<Record<string, string>> = {
  gone: "it answered 410 Gone",
  failing: "nothing has succeeded for three days",
};

/** What the state means, and what to do; nothing if all is well. `children`: buttons that start it again. */
export function HealthNote({
  health,
  children,
}: {
  readonly health: Webhook["health"];
  readonly children: ComponentChildren;
}) {
  const { status, reason, disabled_at: at, failing_since: since, failed_attempts: attempts } = health;
  switch (status) {
    case "ok":
      return null;
    case "inactive":
      return <Note>The endpoint is paused: nothing is sent to it. {children}</Note>;
    case "disabled":
      return (
        <Note kind="bad">
          The server has stopped sending to it {at !== null && <Time at={at} relative />}, because{" "}
          {REASONS[reason ?? ""] ?? reason}. Fix the receiver, then start the endpoint again. {children}
        </Note>
      );
    case "failing":
      return (
        <Note kind="warning">
          Failing since {since !== null && <Time at={since} />}; {formatCounted(attempts, "attempt")} to send the next
          event so far
          {health.next_attempt_at !== null && (
            <>
              , the next one at <Time at={health.next_attempt_at} seconds />
            </>
          )}
          . Later events wait. The deliveries below say why.
        </Note>
      );
  }
}
