import { useEffect, useState } from "preact/hooks";
import { Button, ButtonLink, IconButton } from "../components/button.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, ProblemNote, Skeleton } from "../components/states.tsx";
import { formatCounted } from "../format.ts";
import type { RuleRow, Ruleset } from "../documents.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { AddRule } from "../rulesets/add-rule.tsx";
import { AddressAnswer } from "../rulesets/address-answer.tsx";
import {
  askToDelete,
  askToDeleteMatching,
  EditRule,
  SetExpiry,
  type WholeSelection,
} from "../rulesets/change-rules.tsx";
import { ExportRules } from "../rulesets/export-rules.tsx";
import { FilterBar } from "../rulesets/filter-bar.tsx";
import { filterQuery, prefixOf, readFilter, type RuleFilter } from "../rulesets/rule-filter.ts";
import { fetchRuleset } from "../rulesets/rules-api.ts";
import { PurposeBadge } from "../rulesets/purpose-badge.tsx";
import { RulesTable } from "../rulesets/rules-table.tsx";
import { DeleteRuleset, EditRuleset } from "../rulesets/ruleset-dialogs.tsx";
import { type Selection, useSelection } from "../rulesets/selection.ts";
import { ShortenList } from "../rulesets/shorten-list.tsx";
import { readUndoable, revision } from "../rulesets/undo.ts";
import { UndoButton } from "../rulesets/undo-button.tsx";
import { useRules } from "../rulesets/use-rules.ts";
import { hasRole, session } from "../session.ts";
import "../rulesets/rulesets.css";

/** The open form above the table. */
type Opened =
  | { readonly kind: "add" | "export" | "shorten" | "about" | "delete" }
  | { readonly kind: "edit"; readonly rule: RuleRow }
  | { readonly kind: "expiry"; readonly rules: readonly RuleRow[] | WholeSelection; readonly tag: string };

/** One ruleset with its rules. */
export default function OneRuleset({ params, query }: PageProps) {
  const rulesetId = params["ruleset_id"]!;
  const ruleset = useLoad((signal) => fetchRuleset(rulesetId, signal), [rulesetId, revision.value]);
  const [opened, open] = useState<Opened>();
  const isEditor = hasRole("editor");
  const { data, problem, reload } = ruleset;
  useEffect(() => void (isEditor && readUndoable()), [isEditor]);
  const filter = readFilter(query);
  const rules = useRules(rulesetId, filter);
  if (data === undefined)
    return (
      <Page title="Ruleset">
        {problem === undefined ? <Skeleton lines={8} /> : <ProblemNote problem={problem} retry={reload} />}
      </Page>
    );
  return (
    <Page
      title={data.name}
      about={<About ruleset={data} />}
      actions={<Actions {...{ ruleset: data, isEditor, open }} />}
    >
      <Rules {...{ ruleset: data, filter, rules, isEditor, open }} />
      <Dialogs {...{ ruleset: data, filter, opened }} close={() => open(undefined)} />
    </Page>
  );
}

function About({ ruleset: { purpose, description } }: { readonly ruleset: Ruleset }) {
  return (
    <span class="row">
      <a href="#/rulesets">Rulesets</a>
      <PurposeBadge purpose={purpose} />
      {description !== "" && <bdi class="wrap">{description}</bdi>}
    </span>
  );
}

interface ActionsProps {
  readonly ruleset: Ruleset;
  readonly isEditor: boolean;
  readonly open: (opened: Opened) => void;
}

function Actions({ ruleset, isEditor, open }: ActionsProps) {
  const exporting = (
    <>
      <Button onClick={() => open({ kind: "shorten" })}>Shorten</Button>
      <Button icon="download" onClick={() => open({ kind: "export" })}>
        Export
      </Button>
    </>
  );
  if (!isEditor) return exporting;
  return (
    <>
      <UndoButton />
      <IconButton icon="edit" label="Rename or describe the ruleset" onClick={() => open({ kind: "about" })} />
      <IconButton icon="trash" label="Delete the ruleset" onClick={() => open({ kind: "delete" })} />
      <ButtonLink href={`#/rulesets/${ruleset.id}/compact`}>Compact</ButtonLink>
      {exporting}
      <ButtonLink icon="upload" href={`#/rulesets/${ruleset.id}/import`}>
        Import
      </ButtonLink>
      <Button look="primary" icon="plus" onClick={() => open({ kind: "add" })}>
        Add rule
      </Button>
    </>
  );
}

interface RulesProps extends ActionsProps {
  readonly filter: RuleFilter;
  readonly rules: ReturnType<typeof useRules>;
}

function Rules({ ruleset, filter, rules: { rows, isLoading }, isEditor, open }: RulesProps) {
  const most = session.value!.settings.bulk_addresses;
  const selection = useSelection(rows, most);
  const change = (next: RuleFilter): void =>
    navigate(hrefOf(`/rulesets/${ruleset.id}`, filterQuery(next)), { replace: true });
  const page = rows?.latest;
  const remove = (wanted: readonly RuleRow[] | undefined): void => {
    if (wanted === undefined && selection.isWhole)
      askToDeleteMatching(ruleset.id, { filter, count: selection.count }, selection.tag);
    else askToDelete(ruleset.id, wanted ?? [...selection.rules.values()]);
  };
  const setExpiry = (): void =>
    open({
      kind: "expiry",
      rules: selection.isWhole ? { filter, count: selection.count } : [...selection.rules.values()],
      tag: selection.tag,
    });
  return (
    <Panel flush>
      <FilterBar
        filter={filter}
        total={page?.total ?? ruleset.total_rules}
        active={page?.active ?? ruleset.active_rules}
        onChange={change}
      />
      {filter.ip !== undefined && (
        <AddressAnswer
          rulesetId={ruleset.id}
          ip={prefixOf(filter.ip)}
          tag={page?.tag ?? ""}
          onSearchNames={() => change({ ...filter, ip: undefined, name: filter.ip })}
        />
      )}
      {selection.count > 0 && rows !== undefined && (
        <SelectionBar {...{ selection, count: rows.count }} onDelete={() => remove(undefined)} onExpiry={setExpiry} />
      )}
      {rows?.problem !== undefined && filter.ip === undefined && (
        <ProblemNote problem={rows.problem} retry={() => rows.refresh()} />
      )}
      {rows === undefined ? (
        <Skeleton lines={10} />
      ) : page === undefined ? null : page.count === 0 ? (
        <NoRules {...{ ruleset, filter, isEditor, open }} />
      ) : (
        <RulesTable
          rows={rows}
          isLoading={isLoading}
          selection={isEditor ? selection : undefined}
          ip={filter.ip && prefixOf(filter.ip)}
          onEdit={(rule) => open({ kind: "edit", rule })}
          onDelete={remove}
        />
      )}
    </Panel>
  );
}

function SelectionBar({
  selection,
  count,
  onDelete,
  onExpiry,
}: {
  readonly selection: Selection;
  readonly count: number;
  readonly onDelete: () => void;
  readonly onExpiry: () => void;
}) {
  const { count: selected, isBusy, selectAll, clear } = selection;
  return (
    <div class="selection-bar">
      <p role="status">
        <strong>{formatCounted(selected, "rule")} selected</strong>
      </p>
      {selected < count && (
        <button type="button" class="link" disabled={isBusy} onClick={selectAll}>
          Select all {formatCounted(count, "rule")}
        </button>
      )}
      <div class="actions">
        <Button small icon="clock" onClick={onExpiry}>
          Set expiry
        </Button>
        <Button small icon="trash" onClick={onDelete}>
          Delete
        </Button>
        <Button small look="quiet" onClick={clear}>
          Clear
        </Button>
      </div>
    </div>
  );
}

function NoRules({ ruleset, filter, isEditor, open }: Pick<RulesProps, "ruleset" | "filter" | "isEditor" | "open">) {
  const isFiltered = filter.state !== undefined || filter.ip !== undefined || filter.name !== undefined;
  if (isFiltered)
    return (
      <Empty icon="filter" title="No matching rules">
        <a class="button" href={hrefOf(`/rulesets/${ruleset.id}`)}>
          Show all rules
        </a>
      </Empty>
    );
  return (
    <Empty icon="rulesets" title="No rules yet">
      A rule is an address or prefix, with a name and an expiry if you like.
      {isEditor && (
        <div class="row centered">
          <Button look="primary" icon="plus" onClick={() => open({ kind: "add" })}>
            Add rule
          </Button>
          <ButtonLink icon="upload" href={`#/rulesets/${ruleset.id}/import`}>
            Import a list
          </ButtonLink>
        </div>
      )}
    </Empty>
  );
}

function Dialogs({
  ruleset,
  filter,
  opened,
  close,
}: {
  readonly ruleset: Ruleset;
  readonly filter: RuleFilter;
  readonly opened: Opened | undefined;
  readonly close: () => void;
}) {
  const shared = { rulesetId: ruleset.id, onClose: close };
  switch (opened?.kind) {
    case "add":
      return <AddRule {...shared} ip={filter.ip && prefixOf(filter.ip)} />;
    case "edit":
      return <EditRule {...shared} rule={opened.rule} />;
    case "expiry":
      return <SetExpiry {...shared} rules={opened.rules} tag={opened.tag} />;
    case "export":
      return <ExportRules ruleset={ruleset} onClose={close} />;
    case "shorten":
      return <ShortenList ruleset={ruleset} onClose={close} />;
    case "about":
      return <EditRuleset ruleset={ruleset} onClose={close} />;
    case "delete":
      return <DeleteRuleset ruleset={ruleset} onClose={close} onDeleted={() => navigate(hrefOf("/rulesets"))} />;
    default:
      return null;
  }
}
