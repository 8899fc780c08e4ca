import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form } from "../components/form.tsx";
import { Note } from "../components/states.tsx";
import type { ShrinkProblem } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";

/** What a replacement that removes too much would do, in words. */
export function shrinkText(shrink: ShrinkProblem): string {
  const { removed, total_rules, removed_percent, max_shrink } = shrink;
  if (isEmptied(shrink))
    return `The list has no rules. It would remove ${formatAll(total_rules)} and leave the ruleset empty.`;
  return `The list would remove ${formatCount(removed)} of ${formatCounted(total_rules, "rule")}, which is ${removed_percent} %. Removing more than ${max_shrink} % needs your confirmation.`;
}

function formatAll(rules: number): string {
  return rules === 1 ? "the only rule" : `all ${formatCount(rules)} rules`;
}

/** Whether the list is empty; other lists may also remove all rules and add their own. */
function isEmptied({ added, updated, unchanged }: ShrinkProblem): boolean {
  return added + updated + unchanged === 0;
}

/** The parameters that allow the server to remove that much, and no more. */
export interface ShrinkPermission {
  readonly allow_empty?: boolean;
  readonly max_shrink?: number;
}

function permissionOf(shrink: ShrinkProblem): ShrinkPermission {
  return isEmptied(shrink) ? { allow_empty: true } : { max_shrink: shrink.removed_percent };
}

interface Props {
  readonly shrink: ShrinkProblem;
  readonly onClose: () => void;
  /** Does it; if it rejects, the dialog shows the error. */
  readonly onAgreed: (permission: ShrinkPermission) => Promise<unknown>;
}

/** To remove many rules, the user must type how many. */
export function ConfirmShrink({ shrink, onClose, onAgreed }: Props) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title="Remove this many rules?" onClose={onClose}>
      <Note kind="warning">
        <p>{shrinkText(shrink)} Firewalls that fetch the ruleset will receive only the rest.</p>
      </Note>
      <Form
        onSubmit={() => onAgreed(permissionOf(shrink))}
        onCancel={onClose}
        submit={`Remove ${formatCounted(shrink.removed, "rule")}`}
        danger
        disabled={numberIn(typed) === shrink.removed ? undefined : "Type the number first."}
      >
        <Field
          name="typed"
          label="Type the number of rules to remove"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          placeholder={formatCount(shrink.removed)}
          autocomplete="off"
          autofocus
        />
      </Form>
    </Dialog>
  );
}

/** With or without thousands separators. */
function numberIn(text: string): number {
  const digits = text.replaceAll(/[\s,.'’\u202f]/g, "");
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}
