import { useState } from "preact/hooks";
import { post } from "../api.ts";
import { Form, Select } from "../components/form.tsx";
import { Panel } from "../components/page.tsx";
import { Note } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import type { Replay, Ruleset } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { fetchRulesets } from "../rulesets/rules-api.ts";

type Hits = Pick<Replay["top_rules"][number], "lines" | "addresses">;

/** What a ruleset, or a draft, would have done with a log, and what only one of two would have hit. */
export function ReplayRules({ identification }: { readonly identification: string }) {
  const { data: rulesets = [] } = useLoad(fetchRulesets);
  const [isDraft, setDraft] = useState(true);
  const [replay, setReplay] = useState<Replay>();
  const send = async ({ rules, draft, against }: Readonly<Record<string, string>>): Promise<void> => {
    setReplay(
      await post("/dashboard/api/replays", {
        body: {
          identification,
          rules: rules ? { ruleset: rules } : { prefixes: prefixesIn(draft ?? "") },
          ...(against && { against: { ruleset: against } }),
        },
      }),
    );
  };
  return (
    <>
      <Panel title="Try rules on this log">
        <Form submit="Try rules" onSubmit={send}>
          <Select
            name="rules"
            label="Rules"
            options={{ "": "A draft", ...namesOf(rulesets) }}
            onChange={({ currentTarget }) => setDraft(currentTarget.value === "")}
          />
          {isDraft && (
            <label class="stack-tight">
              Addresses and prefixes
              <textarea name="draft" rows={3} spellcheck={false} placeholder={"203.0.113.0/24\n2001:db8::1"} />
            </label>
          )}
          <Select name="against" label="Compare with" options={{ "": "Nothing", ...namesOf(rulesets) }} />
        </Form>
      </Panel>
      {replay !== undefined && <Result of={replay} />}
    </>
  );
}

function namesOf(rulesets: readonly Ruleset[]): Record<string, string> {
  return Object.fromEntries(rulesets.map(({ id, name }) => [id, name]));
}

function prefixesIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((each) => each !== "");
}

function Result({ of }: { readonly of: Replay }) {
  const { hit, log, rules, difference } = of;
  return (
    <>
      <Note kind={hit.lines > 0 ? "warning" : "good"}>
        <strong>
          {formatCount(hit.lines)} of {formatCounted(log.with_address, "line")} with an address would have been hit
        </strong>
        <p>
          {formatCounted(hit.addresses, "address", "addresses")}, by {formatCounted(rules.hit, "rule")};{" "}
          {formatCounted(rules.unused, "rule")} without a hit.
          {difference !== null &&
            ` Only these rules: ${hitsText(difference.only_rules)}. Only the others: ${hitsText(difference.only_against)}.`}
          {log.lines_missing > 0 &&
            ` This log has too many different addresses to count each: any may have ${formatCounted(log.lines_missing, "line")} more.`}
        </p>
      </Note>
      <Hitting
        title="Rules with the most hits"
        rows={of.top_rules}
        titleOf="Rule"
        nameOf={(each) => <Rule of={each} />}
      />
      <Hitting
        title="Services that would have been hit"
        rows={of.services}
        titleOf="Service"
        nameOf={({ cbs_id: id }) => <a href={hrefOf("/catalogue", { id })}>{id}</a>}
      />
      <Hitting
        title="Addresses that would have been hit"
        rows={of.top_addresses}
        titleOf="Address"
        nameOf={({ ip }) => (
          <a class="mono wrap" href={hrefOf("/lookup", { ip })}>
            {ip}
          </a>
        )}
      />
      <Hitting
        title="Rules without a hit"
        rows={of.unused_rules}
        titleOf="Rule"
        nameOf={(each) => <Rule of={each} />}
      />
    </>
  );
}

function hitsText({ lines, addresses }: Hits): string {
  return `${formatCounted(lines, "line")} from ${formatCounted(addresses, "address", "addresses")}`;
}

function Rule({ of: { ip, name } }: { readonly of: Replay["unused_rules"][number] }) {
  return (
    <>
      <span class="mono wrap">{ip}</span> {name !== null && <span class="muted wrap">{name}</span>}
    </>
  );
}

/** A table of what was hit; nothing if nothing was. */
function Hitting<Row extends Partial<Hits> & { readonly ip?: string }>({
  title,
  rows,
  titleOf,
  nameOf,
}: {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly titleOf: string;
  readonly nameOf: Column<Row>["cell"];
}) {
  const [first] = rows;
  if (first === undefined) return null;
  const counted = (["addresses", "lines"] as const).filter((key) => first[key] !== undefined);
  return (
    <Panel title={title} flush>
      <Table
        caption={title}
        rows={rows}
        keyOf={(row) => rows.indexOf(row)}
        columns={[
          { title: titleOf, cell: nameOf },
          ...counted.map((key): Column<Row> => ({
            title: key === "lines" ? "Lines" : "Addresses",
            kind: "number",
            cell: (row) => formatCount(row[key]!),
          })),
        ]}
      />
    </Panel>
  );
}
