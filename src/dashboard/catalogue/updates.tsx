import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Panel } from "../components/page.tsx";
import { Loaded, Note } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { EndedBy } from "../components/ended-by.tsx";
import type { CatalogueUpdate, LastCatalogueUpdate } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { useCatalogueUpdate } from "./use-catalogue-update.ts";

type List = LastCatalogueUpdate["lists"][number];

/** Updates the catalogue of the whole server from the official lists, and shows the outcome. */
export function CatalogueUpdates({ onUpdated }: { readonly onUpdated: () => void }) {
  const { loading, isRunning, start } = useCatalogueUpdate(onUpdated);
  const canUpdate = loading.data?.can_update === true;
  return (
    <Panel
      title="Official lists"
      actions={
        canUpdate && (
          <Button icon="refresh" busy={isRunning} onClick={() => void start()}>
            {isRunning ? "Updating" : "Update catalogue"}
          </Button>
        )
      }
    >
      <Loaded of={loading} lines={1}>
        {(update) => <State of={update} />}
      </Loaded>
    </Panel>
  );
}

function State({ of: { reason, last } }: { readonly of: CatalogueUpdate }) {
  if (reason !== null) return <Note>The catalogue cannot be updated here: {reason}.</Note>;
  if (last === null)
    return (
      <p class="muted">
        Fetches the publishers' official lists. The catalogue is shared by all organisations of this server.
      </p>
    );
  return (
    <div class="stack">
      {last.state === "running" ? <Progress of={last} /> : <Outcome of={last} />}
      {last.lists.length > 0 && <Lists of={last} />}
    </div>
  );
}

function Progress({ of: { done, total } }: { readonly of: LastCatalogueUpdate }) {
  const isFetched = total > 0 && done === total;
  const text =
    total === 0
      ? "Starting"
      : isFetched
        ? "Building the catalogue"
        : `Fetching lists: ${formatCount(done)} of ${formatCount(total)}`;
  return (
    <div>
      <p class="progress-text" role="status">
        <strong>{text}</strong>
      </p>
      <progress aria-label="Lists fetched" max={Math.max(1, total)} value={done} />
    </div>
  );
}

function Outcome({ of: { error, ended_at, started_by, counts, catalogue } }: { readonly of: LastCatalogueUpdate }) {
  const problems = counts.refused + counts.failed + (catalogue?.missing.length ?? 0);
  return (
    <div role="status">
      <Note kind={error !== null ? "bad" : problems > 0 ? "warning" : "good"}>
        <strong>
          {error !== null
            ? "Update failed"
            : problems > 0
              ? "Updated, but some lists failed"
              : catalogue?.is_changed === true
                ? "Updated"
                : "Already up to date"}
        </strong>
        {error !== null && <p class="wrap">{error}</p>}
        <p>{countsText(counts)}</p>
        {catalogue !== null && (
          <p>
            {formatCounted(catalogue.sources, "official source")}, {formatCounted(catalogue.nodes, "node")},{" "}
            {formatCounted(catalogue.ipv4_prefixes, "IPv4 prefix", "IPv4 prefixes")},{" "}
            {formatCounted(catalogue.ipv6_prefixes, "IPv6 prefix", "IPv6 prefixes")}
          </p>
        )}
        {catalogue?.missing.map(({ source, problem }) => (
          <p key={source} class="wrap">
            {source} is not in the catalogue: {problem}
          </p>
        ))}
        {ended_at !== null && <EndedBy at={ended_at} startedBy={started_by} />}
      </Note>
    </div>
  );
}

/** "73 lists: 3 changed, 68 unchanged, 2 refused" */
function countsText(counts: LastCatalogueUpdate["counts"]): string {
  const all = Object.entries(counts);
  const shown = all
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${formatCount(count)} ${outcome === "absent" ? "not offered" : outcome}`);
  return [
    formatCounted(
      all.reduce((sum, [, count]) => sum + count, 0),
      "list",
    ),
    shown.join(", "),
  ]
    .filter((text) => text !== "")
    .join(": ");
}

const KINDS: Readonly<Record<List["outcome"], "good" | "bad" | "plain">> = {
  new: "good",
  changed: "good",
  unchanged: "plain",
  absent: "plain",
  refused: "bad",
  failed: "bad",
};

function Lists({ of: { lists } }: { readonly of: LastCatalogueUpdate }) {
  const inOrder = lists.toSorted(
    (a, b) => Number(b.problem !== null) - Number(a.problem !== null) || a.path.localeCompare(b.path),
  );
  const count = (value: number | null): string => (value === null ? "" : formatCount(value));
  return (
    <Table
      scrollsAs="Lists of the update"
      caption="Lists that are new, changed, refused or failed"
      rows={inOrder}
      keyOf={({ path }) => path}
      columns={[
        {
          title: "List",
          cell: ({ path, problem }) => (
            <>
              <span class="wrap">{path}</span>
              {problem !== null && <div class="muted small wrap">{problem}</div>}
            </>
          ),
        },
        { title: "Outcome", cell: ({ outcome }) => <Badge kind={KINDS[outcome]}>{outcome}</Badge> },
        { title: "Prefixes", kind: "number", cell: ({ prefixes }) => count(prefixes) },
        { title: "Added", kind: "number", cell: ({ added }) => count(added) },
        { title: "Removed", kind: "number", cell: ({ removed }) => count(removed) },
      ]}
    />
  );
}
