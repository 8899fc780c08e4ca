import { useState } from "preact/hooks";
import { get } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { DropZone } from "../components/drop-zone.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatBytes, formatCount } from "../format.ts";
import { type Format, startUpload, uploads } from "../identify/uploads.ts";
import type { Identification } from "../documents.ts";
import { useLoad } from "../load.ts";
import { NoPlan } from "../lookup/no-plan.tsx";
import { navigate } from "../router.ts";
import { hasPlan } from "../session.ts";
import "./identify.css";

const FORMATS: Readonly<Record<Format, readonly [name: string, what: string]>> = {
  csv: ["CSV", "A row for every line: its address, the prefix and the services."],
  tsv: ["TSV", "The same with tabs between the columns."],
  jsonl: ["JSON lines", "A document for every line, with all that the catalogue knows."],
  append: ["Your lines", "Every line as it was, with its services behind it."],
};

/** Where a log is dropped; it is shown on a page of its own from then on. */
export default function Identify() {
  return (
    <Page title="Identify a log" about="Find out which services the addresses of a log belong to. It is read as it is: every line is searched for its first address.">
      {hasPlan("cbs") ? <><Drop /><Past /></> : <NoPlan area="cbs" what="the catalogue of services" />}
    </Page>
  );
}

function Drop() {
  const [format, setFormat] = useState<Format>("csv");
  return (
    <Panel>
      <DropZone label="Drop a log here" hint="A text of any format, or the same compressed by gzip or zstd; up to some gigabytes." onFile={(file) => navigate(`#/identify/${startUpload(file, format)}`)} />
      <fieldset class="formats">
        <legend>The result to download</legend>
        {Object.entries(FORMATS).map(([value, [name, what]]) => (
          <label key={value} class="format"><input type="radio" name="format" checked={format === value} onChange={() => setFormat(value as Format)} /><span><strong>{name}</strong><span class="muted small">{what}</span></span></label>
        ))}
      </fieldset>
    </Panel>
  );
}

/** Those that the server still has, and those on their way. */
function Past() {
  const list = useLoad((signal) => get("/dashboard/api/identifications", { signal }), [[...uploads.value.keys()].join()]);
  return (
    <Panel title="Logs of the last hour" flush>
      <Loaded of={list}>
        {({ items }) => (
          <Table
            caption="Logs, the newest first" rows={items} keyOf={({ id }) => id} empty={<Empty icon="identify" title="No log yet">What you drop here is kept for an hour.</Empty>}
            columns={[
              { title: "Name", cell: ({ id, name }) => <a class="wrap" href={`#/identify/${id}`}>{name}</a> },
              { title: "State", cell: (each) => <State of={each} /> },
              { title: "Size", kind: "number", cell: ({ size, bytes }) => formatBytes(size ?? bytes) },
              { title: "Lines", kind: "number", cell: ({ lines }) => formatCount(lines) },
              { title: "Service known", kind: "number", cell: ({ lines, matched }) => (lines === 0 ? "" : `${((100 * matched) / lines).toFixed(1)} %`) },
              { title: "Begun", cell: ({ started_at }) => <Time at={started_at} relative /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function State({ of: { id, state } }: { readonly of: Identification }) {
  if (uploads.value.get(id)?.state === "failed") return <Badge kind="bad">lost</Badge>;
  return <Badge kind={state === "done" ? "good" : state === "failed" ? "bad" : "accent"}>{state}</Badge>;
}
