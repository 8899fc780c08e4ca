import { useState } from "preact/hooks";
import { get } from "../api.ts";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Panel } from "../components/page.tsx";
import { Pager } from "../components/pager.tsx";
import { Segments } from "../components/segments.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { notifyProblem } from "../components/toasts.tsx";
import { downloadText, fetchText } from "../download.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { ExportRanges } from "./export-ranges.tsx";

const PAGE_SIZE = 100;
const FAMILIES = [
  ["", "All"],
  [4, "IPv4"],
  [6, "IPv6"],
] as const;
type Family = (typeof FAMILIES)[number][0];

/** The prefixes of a node and of everything below it, page by page; copies and files contain all of them. */
export function Ranges({ id, name }: { readonly id: string; readonly name: string }) {
  const [page, setPage] = useState(1);
  const [family, setFamily] = useState<Family>("");
  const [aggregate, setAggregate] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const filter = {
    ...(id === "" ? {} : { id }),
    ...(family === "" ? {} : { family }),
    ...(aggregate ? { aggregate } : {}),
  };
  const ranges = useLoad(
    (signal) =>
      get("/dashboard/api/cbs/ranges", { params: { query: { ...filter, page, page_size: PAGE_SIZE } }, signal }),
    [id, family, aggregate, page],
  );
  const all = (accept: string): Promise<string> =>
    fetchText(
      `/dashboard/api/cbs/ranges?${new URLSearchParams({ ...(id === "" ? {} : { id }), ...(family === "" ? {} : { family: String(family) }), aggregate: String(aggregate) })}`,
      accept,
    );
  const choose = (next: Family): void => {
    setFamily(next);
    setPage(1);
  };
  const file = fileName(name, family, aggregate);
  return (
    <Panel title="Prefixes" actions={<Export all={all} name={file} more={() => setExporting(true)} />} flush>
      {isExporting && (
        <ExportRanges id={id} family={family} aggregate={aggregate} name={file} onClose={() => setExporting(false)} />
      )}
      <div class="ranges-filter row">
        <Segments legend="Family" name="family" value={family} choices={FAMILIES} onChange={choose} />
        <label class="check">
          <input
            type="checkbox"
            checked={aggregate}
            onChange={() => {
              setAggregate(!aggregate);
              setPage(1);
            }}
          />
          Aggregate: the fewest prefixes for the same addresses
        </label>
      </div>
      <Loaded of={ranges}>
        {({ items, count }) => (
          <>
            <div class={ranges.isLoading ? "waiting" : undefined} aria-busy={ranges.isLoading}>
              <Table
                caption="Prefixes"
                rows={items}
                keyOf={({ cidr }) => cidr}
                empty={<Empty title={family === "" ? "No prefixes" : `No IPv${family} prefixes`} />}
                columns={columnsOf(id)}
              />
            </div>
            <Pager page={page} pageSize={PAGE_SIZE} count={count} what="prefixes" onPage={setPage} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** Prefixes, and the nodes that they belong to; `id`: the one that is shown. */
function columnsOf(id: string): readonly Column<{ readonly cidr: string; readonly cbs_ids: readonly string[] }>[] {
  return [
    {
      title: "Prefix",
      cell: ({ cidr }) => (
        <a class="mono" href={hrefOf("/lookup", { ip: cidr })}>
          {cidr}
        </a>
      ),
    },
    {
      title: "Belongs to",
      cell: ({ cbs_ids }) => (
        <span class="ids">
          {cbs_ids.map((each) =>
            each === id ? (
              <code key={each}>{each}</code>
            ) : (
              <a key={each} class="mono" href={hrefOf("/catalogue", { id: each })}>
                {each}
              </a>
            ),
          )}
        </span>
      ),
    },
  ];
}

interface ExportProps {
  readonly all: (accept: string) => Promise<string>;
  readonly name: string;
  readonly more: () => void;
}

function Export({ all, name, more }: ExportProps) {
  const [isBusy, setBusy] = useState(false);
  const keep = async (type: string, ending: string): Promise<void> => {
    setBusy(true);
    try {
      downloadText(`${name}.${ending}`, type, await all(type));
    } catch (error) {
      notifyProblem(error);
    }
    setBusy(false);
  };
  return (
    <>
      <CopyButton label="Copy all" text={() => all("text/plain")} />
      <Button icon="download" busy={isBusy} onClick={() => void keep("text/plain", "txt")}>
        Text
      </Button>
      <Button icon="download" busy={isBusy} onClick={() => void keep("text/csv", "csv")}>
        CSV
      </Button>
      <Button icon="download" onClick={more}>
        Other formats
      </Button>
    </>
  );
}

/** `/cloud/aws` as IPv4: `cloud-aws-ipv4`. */
function fileName(name: string, family: Family, aggregate: boolean): string {
  const parts = [
    name.replace(/^\//, "").replace(/[^\w.-]+/g, "-"),
    family !== "" && `ipv${family}`,
    aggregate && "aggregated",
  ];
  return parts.filter(Boolean).join("-");
}
