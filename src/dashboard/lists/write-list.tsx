import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { ProblemNote, Skeleton } from "../components/states.tsx";
import { notify } from "../components/toasts.tsx";
import type { ExternalList, Ruleset } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { collateralText } from "../rulesets/collateral.ts";
import { ConflictModes } from "../rulesets/conflict-modes.tsx";
import { type ConflictMode, fetchRulesets } from "../rulesets/rules-api.ts";
import { writeList } from "./lists-api.ts";

interface WriteProps {
  readonly list: ExternalList;
  readonly onClose: () => void;
}

/** Writes the entries of a list into a ruleset, as rules that expire. */
export function WriteList({ list, onClose }: WriteProps) {
  const { data: rulesets, problem, reload } = useLoad(fetchRulesets, []);
  return (
    <Dialog title="Write into a ruleset" onClose={onClose}>
      {rulesets !== undefined ? (
        <WriteForm list={list} rulesets={rulesets} onClose={onClose} />
      ) : problem === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <ProblemNote problem={problem} retry={reload} />
      )}
    </Dialog>
  );
}

function WriteForm({ list, rulesets, onClose }: WriteProps & { readonly rulesets: readonly Ruleset[] }) {
  const [mode, setMode] = useState<ConflictMode>("extend");
  const send = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { ruleset_id = "", expires_in_days: days = "" } = values;
    const how = { expires_in_days: Number(days), conflict_resolution: mode };
    const { created, updated, warnings } = await writeList(list.id, { ruleset_id, ...how });
    onClose();
    const counts = `${formatCounted(created, "rule")} added, ${formatCount(updated)} changed.`;
    notify(`${counts}${collateralText(warnings)}`);
    navigate(hrefOf(`/rulesets/${ruleset_id}`));
  };
  return (
    <Form
      onSubmit={send}
      onCancel={onClose}
      submit="Write rules"
      disabled={rulesets.length === 0 ? "There is no ruleset to write to." : undefined}
    >
      <Select
        name="ruleset_id"
        label="Ruleset"
        hint="Its guard applies. The rules are named after the list."
        options={Object.fromEntries(rulesets.map(({ id, name, purpose }) => [id, `${name} (${purpose})`]))}
      />
      <Field
        name="expires_in_days"
        label="Expire after (days)"
        type="number"
        min={1}
        defaultValue="7"
        required
        hint="Unless they are written again before then."
      />
      <ConflictModes value={mode} onChange={setMode} />
    </Form>
  );
}
