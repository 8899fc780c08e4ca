import { Field, LabelField, Select } from "../components/form.tsx";
import { NewCredential } from "../credentials/credential-parts.tsx";
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
export function NewBouncer({ deploymentId, server, ...props }: Props) {
  return (
    <NewCredential
      title="New bouncer key"
      submit="Create key"
      create={({ label = "", ranges }) => createBouncer(deploymentId, label, ranges === "hosts")}
      shown={({ bouncer, text }) => ({
        title: `The key "${bouncer.label}"`,
        what: "key",
        why: "only its hash is stored",
        secret: text,
        children: (
          <>
            <ToPaste
              steps={[
                {
                  where: "Set these two lines in the bouncer's configuration",
                  text: `api_url: ${server}/\napi_key: ${text}`,
                },
              ]}
            />
            <p class="muted">
              Use the key for one bouncer only. For crowdsec-firewall-bouncer, set <code>mode: iptables</code>; its{" "}
              <code>mode: nftables</code> blocks only the first address of a range.
            </p>
          </>
        ),
      })}
      {...props}
    >
      <LabelField hint="Where the bouncer runs, for example the name of a firewall." />
      <Select
        name="ranges"
        label="Sends"
        options={RANGES}
        defaultValue="all"
        hint="Single addresses are for bouncers that ignore ranges, as CrowdSec's plugin for Traefik does in stream mode, or their length: ranges of up to 256 addresses are sent as their addresses, wider ones are left out."
      />
    </NewCredential>
  );
}

/** A bootstrap token for an edge component. */
export function NewEdgeComponent({ deploymentId, server, ...props }: Props) {
  return (
    <NewCredential
      title="New edge token"
      submit="Create token"
      create={({ label = "", component_type: type = "" }) => createEdgeComponent(deploymentId, label, type.trim())}
      shown={({ component, bootstrap_token: token }) => ({
        title: `The token "${component.label}"`,
        what: "token",
        why: "it is not stored",
        secret: token,
        children: (
          <>
            <p class="muted">
              Set it as the bootstrap token of the component, which uses it to find this server. To try it:
            </p>
            <ToPaste
              steps={[
                {
                  where: "In a shell",
                  text: `curl ${server}/api/v1/edl/bootstrap --json '${JSON.stringify({ bootstrap_token: token })}'`,
                },
              ]}
            />
          </>
        ),
      })}
      {...props}
    >
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
    </NewCredential>
  );
}
