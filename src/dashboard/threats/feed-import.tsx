import { useEffect, useState } from "preact/hooks";
import { get, remove } from "../api.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { DropZone } from "../components/drop-zone.tsx";
import { Field, Select } from "../components/form.tsx";
import { Panel } from "../components/page.tsx";
import { Loaded, Note, ProblemNote } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { EndedBy } from "../components/ended-by.tsx";
import { notifyProblem } from "../components/toasts.tsx";
import type { LastFeedImport } from "../documents.ts";
import { formatBytes, formatCount, formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { type Problem, problemOf } from "../problem.ts";
import { type FeedChoices, sendFeed } from "./send-feed.ts";

/** Milliseconds between two requests while an import is running. */
const PAUSE = 1000;
const CLASSES = {
  "": "As in the feed, otherwise unknown",
  malicious: "Malicious",
  promiscuous: "Promiscuous",
  benign: "Benign",
};

/** Replaces the threat intelligence of the whole server with a feed, and shows the outcome. */
export function FeedImport({ onImported }: { readonly onImported: () => void }) {
  const loading = useLoad((signal) => get("/dashboard/api/threats/import", { signal }));
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [choices, setChoices] = useState<FeedChoices>({ classification: "", tags: "", skipsInvalid: false });
  const last = loading.data?.last ?? null;
  const isRunning = isSending || last?.state === "running";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(loading.reload, PAUSE);
    return () => clearTimeout(timer);
    // Also after a failed response: the next one may succeed.
  }, [isRunning, loading.data, loading.problem]);
  useEffect(() => {
    if (last?.state === "done") onImported();
  }, [last?.state, last?.started_at]);
  const send = async (file: File, maxShrink?: number): Promise<void> => {
    setSending(true);
    setProblem(undefined);
    try {
      await sendFeed(file, { ...choices, ...(maxShrink === undefined ? {} : { maxShrink }) });
    } catch (error) {
      refused(file, problemOf(error));
    }
    setSending(false);
    loading.reload();
  };
  const refused = (file: File, why: Problem): void => {
    const { removed_percent: share } = why.document as { removed_percent?: number };
    if (share === undefined) return setProblem(why);
    confirm({
      title: "Remove this much of the dataset?",
      text: `${why.message}.`,
      action: `Import and remove ${share} %`,
      danger: true,
      run: async () => void send(file, share),
    });
  };
  const cancel = () => remove("/dashboard/api/threats/import").then(loading.reload, notifyProblem);
  return (
    <Panel title="Import a feed" actions={isRunning && <Button onClick={() => void cancel()}>Cancel import</Button>}>
      <Loaded of={loading} lines={2}>
        {({ reason, max_bytes }) =>
          reason !== null ? (
            <Note>Feeds cannot be imported here: {reason}.</Note>
          ) : (
            <div class="stack">
              <DropZone
                label="Drop a feed here"
                hint={`A list with one address or prefix per line, CSV or NDJSON; plain, gzip or zstd; up to ${formatBytes(max_bytes)}. It replaces the dataset of all organisations of this server.`}
                disabled={isRunning}
                onFile={(file) => void send(file)}
              />
              <div class="columns">
                <Select
                  name="classification"
                  label="Classification"
                  options={CLASSES}
                  value={choices.classification}
                  onChange={(event) => setChoices({ ...choices, classification: event.currentTarget.value })}
                />
                <Field
                  name="tags"
                  label="Tags"
                  optional
                  value={choices.tags}
                  maxLength={500}
                  autocomplete="off"
                  hint="For every entry, separated by commas."
                  onInput={(event) => setChoices({ ...choices, tags: event.currentTarget.value })}
                />
              </div>
              <label class="check">
                <input
                  type="checkbox"
                  checked={choices.skipsInvalid}
                  onChange={({ currentTarget }) => setChoices({ ...choices, skipsInvalid: currentTarget.checked })}
                />
                Leave out lines that cannot be read
              </label>
              {problem !== undefined && <ProblemNote problem={problem} />}
              {last !== null && (last.state === "running" ? <Progress of={last} /> : <Outcome of={last} />)}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Progress({ of: { name, phase, size, received, compiled } }: { readonly of: LastFeedImport }) {
  const [done, total] = phase === "uploading" ? [received, size] : [compiled, received];
  return (
    <div>
      <p class="progress-text" role="status">
        <strong>
          {phase === "uploading" ? "Uploading" : "Compiling"} {name}
        </strong>{" "}
        {formatBytes(done)}
        {total !== null && ` of ${formatBytes(total)}`}
      </p>
      <progress aria-label="Import" max={Math.max(1, total ?? 1)} value={total === null ? undefined : done} />
    </div>
  );
}

function Outcome({ of }: { readonly of: LastFeedImport }) {
  const { name, error, ended_at, started_by, result, dataset, changes } = of;
  const skipped = result?.skipped ?? 0;
  const kind = error !== null ? "bad" : skipped > 0 ? "warning" : "good";
  return (
    <div class="stack">
      <div role="status">
        <Note kind={kind}>
          <strong>{error !== null ? `${name} was not imported` : `${name} imported`}</strong>
          {error !== null && <p class="wrap">{error}</p>}
          {result !== null && (
            <p>
              {formatCounted(result.entries, "entry", "entries")} in {formatCounted(result.lines, "line")}
              {skipped > 0 && `, ${formatCounted(skipped, "line")} ${error === null ? "left out" : "cannot be read"}`}
              {dataset !== null &&
                changes !== null &&
                `; ${formatCount(changes.added)} prefixes added, ${formatCount(changes.removed)} removed`}
            </p>
          )}
          {ended_at !== null && <EndedBy at={ended_at} startedBy={started_by} />}
        </Note>
      </div>
      {result !== null && result.skipped_lines.length > 0 && (
        <Table
          scrollsAs="Invalid lines"
          caption="The first invalid lines"
          rows={result.skipped_lines}
          keyOf={({ line }) => String(line)}
          columns={[
            { title: "Line", kind: "number", cell: ({ line }) => formatCount(line) },
            { title: "Why", cell: ({ message }) => <span class="wrap">{message}</span> },
          ]}
        />
      )}
    </div>
  );
}
