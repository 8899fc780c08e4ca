import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { NameCell } from "../components/name-cell.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import type { ExternalList } from "../documents.ts";
import { formatCount } from "../format.ts";
import { EditList } from "../lists/list-dialogs.tsx";
import { ListBadge } from "../lists/list-state.tsx";
import { fetchLists } from "../lists/lists-api.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { hasRole } from "../session.ts";

/** Lists that others publish, with the outcome of the latest fetch. */
export default function ExternalLists() {
  const lists = useLoad(fetchLists);
  const [isCreating, setCreating] = useState(false);
  const create = hasRole("editor") && (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New list
    </Button>
  );
  return (
    <Page
      title="External lists"
      about="Lists that others publish. They are fetched on a schedule and checked before deployments use them; the last good content stays in use."
      actions={
        <>
          <Button icon="refresh" busy={lists.isLoading && lists.data !== undefined} onClick={lists.reload}>
            Refresh
          </Button>
          {create}
        </>
      }
    >
      <Panel flush>
        <Loaded of={lists}>
          {(items) => (
            <Table
              caption="External lists"
              columns={COLUMNS}
              rows={items}
              keyOf={({ id }) => id}
              isFaded={({ active }) => !active}
              empty={
                <Empty icon="upload" title="No external lists yet">
                  A list at a URL, such as a blocklist that someone else maintains. {create}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {isCreating && (
        <EditList onClose={() => setCreating(false)} onSaved={({ id }) => navigate(hrefOf(`/lists/${id}`))} />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<ExternalList>[] = [
  {
    title: "Name",
    cell: ({ id, name, url }) => <NameCell name={name} href={`#/lists/${id}`} note={url} />,
  },
  { title: "State", cell: (list) => <ListBadge list={list} /> },
  {
    title: "Entries",
    kind: "number",
    cell: ({ ipv4_entries_count: four, ipv6_entries_count: six }) => formatCount(four + six),
  },
  { title: "Changed", cell: ({ changed_at: at }) => <Moment at={at} /> },
  { title: "Checked", cell: ({ checked_at: at }) => <Moment at={at} /> },
];

function Moment({ at }: { readonly at: string | null }) {
  return at === null ? <span class="muted">never</span> : <Time at={at} relative />;
}
