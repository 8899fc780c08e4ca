import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { DeleteByName } from "../components/delete-by-name.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form, Select } from "../components/form.tsx";
import { Note } from "../components/states.tsx";
import { PreviousEnds, Time } from "../components/time.tsx";
import { notify } from "../components/toasts.tsx";
import type { Deployment } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { GraceSelect } from "./grace-select.tsx";
import { erase, rotate } from "./deployments-api.ts";

interface DialogProps {
  readonly deployment: Deployment;
  readonly onClose: () => void;
}

const CREDENTIALS = {
  url: "URLs",
  password: "Password for HTTP Basic",
};

/** New URLs, or a new password, which is shown once. */
export function RotateDeployment({ deployment, onClose, onRotated }: DialogProps & { readonly onRotated: () => void }) {
  const [credential, setCredential] = useState<"url" | "password">("url");
  const [done, setDone] = useState<Awaited<ReturnType<typeof rotate>>>();
  const replace = async ({ grace = "24" }: Readonly<Record<string, string>>): Promise<void> => {
    setDone(await rotate(deployment.id, credential, Number(grace)));
    onRotated();
  };
  if (done !== undefined) return <Rotated {...{ deployment, done, onClose }} />;
  return (
    <Dialog title="Replace credentials" onClose={onClose}>
      <Form onSubmit={replace} onCancel={onClose} submit="Replace" danger>
        <Select
          name="credential"
          label="Replace"
          options={CREDENTIALS}
          value={credential}
          onChange={({ currentTarget }) => setCredential(currentTarget.value as "url" | "password")}
        />
        {credential === "url" ? (
          <GraceSelect />
        ) : (
          <Note kind="warning">
            The old password stops working immediately. Some devices stop blocking when the server rejects them.
          </Note>
        )}
      </Form>
    </Dialog>
  );
}

function Rotated({
  deployment: { id },
  done: { password, previous_urls: previous },
  onClose,
}: DialogProps & { readonly done: Awaited<ReturnType<typeof rotate>> }) {
  return (
    <Dialog title={password === null ? "URLs replaced" : "The new password"} onClose={onClose}>
      {password === null ? (
        <Note kind="good">
          Copy the new URLs to your devices.
          {previous.length === 0 ? (
            " The old URLs no longer work."
          ) : (
            <>
              {" Old URLs that still work:"}
              <PreviousEnds previous={previous} verb="work" />
            </>
          )}
        </Note>
      ) : (
        <>
          <Note kind="warning">Copy the password now. It cannot be shown again: only its hash is stored.</Note>
          <div class="secret">
            <code>{password}</code>
            <CopyButton text={password} label="Copy password" />
          </div>
          <p class="muted wrap">
            Use it with any user name, at <code>{`${location.origin}/feeds/${id}/`}</code> followed by the file name.
          </p>
        </>
      )}
      <footer class="dialog-foot">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

/** To delete a deployment, the user must type its name. */
export function DeleteDeployment({ deployment, tag, onClose }: DialogProps & { readonly tag: string }) {
  const { id, name, last_accessed: at } = deployment;
  const remove = async (): Promise<void> => {
    await erase(id, tag);
    onClose();
    notify(`"${name}" deleted.`);
    navigate(hrefOf("/deployments"));
  };
  return (
    <DeleteByName
      title="Delete this deployment?"
      name={name}
      action="Delete the deployment"
      onClose={onClose}
      onDelete={remove}
    >
      <p>
        Devices that fetch <strong class="wrap">{name}</strong> will get 410 Gone. Some keep their last list, some stop
        blocking.{" "}
        {at === null ? (
          "No device has fetched it yet."
        ) : (
          <>
            Last pull: <Time at={at} relative />.
          </>
        )}
      </p>
    </DeleteByName>
  );
}
