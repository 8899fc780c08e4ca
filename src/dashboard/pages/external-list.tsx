import { useEffect, useState } from "preact/hooks";
import { Button, IconButton } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { ProblemNote, Skeleton } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { notify, notifyProblem } from "../components/toasts.tsx";
import type { ExternalList } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { DeleteList, EditList, ListCredentials } from "../lists/list-dialogs.tsx";
import { ListBadge, ListNote } from "../lists/list-state.tsx";
import { fetchList, refresh } from "../lists/lists-api.ts";
import { WriteList } from "../lists/write-list.tsx";
import { useLoad } from "../load.ts";
import { hasRole } from "../session.ts";

/** Milliseconds until a list that has not been fetched yet is requested again. */
const AGAIN = 1500;

/** One external list: its state, how it changed last, and which lines were left out. */
export default function OneExternalList({ params }: PageProps) {
  const id = params["list_id"]!;
  const { data: list, problem, reload } = useLoad((signal) => fetchList(id, signal), [id]);
  const isPending = list !== undefined && list.state === "pending" && list.active;
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = setTimeout(reload, AGAIN);
    return () => clearTimeout(timer);
  }, [list]);
  if (list === undefined)
    return (
      <Page title="External list">
        {problem === undefined ? <Skeleton lines={8} /> : <ProblemNote problem={problem} retry={reload} />}
      </Page>
    );
  return (
    <Page title={list.name} about={<About list={list} />} actions={<Actions list={list} reload={reload} />}>
      <ListNote list={list}>
        {hasRole("editor") && typeof list.problem?.digest === "string" && (
          <Button small onClick={() => askToAccept(list, list.problem!.digest!, reload)}>
            Accept the change
          </Button>
        )}
      </ListNote>
      <Facts list={list} />
      <LastChange change={list.last_change} />
      <RejectedLines rejected={list.rejected} />
    </Page>
  );
}

function About({ list }: { readonly list: ExternalList }) {
  return (
    <span class="row">
      <a href="#/lists">External lists</a>
      <ListBadge list={list} />
      {list.description !== "" && <bdi class="wrap">{list.description}</bdi>}
    </span>
  );
}

interface ActionProps {
  readonly list: ExternalList;
  readonly reload: () => void;
}

function Actions({ list, reload }: ActionProps) {
  const [opened, open] = useState<"edit" | "credentials" | "write" | "delete">();
  const [isBusy, setBusy] = useState(false);
  if (!hasRole("editor")) return null;
  const close = (): void => open(undefined);
  const fetchNow = async (): Promise<void> => {
    setBusy(true);
    await refresh(list.id).catch(notifyProblem);
    setBusy(false);
    reload();
  };
  return (
    <>
      <IconButton icon="trash" label="Delete the list" onClick={() => open("delete")} />
      {hasRole("admin") && (
        <Button icon="key" onClick={() => open("credentials")}>
          Credentials
        </Button>
      )}
      {list.generation > 0 && (
        <Button icon="plus" onClick={() => open("write")}>
          Write into a ruleset
        </Button>
      )}
      <Button icon="edit" onClick={() => open("edit")}>
        Edit
      </Button>
      <Button look="primary" icon="refresh" busy={isBusy} onClick={() => void fetchNow()}>
        Fetch now
      </Button>
      {opened === "edit" && <EditList list={list} onClose={close} onSaved={reload} />}
      {opened === "credentials" && <ListCredentials list={list} onClose={close} onSaved={reload} />}
      {opened === "write" && <WriteList list={list} onClose={close} />}
      {opened === "delete" && <DeleteList list={list} onClose={close} />}
    </>
  );
}

function askToAccept({ id, name, problem }: ExternalList, digest: string, reload: () => void): void {
  confirm({
    title: `Accept the change to "${name}"?`,
    text: <p class="wrap">{problem!.message}</p>,
    action: "Accept",
    danger: true,
    run: async () => {
      await refresh(id, digest);
      notify(`"${name}" now has the new content.`);
      reload();
    },
  });
}

function Facts({ list }: { readonly list: ExternalList }) {
  const { url, schedule, changed_at: at, checked_at: checked, next_check_at: next, auth } = list;
  return (
    <Panel title="List">
      <dl class="facts">
        <dt>URL</dt>
        <dd>{url}</dd>
        <dt>Entries</dt>
        <dd>
          {formatCount(list.ipv4_entries_count)} IPv4, {formatCount(list.ipv6_entries_count)} IPv6
        </dd>
        <dt>Changed</dt>
        <dd>{at === null ? "never" : <Time at={at} relative />}</dd>
        <dt>Checked</dt>
        <dd>{checked === null ? "never" : <Time at={checked} relative />}</dd>
        <dt>Next check</dt>
        <dd>
          {next === null ? "not scheduled" : <Time at={next} relative />} (every {schedule})
        </dd>
        <dt>Credentials</dt>
        <dd>
          {auth === null ? "none" : `${auth.type === "basic" ? "user" : "header"} ${auth.name}, sent to ${auth.origin}`}
        </dd>
      </dl>
    </Panel>
  );
}

function LastChange({ change }: { readonly change: ExternalList["last_change"] }) {
  if (change === null) return null;
  const rows = [
    ...change.added.map((prefix) => ({ sign: "+", prefix })),
    ...change.removed.map((prefix) => ({ sign: "-", prefix })),
  ];
  return (
    <Panel title="Last change">
      <div class="stack">
        <p>
          <Time at={change.at} relative />: {formatCounted(change.added_count, "entry", "entries")} added,{" "}
          {formatCount(change.removed_count)} removed
          {rows.length < change.added_count + change.removed_count && "; the first ones:"}
        </p>
        {rows.length > 0 && (
          <ul class="plain-list mono">
            {rows.map(({ sign, prefix }) => (
              <li key={`${sign}${prefix}`}>
                {sign} {prefix}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

function RejectedLines({ rejected: { count, lines } }: { readonly rejected: ExternalList["rejected"] }) {
  if (count === 0) return null;
  return (
    <Panel title={`${formatCounted(count, "line")} left out`} flush>
      <Table
        caption="Lines left out"
        rows={lines}
        keyOf={({ line }) => line}
        columns={[
          { title: "Line", kind: "number", cell: ({ line }) => formatCount(line) },
          { title: "Text", cell: ({ text }) => <code class="wrap">{text}</code> },
          { title: "Why", cell: ({ reason }) => <span class="wrap">{reason}</span> },
        ]}
      />
    </Panel>
  );
}
