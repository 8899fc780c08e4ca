import { useState } from "preact/hooks";
import { post } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form, Select } from "../components/form.tsx";
import { notify } from "../components/toasts.tsx";
import { change, fetchDeployment } from "../deployments/deployments-api.ts";
import type { Explanation, Lookup } from "../documents.ts";
import { collateralText } from "../rulesets/collateral.ts";
import { announceChange } from "../rulesets/undo.ts";
import { deploymentsWith } from "./sentence.tsx";

const DAY = 86_400_000;

interface Props {
  readonly found: Lookup;
  readonly explained: Explanation;
  /** After something has been done. */
  readonly onDone: () => void;
}

type Action = "allow" | "block" | "exclude";

/** What can be done about the address, on its page. */
export function Actions({ found, explained, onDone }: Props) {
  const [action, setAction] = useState<Action>();
  const { ip, rulesets } = found;
  const blocking = deploymentsWith(explained, "blocklist");
  const lists = (purpose: string) => rulesets.filter((each) => each.purpose === purpose);
  const close = (): void => setAction(undefined);
  const done = (): void => {
    close();
    onDone();
  };
  return (
    <div class="row">
      {lists("allowlist").length > 0 && (
        <Button small onClick={() => setAction("allow")}>
          Allow
        </Button>
      )}
      {lists("blocklist").length > 0 && (
        <Button small onClick={() => setAction("block")}>
          Block for a day
        </Button>
      )}
      {blocking.length > 0 && (
        <Button small onClick={() => setAction("exclude")}>
          Exclude from a deployment
        </Button>
      )}
      {action === "exclude" ? (
        <Exclude ip={ip} deployments={blocking} onClose={close} onDone={done} />
      ) : (
        action !== undefined && (
          <AddTo
            ip={ip}
            action={action}
            rulesets={lists(action === "allow" ? "allowlist" : "blocklist")}
            onClose={close}
            onDone={done}
          />
        )
      )}
    </div>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface DialogProps {
  readonly ip: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const choicesOf = (some: readonly Named[]): Record<string, string> =>
  Object.fromEntries(some.map(({ id, name }) => [id, name]));

function AddTo({
  ip,
  action,
  rulesets,
  onClose,
  onDone,
}: DialogProps & { readonly action: "allow" | "block"; readonly rulesets: readonly Named[] }) {
  const isBlock = action === "block";
  const add = async ({ ruleset = "" }: Readonly<Record<string, string>>): Promise<void> => {
    const expiry = isBlock ? { expires_at: new Date(Date.now() + DAY).toISOString() } : {};
    const { rule, warnings } = await post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules", {
      params: { path: { ruleset_id: ruleset } },
      body: { ip, ...expiry },
    });
    onDone();
    await announceChange(`${rule.ip} is ${isBlock ? "blocked for a day" : "allowed"}.${collateralText(warnings)}`);
  };
  return (
    <Dialog title={isBlock ? `Block ${ip} for a day` : `Allow ${ip}`} onClose={onClose}>
      <Form onSubmit={add} onCancel={onClose} submit={isBlock ? "Block for a day" : "Allow"}>
        <Select name="ruleset" label={isBlock ? "Blocklist" : "Allowlist"} options={choicesOf(rulesets)} />
      </Form>
    </Dialog>
  );
}

function Exclude({ ip, deployments, onClose, onDone }: DialogProps & { readonly deployments: readonly Named[] }) {
  const exclude = async ({ deployment: id = "" }: Readonly<Record<string, string>>): Promise<void> => {
    const { deployment, tag } = await fetchDeployment(id, new AbortController().signal);
    await change(id, { exclude: [...deployment.exclude, { prefixes: [ip] }] }, tag);
    onDone();
    notify(`${ip} is excluded from ${deployment.name}.`);
  };
  return (
    <Dialog title={`Exclude ${ip} from a deployment`} onClose={onClose}>
      <Form onSubmit={exclude} onCancel={onClose} submit="Exclude">
        <Select
          name="deployment"
          label="Deployment"
          options={choicesOf(deployments)}
          hint="Excludes always win, whatever includes the address. Devices have the new list within their interval."
        />
      </Form>
    </Dialog>
  );
}
