import { useState } from "preact/hooks";
import { DeleteByName } from "../components/delete-by-name.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { Note } from "../components/states.tsx";
import { notify } from "../components/toasts.tsx";
import type { ExternalList, NewExternalList } from "../documents.ts";
import { INTERVALS } from "../intervals.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { eraseList, saveList, setCredentials } from "./lists-api.ts";

interface DialogProps {
  readonly onClose: () => void;
}

const FORMATS: Readonly<Record<ExternalList["format"], string>> = {
  text: "Text: one address or prefix per line",
  csv: "CSV: the first line names the columns",
  ndjson: "NDJSON: one JSON document per line",
};
/** A new list, or changes of one. */
export function EditList({
  list,
  onClose,
  onSaved,
}: DialogProps & { readonly list?: ExternalList; readonly onSaved: (list: ExternalList) => void }) {
  const send = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { name = "", url = "", format, schedule, max_change: change = "50", own } = values;
    const guards = { max_change: Number(change), never_block: own === "yes" };
    const draft = { name, url: url.trim(), format, schedule, ...guards } as NewExternalList;
    const saved = await saveList(draft, list?.id);
    onClose();
    notify(`"${saved.name}" saved. It is fetched within seconds.`);
    onSaved(saved);
  };
  return (
    <Dialog title={list === undefined ? "New external list" : "Edit list"} onClose={onClose}>
      <Form onSubmit={send} onCancel={onClose} submit={list === undefined ? "Add list" : "Save"}>
        <Field
          name="name"
          label="Name"
          defaultValue={list?.name ?? ""}
          maxLength={255}
          autocomplete="off"
          autofocus
          required
        />
        <Field
          name="url"
          label="URL"
          defaultValue={list?.url ?? ""}
          placeholder="https://feeds.example.net/drop.txt"
          maxLength={2000}
          autocomplete="off"
          required
          {...(list !== undefined && {
            hint: "If you change the host of the URL, the credentials of the list are removed.",
          })}
        />
        <Select name="format" label="Format" options={FORMATS} defaultValue={list?.format ?? "text"} />
        <Select name="schedule" label="Fetch every" options={INTERVALS} defaultValue={list?.schedule ?? "60m"} />
        <Field
          name="max_change"
          label="Maximum change, in %"
          type="number"
          min={0}
          defaultValue={String(list?.max_change ?? 50)}
          hint="A fetch that changes more of the list is refused until you accept it."
        />
        <Select
          name="own"
          label="What it lists"
          defaultValue={list?.never_block === true ? "yes" : "no"}
          options={{
            no: "Addresses for rulesets and deployments",
            yes: "Your own networks, never to be blocked",
          }}
        />
      </Form>
    </Dialog>
  );
}

const KINDS = { header: "A header, such as an API key", basic: "A user name and password", none: "None" };
type Kind = keyof typeof KINDS;

/** What the list is fetched with: it can be replaced, but not read. */
export function ListCredentials({
  list,
  onClose,
  onSaved,
}: DialogProps & { readonly list: ExternalList; readonly onSaved: () => void }) {
  const [kind, setKind] = useState<Kind>(list.auth?.type ?? "header");
  const send = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { username = "", password = "", header = "", value = "" } = values;
    await setCredentials(
      list.id,
      kind === "none"
        ? null
        : kind === "basic"
          ? { type: "basic", username, password }
          : { type: "header", header, value },
    );
    onClose();
    notify("Credentials saved.");
    onSaved();
  };
  return (
    <Dialog title="Credentials" onClose={onClose}>
      <Note>They are sent only to the host of the URL, never after a redirect, and cannot be shown again.</Note>
      <Form onSubmit={send} onCancel={onClose} submit="Save credentials">
        <Select
          name="kind"
          label="Sign in with"
          options={KINDS}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
        />
        {kind === "basic" && (
          <>
            <Field name="username" label="User name" autocomplete="off" required />
            <Field name="password" label="Password" type="password" autocomplete="off" required />
          </>
        )}
        {kind === "header" && (
          <>
            <Field name="header" label="Header" defaultValue="X-Api-Key" autocomplete="off" required />
            <Field name="value" label="Value" type="password" autocomplete="off" required />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** To delete a list, the user must type its name. */
export function DeleteList({ list: { id, name }, onClose }: DialogProps & { readonly list: ExternalList }) {
  const remove = async (): Promise<void> => {
    await eraseList(id);
    onClose();
    notify(`"${name}" deleted.`);
    navigate(hrefOf("/lists"));
  };
  return (
    <DeleteByName title="Delete this list?" name={name} action="Delete the list" onClose={onClose} onDelete={remove}>
      Deployments that use <strong class="wrap">{name}</strong> keep the lists they have published, and are not updated
      until you remove this list from their sources.
    </DeleteByName>
  );
}
