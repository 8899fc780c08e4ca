import { useState } from "preact/hooks";
import { DeleteByName } from "../components/delete-by-name.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { ShownOnce } from "../components/shown-once.tsx";
import { notify } from "../components/toasts.tsx";
import type { EventKind, Webhook } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { createWebhook, eraseWebhook, rotateSecret, updateWebhook } from "./webhooks-api.ts";

interface DialogProps {
  readonly onClose: () => void;
}

const KINDS: Readonly<Record<EventKind, string>> = {
  "rule.created": "Rules were created",
  "rule.updated": "Rules were changed",
  "rule.deleted": "Rules were deleted",
  "rule.expired": "Rules have expired",
  "ruleset.created": "A ruleset was created",
  "ruleset.updated": "A ruleset was changed",
  "ruleset.deleted": "A ruleset was deleted",
  "deployment.generated": "A list was published",
  "deployment.refused": "A list was not published",
  "deployment.not_pulled": "Devices stopped fetching a list",
  "list.refreshed": "An external list has new content",
  "list.refused": "An external list failed or was refused",
  "catalogue.updated": "The catalogue was updated",
  "key.created": "An API key was created",
  "key.revoked": "An API key was revoked",
  "key.expiring": "An API key expires soon",
  "webhook.disabled": "The server stopped sending to an endpoint",
};
const ALL = Object.keys(KINDS) as EventKind[];

/** A new endpoint, whose secret is shown once, or changes of one. */
export function EditWebhook({
  webhook,
  onClose,
  onSaved,
}: DialogProps & { readonly webhook?: Webhook; readonly onSaved: () => void }) {
  const [kinds, setKinds] = useState<readonly EventKind[]>(webhook?.kinds ?? []);
  const [made, setMade] = useState<{ readonly webhook: Webhook; readonly secret: string }>();
  const send = async ({ url = "", description = "" }: Readonly<Record<string, string>>): Promise<void> => {
    const draft = { url: url.trim(), description, kinds: ALL.filter((kind) => kinds.includes(kind)) };
    if (webhook === undefined) setMade(await createWebhook(draft));
    else {
      await updateWebhook(webhook.id, draft);
      onClose();
      notify("Endpoint saved.");
    }
    onSaved();
  };
  if (made !== undefined)
    return <Secret title="The endpoint's secret" secret={made.secret} onClose={() => open(made.webhook, onClose)} />;
  return (
    <Dialog title={webhook === undefined ? "New endpoint" : "Edit endpoint"} onClose={onClose}>
      <Form
        onSubmit={send}
        onCancel={onClose}
        submit={webhook === undefined ? "Create endpoint" : "Save"}
        disabled={kinds.length === 0 ? "Choose an event first." : undefined}
      >
        <Field
          name="url"
          label="URL"
          defaultValue={webhook?.url ?? ""}
          placeholder="https://example.org/hooks/ipsieve"
          hint="Over https, at a public address; redirects are not followed."
          maxLength={2000}
          autocomplete="off"
          autofocus
          required
        />
        <Field
          name="description"
          label="Description"
          optional
          defaultValue={webhook?.description ?? ""}
          maxLength={1000}
          autocomplete="off"
        />
        <KindBoxes kinds={kinds} onChange={setKinds} />
      </Form>
    </Dialog>
  );
}

function open({ id }: Webhook, close: () => void): void {
  close();
  navigate(hrefOf(`/webhooks/${id}`));
}

function KindBoxes({
  kinds,
  onChange,
}: {
  readonly kinds: readonly EventKind[];
  readonly onChange: (kinds: readonly EventKind[]) => void;
}) {
  const areAll = kinds.length === ALL.length;
  return (
    <fieldset class="field">
      <legend class="field-name">Events</legend>
      <label class="check">
        <input type="checkbox" checked={areAll} onChange={() => onChange(areAll ? [] : ALL)} />
        All events
      </label>
      {ALL.map((kind) => (
        <label key={kind} class="check">
          <input
            type="checkbox"
            checked={kinds.includes(kind)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...kinds, kind] : kinds.filter((each) => each !== kind))
            }
          />
          <span>
            {KINDS[kind]} <code class="muted">{kind}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Secret({ title, secret, onClose }: DialogProps & { readonly title: string; readonly secret: string }) {
  return (
    <ShownOnce title={title} what="secret" why="it is stored encrypted" secret={secret} onClose={onClose}>
      <p class="muted">
        The receiver uses it to check that a message comes from this server, with any Standard Webhooks library.
      </p>
    </ShownOnce>
  );
}

const GRACE = { 24: "1 day", 1: "1 hour", 72: "3 days", 168: "7 days", 0: "None: only the new secret is used" };

/** The next secret, which is shown once. */
export function RotateSecret({
  webhook: { id },
  onClose,
  onRotated,
}: DialogProps & { readonly webhook: Webhook; readonly onRotated: () => void }) {
  const [secret, setSecret] = useState<string>();
  const replace = async ({ grace = "24" }: Readonly<Record<string, string>>): Promise<void> => {
    setSecret((await rotateSecret(id, Number(grace))).secret);
    onRotated();
  };
  if (secret !== undefined) return <Secret title="The new secret" secret={secret} onClose={onClose} />;
  return (
    <Dialog title="Replace the secret" onClose={onClose}>
      <Form onSubmit={replace} onCancel={onClose} submit="Replace" danger>
        <Select
          name="grace"
          label="Also sign with the old secret for"
          options={GRACE}
          defaultValue="24"
          hint="Give the receiver the new secret within this time. Secrets replaced earlier sign until their own ends, unless you choose None."
        />
      </Form>
    </Dialog>
  );
}

/** To delete an endpoint, the user must type its host. */
export function DeleteWebhook({ webhook: { id, url }, onClose }: DialogProps & { readonly webhook: Webhook }) {
  const remove = async (): Promise<void> => {
    await eraseWebhook(id);
    onClose();
    notify("Endpoint deleted.");
    navigate(hrefOf("/webhooks"));
  };
  return (
    <DeleteByName
      title="Delete this endpoint?"
      name={new URL(url).host}
      label="Type its host to delete it"
      action="Delete the endpoint"
      onClose={onClose}
      onDelete={remove}
    >
      <p>
        Nothing more is sent to <strong class="wrap">{url}</strong>. Its secret, its deliveries and its pending events
        are deleted too.
      </p>
    </DeleteByName>
  );
}
