import { useState } from "preact/hooks";
import { get, patch } from "../api.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { GuardClasses } from "../components/guard-classes.tsx";
import { Loaded } from "../components/states.tsx";
import { notify } from "../components/toasts.tsx";
import type { Guard } from "../documents.ts";
import { useLoad } from "../load.ts";

const PATH = "/dashboard/api/edl/guard";

/** What the guards of the organisation protect. */
export function OrganisationGuard({ onClose }: { readonly onClose: () => void }) {
  const guard = useLoad((signal) => get(PATH, { signal }), []);
  return (
    <Dialog title="What guards protect" onClose={onClose}>
      <p>
        Applies to rulesets and deployments that choose nothing else. Allowed addresses and your own networks are always
        protected.
      </p>
      <Loaded of={guard}>{(loaded) => <GuardForm guard={loaded} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}

function GuardForm({ guard, onClose }: { readonly guard: Guard; readonly onClose: () => void }) {
  const [classes, setClasses] = useState(guard.guard_classes);
  const save = async (): Promise<void> => {
    await patch(PATH, { body: { guard_classes: classes } });
    onClose();
    notify("Saved.");
  };
  return (
    <Form onSubmit={save} onCancel={onClose} submit="Save">
      <GuardClasses classes={classes} otherwise="The usual ones: all that serve, and clouds" onChange={setClasses} />
    </Form>
  );
}
