import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { actionsOf, askToRevoke, CREATED, LABEL, STATE } from "../credentials/credential-parts.tsx";
import { useLoad } from "../load.ts";
import { hasRole } from "../session.ts";
import { NewBouncer, NewEdgeComponent } from "./enforcer-dialogs.tsx";
import { type Enforcer, fetchEnforcers, revoke } from "./enforcers-api.ts";

/** The CrowdSec bouncers and edge components of a deployment, and their credentials. `server`: its URL. */
export function Enforcers({ deploymentId, server }: { readonly deploymentId: string; readonly server: string }) {
  const enforcers = useLoad((signal) => fetchEnforcers(deploymentId, signal), [deploymentId]);
  const [opened, open] = useState<"bouncer" | "edge">();
  const New = opened === "bouncer" ? NewBouncer : NewEdgeComponent;
  const create = hasRole("admin") && (
    <>
      <Button small icon="plus" onClick={() => open("bouncer")}>
        New bouncer key
      </Button>
      <Button small icon="plus" onClick={() => open("edge")}>
        New edge token
      </Button>
    </>
  );
  return (
    <Panel title="Bouncers and edge components" actions={create}>
      <Loaded of={enforcers}>
        {(items) => (
          <Table
            caption="Bouncers and edge components"
            columns={columnsOf(enforcers.reload)}
            rows={items}
            keyOf={({ id }) => id}
            isFaded={({ state }) => state === "revoked"}
            empty={
              <Empty icon="key" title="No bouncers or edge components yet">
                CrowdSec bouncers, and components in front of web applications, follow the list on their own and report
                what they block.
              </Empty>
            }
          />
        )}
      </Loaded>
      {opened !== undefined && (
        <New {...{ deploymentId, server }} onClose={() => open(undefined)} onCreated={enforcers.reload} />
      )}
    </Panel>
  );
}

function columnsOf(reload: () => void): Column<Enforcer>[] {
  return [
    LABEL,
    { title: "Kind", cell: (enforcer) => <Kind {...enforcer} /> },
    STATE,
    CREATED,
    { title: "Last pull", cell: (enforcer) => <LastPull {...enforcer} /> },
    ...actionsOf<Enforcer>((enforcer) =>
      askToRevoke(enforcer, { ...REVOCATIONS[enforcer.kind], run: () => revoke(enforcer) }, reload),
    ),
  ];
}

function Kind(enforcer: Enforcer) {
  if (enforcer.kind === "edge")
    return (
      <div>
        Edge component <code class="wrap">{enforcer.component_type}</code>
      </div>
    );
  return (
    <div>
      Bouncer <code title="First characters of the key">{enforcer.start}…</code>
      {enforcer.hosts_only && ", single addresses only"}
    </div>
  );
}

/**
 * Pulls of edge components are listed with those of the deployment. With a key that is revoked, the record of what its
 * bouncer received is gone.
 */
function LastPull(enforcer: Enforcer) {
  if (enforcer.state === "revoked") return <span class="muted">-</span>;
  if (enforcer.kind === "edge") return <span class="muted">see Pulls</span>;
  if (enforcer.last_pulled_at === null) return <span class="muted">never</span>;
  return (
    <span title={enforcer.user_agent}>
      <Time at={enforcer.last_pulled_at} relative />
    </span>
  );
}

const REVOCATIONS: Readonly<Record<Enforcer["kind"], { readonly what: string; readonly text: string }>> = {
  bouncer: {
    what: "key",
    text: "The bouncer gets 403 from now on; it keeps its current blocks until they expire.",
  },
  edge: { what: "token", text: "The component gets 401 from now on; it keeps its current list." },
};
