import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, LabelField, Select } from "../components/form.tsx";
import { ShownOnce } from "../components/shown-once.tsx";
import { createBouncer, createEdgeComponent } from "./enforcers-api.ts";
import { ToPaste } from "./to-paste.tsx";

interface Props {
  readonly deploymentId: string;
  /** The URL of the server, as programs reach it. */
  readonly server: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

const RANGES = {
  all: "Ranges and single addresses",
  hosts: "Single addresses only",
};

/** A key for a CrowdSec bouncer, with what its configuration needs. */
export function NewBouncer({ deploymentId, server, onClose, onCreated }: Props) {
  const [made, setMade] = useState<Awaited<ReturnType<typeof createBouncer>>>();
  const create = async ({ label = "", ranges }: Readonly<Record<string, string>>): Promise<void> => {
    setMade(await createBouncer(deploymentId, label, ranges === "hosts"));
    onCreated();
  };
  if (made !== undefined)
    return (
      <ShownOnce
        title={`The key "${made.bouncer.label}"`}
        what="key"
        why="only its hash is stored"
        secret={made.text}
        onClose={onClose}
      >
        <ToPaste
          steps={[
            {
              where: "Set these two lines in the bouncer's configuration",
              text: `api_url: ${server}/\napi_key: ${made.text}`,
            },
          ]}
        />
        <p class="muted">
          Use the key for one bouncer only. For crowdsec-firewall-bouncer, set <code>mode: iptables</code>; its{" "}
          <code>mode: nftables</code> blocks only the first address of a range.
        </p>
      </ShownOnce>
    );
  return (
    <Dialog title="New bouncer key" onClose={onClose}>
      <Form onSubmit={create} onCancel={onClose} submit="Create key">
        <LabelField hint="Where the bouncer runs, for example the name of a firewall." />
        <Select
          name="ranges"
          label="Sends"
          options={RANGES}
          defaultValue="all"
          hint="Single addresses are for bouncers that ignore ranges, as CrowdSec's plugin for Traefik does in stream mode, or their length: ranges of up to 256 addresses are sent as their addresses, wider ones are left out."
        />
      </Form>
    </Dialog>
  );
}

/** A bootstrap token for an edge component. */
export function NewEdgeComponent({ deploymentId, server, onClose, onCreated }: Props) {
  const [made, setMade] = useState<Awaited<ReturnType<typeof createEdgeComponent>>>();
  const create = async ({ label = "", component_type: type = "" }: Readonly<Record<string, string>>): Promise<void> => {
    setMade(await createEdgeComponent(deploymentId, label, type.trim()));
    onCreated();
  };
  if (made !== undefined)
    return (
      <ShownOnce
        title={`The token "${made.component.label}"`}
        what="token"
        why="it is not stored"
        secret={made.bootstrap_token}
        onClose={onClose}
      >
        <p class="muted">
          Set it as the bootstrap token of the component, which uses it to find this server. To try it:
        </p>
        <ToPaste
          steps={[
            {
              where: "In a shell",
              text: `curl ${server}/api/v1/edl/bootstrap --json '${JSON.stringify({ bootstrap_token: made.bootstrap_token })}'`,
            },
          ]}
        />
      </ShownOnce>
    );
  return (
    <Dialog title="New edge token" onClose={onClose}>
      <Form onSubmit={create} onCancel={onClose} submit="Create token">
        <LabelField hint="Where the component runs, for example the name of a proxy." />
        <Field
          name="component_type"
          label="Component type"
          defaultValue="ellio_traefik_middleware_plugin"
          hint="The component's own name for its type: it accepts only tokens of that type."
          maxLength={32}
          autocomplete="off"
          required
        />
      </Form>
    </Dialog>
  );
}
