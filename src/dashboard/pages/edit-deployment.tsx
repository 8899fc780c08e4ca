import { useState } from "preact/hooks";
import { Field, Form, Select } from "../components/form.tsx";
import { AS_ORGANISATION, GuardClasses } from "../components/guard-classes.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { ProblemNote, Skeleton } from "../components/states.tsx";
import { notify } from "../components/toasts.tsx";
import { create, type Draft, fetchChoices, fetchDeployment } from "../deployments/deployments-api.ts";
import { DEVICE_TITLES, DEVICES } from "../deployments/devices.ts";
import { saveDraft } from "../deployments/draft-api.ts";
import { Limits } from "../deployments/limits.tsx";
import { LivePreview } from "../deployments/preview.tsx";
import { type Choices, SourceList } from "../deployments/source-list.tsx";
import type { Deployment } from "../documents.ts";
import { type Format, FORMAT_TITLES, FORMATS } from "../formats.ts";
import { INTERVALS } from "../intervals.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import "../deployments/deployments.css";

const NEW: Draft = {
  name: "",
  description: "",
  firewall_format: "text",
  device: "none",
  update_frequency: "15m",
  purpose: "blocklist",
  direction: "both",
  guard: "warn",
  guard_classes: null,
  include: [],
  exclude: [],
  options: {},
};

/** A new deployment, or changes of one, beside the list that it would have. */
export default function EditDeployment({ params, query }: PageProps) {
  const id = params["deployment_id"];
  const { data, problem, reload } = useLoad(
    async (signal) => ({
      choices: await fetchChoices(signal),
      ...(id === undefined ? { draft: draftFor(query.get("cti_query")), save: create } : await fetchEdited(id, signal)),
    }),
    [id],
  );
  const title = id === undefined ? "New deployment" : "Edit deployment";
  if (data === undefined)
    return (
      <Page title={title}>
        {problem === undefined ? <Skeleton lines={8} /> : <ProblemNote problem={problem} retry={reload} />}
      </Page>
    );
  return (
    <Page title={title} about={<a href={id === undefined ? "#/deployments" : `#/deployments/${id}`}>Back</a>}>
      <Editor id={id} before={data.draft} choices={data.choices} save={data.save} />
    </Page>
  );
}

/** A new deployment, of a query if one led here. */
function draftFor(query: string | null): Draft {
  return query === null ? NEW : { ...NEW, include: [{ cti_query: query }] };
}

/** A deployment as it is now, and how to save changes of it. */
async function fetchEdited(id: string, signal: AbortSignal) {
  const { deployment, tag } = await fetchDeployment(id, signal);
  return { draft: draftOf(deployment), save: (draft: Draft) => saveDraft(id, draft, tag) };
}

/** Only what users decide: a request may have nothing else. */
function draftOf(deployment: Draft): Draft {
  return Object.fromEntries(
    Object.keys(NEW).map((name) => [name, deployment[name as keyof Draft]]),
  ) as unknown as Draft;
}

interface EditorProps {
  readonly id: string | undefined;
  readonly before: Draft;
  readonly choices: Choices;
  readonly save: (draft: Draft) => Promise<Deployment>;
}

function Editor({ id, before, choices, save }: EditorProps) {
  const [draft, setDraft] = useState(before);
  const set = (changes: Partial<Draft>): void => setDraft((last) => ({ ...last, ...changes }));
  const submit = async (): Promise<void> => {
    const saved = await save(draft);
    notify(`"${saved.name}" saved. Devices get the list within seconds.`);
    navigate(hrefOf(`/deployments/${saved.id}`));
  };
  const back = (): void => navigate(hrefOf(id === undefined ? "/deployments" : `/deployments/${id}`));
  return (
    <div class="with-preview">
      <Panel>
        <Form
          onSubmit={submit}
          onCancel={back}
          submit={id === undefined ? "Create deployment" : "Save changes"}
          disabled={draft.include.length === 0 ? "Add a source under Include first." : undefined}
        >
          <About draft={draft} set={set} />
          <SourceList
            title="Include"
            hint="Addresses that devices get. At least one source is needed."
            sources={draft.include}
            choices={choices}
            onChange={(include) => set({ include })}
          />
          <SourceList
            title="Exclude"
            hint="Addresses that are never listed, whatever includes them."
            sources={draft.exclude}
            choices={choices}
            onChange={(exclude) => set({ exclude })}
          />
          <Limits options={draft.options} onChange={(options) => set({ options })} />
        </Form>
      </Panel>
      <LivePreview draft={draft} id={id} />
    </div>
  );
}

const PURPOSES = {
  blocklist: "Blocklist: addresses to block",
  allowlist: "Allowlist: addresses to allow",
  other: "Other",
};
const GUARDS = {
  warn: "Show a warning here",
  refuse: "Keep the previous list until someone approves it",
  carve: "Leave those addresses out",
  off: "Publish it without a warning",
};

/** The name, the device and the format. */
function About({ draft, set }: { readonly draft: Draft; readonly set: (changes: Partial<Draft>) => void }) {
  const { cannot } = FORMATS[draft.firewall_format];
  const choose = (device: Draft["device"]): void => {
    const format = DEVICES[device][1];
    set({ device, ...(format !== undefined && { firewall_format: format }) });
  };
  return (
    <>
      <Field
        name="name"
        label="Name"
        value={draft.name}
        maxLength={255}
        autocomplete="off"
        autofocus
        required
        onInput={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <Field
        name="description"
        label="Description"
        optional
        value={draft.description}
        maxLength={1000}
        autocomplete="off"
        onInput={({ currentTarget }) => set({ description: currentTarget.value })}
      />
      <Select
        name="device"
        label="Device"
        hint="Sets the format and limits. A list that is too long for the device is refused, never cut."
        options={DEVICE_TITLES}
        value={draft.device}
        onChange={({ currentTarget }) => choose(currentTarget.value as Draft["device"])}
      />
      <Select
        name="firewall_format"
        label="Format"
        hint={cannot}
        options={FORMAT_TITLES}
        value={draft.firewall_format}
        onChange={({ currentTarget }) => set({ firewall_format: currentTarget.value as Format })}
      />
      <Select
        name="purpose"
        label="Purpose"
        options={PURPOSES}
        value={draft.purpose}
        onChange={({ currentTarget }) => set({ purpose: currentTarget.value as Draft["purpose"] })}
      />
      {draft.purpose === "blocklist" && (
        <>
          <Select
            name="guard"
            label="If it would block services, allowed addresses or your own networks"
            options={GUARDS}
            value={draft.guard}
            onChange={({ currentTarget }) => set({ guard: currentTarget.value as Draft["guard"] })}
          />
          <GuardClasses
            classes={draft.guard_classes}
            otherwise={AS_ORGANISATION}
            onChange={(classes) => set({ guard_classes: classes })}
          />
        </>
      )}
      <Select
        name="update_frequency"
        label="Devices fetch every"
        options={INTERVALS}
        value={draft.update_frequency}
        onChange={({ currentTarget }) => set({ update_frequency: currentTarget.value as Draft["update_frequency"] })}
      />
    </>
  );
}
