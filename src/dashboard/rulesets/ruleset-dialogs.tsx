import { useState } from "preact/hooks";
import { patch, post, remove } from "../api.ts";
import { DeleteByName } from "../components/delete-by-name.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { AS_ORGANISATION, GuardClasses } from "../components/guard-classes.tsx";
import { formatCounted } from "../format.ts";
import type { Ruleset } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { carryList } from "./carried-list.ts";
import { announceChange } from "./undo.ts";

type Classes = Ruleset["guard_classes"];

interface DialogProps {
  readonly onClose: () => void;
}

const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1000;

/** `list`: what to import into it. */
export function CreateRuleset({ list, onClose }: DialogProps & { readonly list?: string }) {
  const [purpose, setPurpose] = useState<Ruleset["purpose"]>("blocklist");
  const [classes, setClasses] = useState<Classes>(null);
  const create = async ({
    name = "",
    description = "",
    ...values
  }: Readonly<Record<string, string>>): Promise<void> => {
    const made = await post("/dashboard/api/edl/ip-rulesets/", {
      body: { name, purpose, description, ...guardIn(values, classes) },
    });
    if (list !== undefined) carryList(list);
    navigate(hrefOf(`/rulesets/${made.id}${list === undefined ? "" : "/import"}`));
    await announceChange(`"${made.name}" created.`);
  };
  return (
    <Dialog title="New ruleset" onClose={onClose}>
      <Form onSubmit={create} onCancel={onClose} submit="Create ruleset">
        <Field name="name" label="Name" maxLength={MAX_NAME_LENGTH} autocomplete="off" autofocus required />
        <Select
          name="purpose"
          label="Purpose"
          hint="The purpose cannot be changed later."
          options={{
            blocklist: "Blocklist: addresses to block",
            allowlist: "Allowlist: addresses to allow",
          }}
          value={purpose}
          onChange={({ currentTarget }) => setPurpose(currentTarget.value as Ruleset["purpose"])}
        />
        <Field name="description" label="Description" optional maxLength={MAX_DESCRIPTION_LENGTH} autocomplete="off" />
        <GuardField purpose={purpose} guard="warn" guard_classes={classes} never_block={false} onClasses={setClasses} />
      </Form>
    </Dialog>
  );
}

const GUARDS: Readonly<Record<Ruleset["guard"], string>> = {
  warn: "Add it and show a warning",
  refuse: "Reject it",
  carve: "Leave those addresses out of lists, reject single rules",
  off: "Add it without a warning",
};

/** What protects: the guard of a blocklist, or whether an allowlist has the own networks. */
function GuardField({
  purpose,
  guard,
  guard_classes: classes,
  never_block: isOwn,
  onClasses,
}: Pick<Ruleset, "purpose" | "guard" | "guard_classes" | "never_block"> & {
  readonly onClasses: (classes: Classes) => void;
}) {
  if (purpose === "allowlist")
    return (
      <Select
        name="own"
        label="What it lists"
        defaultValue={isOwn ? "yes" : "no"}
        options={{ no: "Addresses to allow", yes: "Your own networks, never to be blocked" }}
      />
    );
  return (
    <>
      <Select
        name="guard"
        label="If a new rule would block services, allowed addresses or your own networks"
        defaultValue={guard}
        options={GUARDS}
      />
      <GuardClasses {...{ classes }} otherwise={AS_ORGANISATION} onChange={onClasses} />
    </>
  );
}

/** What the fields say. */
function guardIn(
  { guard, own }: Readonly<Record<string, string>>,
  classes: Classes,
): Partial<Pick<Ruleset, "guard" | "guard_classes" | "never_block">> {
  if (guard === undefined) return { never_block: own === "yes" };
  return { guard: guard as Ruleset["guard"], guard_classes: classes };
}

export function EditRuleset({ ruleset, onClose }: DialogProps & { readonly ruleset: Ruleset }) {
  const [classes, setClasses] = useState(ruleset.guard_classes);
  const edit = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { name = "", description = "" } = values;
    await patch("/dashboard/api/edl/ip-rulesets/{ruleset_id}", {
      params: { path: { ruleset_id: ruleset.id } },
      body: { name, description, ...guardIn(values, classes) },
    });
    onClose();
    await announceChange(`"${name}" saved.`);
  };
  return (
    <Dialog title="Name and description" onClose={onClose}>
      <Form onSubmit={edit} onCancel={onClose} submit="Save">
        <Field
          name="name"
          label="Name"
          defaultValue={ruleset.name}
          maxLength={MAX_NAME_LENGTH}
          autocomplete="off"
          autofocus
          required
        />
        <Field
          name="description"
          label="Description"
          optional
          defaultValue={ruleset.description}
          maxLength={MAX_DESCRIPTION_LENGTH}
          autocomplete="off"
        />
        <GuardField {...ruleset} guard_classes={classes} onClasses={setClasses} />
      </Form>
    </Dialog>
  );
}

/** To delete a ruleset, the user must type its name. */
export function DeleteRuleset({
  ruleset,
  onClose,
  onDeleted,
}: DialogProps & { readonly ruleset: Ruleset; readonly onDeleted?: () => void }) {
  const erase = async (): Promise<void> => {
    await remove("/dashboard/api/edl/ip-rulesets/{ruleset_id}", { params: { path: { ruleset_id: ruleset.id } } });
    onClose();
    onDeleted?.();
    await announceChange(`"${ruleset.name}" deleted.`);
  };
  return (
    <DeleteByName
      title="Delete this ruleset?"
      name={ruleset.name}
      action="Delete the ruleset"
      onClose={onClose}
      onDelete={erase}
    >
      <p>
        This deletes <strong class="wrap">{ruleset.name}</strong> and its {formatCounted(ruleset.total_rules, "rule")}.
        Firewalls that fetch it will no longer receive a list.
      </p>
    </DeleteByName>
  );
}
