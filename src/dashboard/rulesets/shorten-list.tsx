import { useState } from "preact/hooks";
import { post } from "../api.ts";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { Note } from "../components/states.tsx";
import type { FittedSet, Ruleset } from "../documents.ts";
import { downloadText } from "../download.ts";
import { formatCounted, formatDigits } from "../format.ts";
import { useLoad } from "../load.ts";
import { collateralText } from "./collateral.ts";
import { fileName } from "./export-rules.tsx";
import { fetchRulesets } from "./rules-api.ts";

const LOSSES = {
  none: "Report how many are needed",
  add: "Add as few other addresses as possible",
  remove: "Leave out as few addresses as possible",
} as const;
type Loss = keyof typeof LOSSES;

/** The active rules as a list of at most so many entries, for a device that has room for no more. */
export function ShortenList({ ruleset, onClose }: { readonly ruleset: Ruleset; readonly onClose: () => void }) {
  const { data: rulesets = [] } = useLoad(fetchRulesets);
  const [loss, setLoss] = useState<Loss>("none");
  const [list, setList] = useState<FittedSet>();
  const others = rulesets.filter(({ id }) => id !== ruleset.id);
  const make = async ({ entries, never }: Readonly<Record<string, string>>): Promise<void> => {
    setList(undefined);
    const body = {
      sets: [{ ruleset: ruleset.id }],
      entries: Number(entries),
      loss,
      ...(never && { never: [{ ruleset: never }] }),
    };
    setList(await post("/dashboard/api/edl/ip-rulesets:fit", { body }));
  };
  return (
    <Dialog title="Shorten the list" onClose={onClose}>
      <Form submit="Shorten list" onSubmit={make}>
        <Field name="entries" label="Maximum entries" type="number" min={1} required defaultValue="1000" />
        <Select
          name="loss"
          label="If that is too few"
          options={LOSSES}
          onChange={({ currentTarget }) => setLoss(currentTarget.value as Loss)}
        />
        {loss === "add" && (
          <Select
            name="never"
            label="Never add addresses of"
            optional
            options={{ "": "None", ...Object.fromEntries(others.map(({ id, name }) => [id, name])) }}
          />
        )}
      </Form>
      {list !== undefined && <Made {...{ list, name: ruleset.name }} />}
    </Dialog>
  );
}

function Made({ list, name }: { readonly list: FittedSet; readonly name: string }) {
  const { count, exact_count, prefixes, warnings } = list;
  const text = prefixes.map((prefix) => `${prefix}\n`).join("");
  return (
    <>
      <Note kind={warnings === undefined ? "good" : "warning"}>
        <strong>
          {formatCounted(count, "entry", "entries")} instead of {formatCounted(exact_count, "entry", "entries")}
        </strong>
        <p>
          {lossText(list)}
          {collateralText(warnings)}
        </p>
      </Note>
      <footer class="dialog-foot">
        <CopyButton text={text} />
        <Button look="primary" icon="download" onClick={() => downloadText(fileName(name, "text"), "text/plain", text)}>
          Download
        </Button>
      </footer>
    </>
  );
}

function lossText({ added, removed, is_best }: FittedSet): string {
  const [what, of] = added.count > 0 ? (["added", added] as const) : (["left out", removed] as const);
  const { ipv4, ipv6 } = of.addresses;
  const families = [ipv4 === "0" ? "" : `${formatDigits(ipv4)} IPv4`, ipv6 === "0" ? "" : `${formatDigits(ipv6)} IPv6`];
  const parts = families.filter((part) => part !== "");
  if (parts.length === 0) return "The same addresses.";
  return `${parts.join(" and ")} addresses ${what}${is_best ? ", the fewest possible" : ""}.`;
}
