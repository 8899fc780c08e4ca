import { useState } from "preact/hooks";
import { get } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { DropZone } from "../components/drop-zone.tsx";
import { Field, Select } from "../components/form.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatBytes, formatCount } from "../format.ts";
import { ChooseRulesets, rulesetsQuery, useRulesetChoice } from "../identify/choose-rulesets.tsx";
import { type Format, startUpload, uploads } from "../identify/uploads.ts";
import type { Identification } from "../documents.ts";
import { useLoad } from "../load.ts";
import { NoPlan } from "../lookup/no-plan.tsx";
import { navigate } from "../router.ts";
import { hasPlan } from "../session.ts";
import "./identify.css";

const FORMATS: Readonly<Record<Format, readonly [name: string, what: string]>> = {
  csv: ["CSV", "One row per line: its address, the prefix and the services."],
  tsv: ["TSV", "The same, separated by tabs."],
  jsonl: ["JSON lines", "One JSON document per line, with everything the catalogue knows."],
  append: ["Your lines", "Every line, with its services added."],
};

/** Where a log is dropped; from then on it has a page of its own. */
export default function Identify() {
  return (
    <Page
      title="Identify a log"
      about="Find out which services the addresses of a log belong to, and what your rulesets decide for them."
    >
      {hasPlan("cbs") ? (
        <>
          <Drop />
          <Past />
        </>
      ) : (
        <NoPlan area="cbs" what="the catalogue of services" />
      )}
    </Page>
  );
}

function Drop() {
  const [format, setFormat] = useState<Format>("csv");
  const [field, setField] = useState("");
  const [input, setInput] = useState("");
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const choice = useRulesetChoice(excluded);
  return (
    <Panel>
      <DropZone
        label="Drop a log here"
        hint="Any text format, plain or compressed with gzip or zstd; up to several gigabytes."
        onFile={(file) => {
          const options = { format, field: field.trim(), input, rulesets: rulesetsQuery(choice) };
          navigate(`#/identify/${startUpload(file, options)}`);
        }}
      />
      <AddressField {...{ field, setField, input, setInput }} />
      <ChooseRulesets choice={choice} onChange={setExcluded} />
      <fieldset class="formats">
        <legend>Result file</legend>
        {Object.entries(FORMATS).map(([value, [name, what]]) => (
          <label key={value} class="format">
            <input type="radio" name="format" checked={format === value} onChange={() => setFormat(value as Format)} />
            <span>
              <strong>{name}</strong>
              <span class="muted small">{what}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Panel>
  );
}

const SYNTAXES = {
  "": "Detect from the first line",
  csv: "Commas (CSV)",
  tsv: "Tabs (TSV)",
  jsonl: "JSON lines",
  space: "Spaces",
};

interface AddressFieldProps {
  readonly field: string;
  readonly setField: (field: string) => void;
  readonly input: string;
  readonly setInput: (input: string) => void;
}

/** Which field of a line contains the address; without one, the first address of the line counts. */
function AddressField({ field, setField, input, setInput }: AddressFieldProps) {
  return (
    <div class="address-field">
      <Field
        name="field"
        label="Address field"
        optional
        value={field}
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setField(event.currentTarget.value)}
        hint="A column number (3), or the name of a column or JSON member (client_ip). If empty, the first address of each line is used."
      />
      {field.trim() !== "" && (
        <Select
          name="input"
          label="Field separator"
          options={SYNTAXES}
          value={input}
          onChange={(event) => setInput(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

/** The logs that the server still has, and those being uploaded. */
function Past() {
  const list = useLoad(
    (signal) => get("/dashboard/api/identifications", { signal }),
    [[...uploads.value.keys()].join()],
  );
  return (
    <Panel title="Recent logs" flush>
      <Loaded of={list}>
        {({ items }) => (
          <Table
            caption="Logs, newest first"
            rows={items}
            keyOf={({ id }) => id}
            empty={
              <Empty icon="identify" title="No logs yet">
                Results are kept for one hour.
              </Empty>
            }
            columns={[
              {
                title: "Name",
                cell: ({ id, name }) => (
                  <a class="wrap" href={`#/identify/${id}`}>
                    {name}
                  </a>
                ),
              },
              { title: "State", cell: (each) => <State of={each} /> },
              { title: "Size", kind: "number", cell: ({ size, bytes }) => formatBytes(size ?? bytes) },
              { title: "Lines", kind: "number", cell: ({ lines }) => formatCount(lines) },
              {
                title: "Service known",
                kind: "number",
                cell: ({ lines, matched }) => (lines === 0 ? "" : `${((100 * matched) / lines).toFixed(1)} %`),
              },
              { title: "Started", cell: ({ started_at }) => <Time at={started_at} relative /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function State({ of: { id, state } }: { readonly of: Identification }) {
  if (uploads.value.get(id)?.state === "failed") return <Badge kind="bad">failed</Badge>;
  return <Badge kind={state === "done" ? "good" : state === "failed" ? "bad" : "accent"}>{state}</Badge>;
}
