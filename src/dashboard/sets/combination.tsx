import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { Note } from "../components/states.tsx";
import type { ComputedSet, DeploymentSource } from "../documents.ts";
import { downloadText } from "../download.ts";
import { formatCounted, formatDigits } from "../format.ts";
import { CreateRuleset } from "../rulesets/ruleset-dialogs.tsx";
import { type RowLook, VirtualRows } from "../rulesets/virtual-rows.tsx";
import { hasRole } from "../session.ts";
import { compute, type Operation } from "./sets-api.ts";
import "../rulesets/rulesets.css";

const OPERATIONS: Readonly<Record<Operation, string>> = {
  union: "Union: addresses in any of the lists",
  intersect: "Intersection: addresses in every list",
  subtract: "Difference: addresses of one list that are in no other",
  atleast: "Agreement: addresses in at least so many of the lists",
  symmetric: "Symmetric difference: addresses in exactly one of two lists",
};
const COLUMNS = [{ title: "Address", kind: "ip" }];

interface Props {
  readonly sets: readonly DeploymentSource[];
  readonly names: readonly string[];
}

/** Unites, intersects or subtracts the lists: counts first, then the prefixes. */
export function Combination({ sets, names }: Props) {
  const [operation, setOperation] = useState<Operation>("union");
  const [result, setResult] = useState<ComputedSet>();
  const combine = async ({ base = "0", least }: Readonly<Record<string, string>>): Promise<void> => {
    setResult(undefined);
    const ordered = [sets[Number(base)]!, ...sets.filter((_, at) => at !== Number(base))];
    setResult(await compute(operation, ordered, least === undefined ? undefined : Number(least)));
  };
  return (
    <>
      <Form submit="Combine" onSubmit={combine}>
        <Select
          name="operation"
          label="Combine them"
          hint="The result has the fewest prefixes possible."
          options={operationsFor(sets.length)}
          value={operation}
          onChange={({ currentTarget }) => {
            setOperation(currentTarget.value as Operation);
            setResult(undefined);
          }}
        />
        {operation === "subtract" && (
          <Select
            name="base"
            label="Keep addresses of"
            options={Object.fromEntries(names.map((name, at) => [at, `${at + 1}. ${name}`]))}
            onChange={() => setResult(undefined)}
          />
        )}
        {operation === "atleast" && (
          <Field
            name="least"
            label="How many of them"
            type="number"
            required
            min={1}
            max={sets.length}
            value="2"
            onInput={() => setResult(undefined)}
          />
        )}
      </Form>
      {result !== undefined && <Combined of={result} />}
    </>
  );
}

/** Those that take so many sets. */
function operationsFor(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(OPERATIONS).filter(
      ([name]) => name === "union" || (count > 1 && (name !== "symmetric" || count === 2)),
    ),
  );
}

export function Combined({ of: { addresses, prefixes, count } }: { readonly of: ComputedSet }) {
  const [isCreating, setCreating] = useState(false);
  if (count === 0) return <Note kind="warning">No address is left.</Note>;
  const text = (): string => prefixes.map((prefix) => `${prefix}\n`).join("");
  const look = (index: number): RowLook => ({ cells: [<code>{prefixes[index]}</code>] });
  return (
    <>
      <Note kind="good">
        <strong>{formatCounted(count, "prefix", "prefixes")}</strong>
        <p>
          {formatDigits(addresses.ipv4)} IPv4 and {formatDigits(addresses.ipv6)} IPv6 addresses
        </p>
      </Note>
      <VirtualRows
        label="Prefixes of the result"
        kind="prefixes"
        columns={COLUMNS}
        count={count}
        rowHeight={30}
        row={look}
        contentKey={prefixes}
      />
      <footer class="dialog-foot">
        <CopyButton text={async () => text()} />
        {hasRole("editor") && (
          <Button icon="plus" onClick={() => setCreating(true)}>
            New ruleset
          </Button>
        )}
        <Button icon="download" onClick={() => downloadText("combined.txt", "text/plain", text())}>
          Download
        </Button>
      </footer>
      {isCreating && <CreateRuleset list={text()} onClose={() => setCreating(false)} />}
    </>
  );
}
