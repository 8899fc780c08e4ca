import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { NameCell } from "../components/name-cell.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount } from "../format.ts";
import type { Ruleset } from "../documents.ts";
import { useLoad } from "../load.ts";
import { OrganisationGuard } from "../rulesets/organisation-guard.tsx";
import { PurposeBadge } from "../rulesets/purpose-badge.tsx";
import { CreateRuleset, DeleteRuleset, EditRuleset } from "../rulesets/ruleset-dialogs.tsx";
import { fetchRulesets } from "../rulesets/rules-api.ts";
import { readUndoable, revision } from "../rulesets/undo.ts";
import { UndoButton } from "../rulesets/undo-button.tsx";
import { hasRole } from "../session.ts";
import "../rulesets/rulesets.css";

/** The open form above the list. */
type Opened = { readonly kind: "create" | "guard" } | { readonly kind: "edit" | "delete"; readonly ruleset: Ruleset };

export default function Rulesets() {
  const rulesets = useLoad(fetchRulesets, [revision.value]);
  const [opened, open] = useState<Opened>();
  const close = (): void => open(undefined);
  const isEditor = hasRole("editor");
  useEffect(() => void (isEditor && readUndoable()), [isEditor]);
  const create = isEditor && (
    <Button look="primary" icon="plus" onClick={() => open({ kind: "create" })}>
      New ruleset
    </Button>
  );
  return (
    <Page
      title="Rulesets"
      about="Lists of addresses and prefixes for firewalls and programs: what to block and what to allow."
      actions={
        isEditor && (
          <>
            <UndoButton />
            <Button onClick={() => open({ kind: "guard" })}>What guards protect</Button>
            {create}
          </>
        )
      }
    >
      <Panel flush>
        <Loaded of={rulesets}>
          {(items) => (
            <Table
              caption="Rulesets"
              columns={columnsOf(isEditor, open)}
              rows={items}
              keyOf={({ id }) => id}
              empty={
                <Empty icon="rulesets" title="No rulesets yet">
                  A ruleset holds up to a million rules. {create}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {opened?.kind === "guard" && <OrganisationGuard onClose={close} />}
      {opened?.kind === "create" && <CreateRuleset onClose={close} />}
      {opened?.kind === "edit" && <EditRuleset ruleset={opened.ruleset} onClose={close} />}
      {opened?.kind === "delete" && <DeleteRuleset ruleset={opened.ruleset} onClose={close} />}
    </Page>
  );
}

function columnsOf(isEditor: boolean, open: (opened: Opened) => void): Column<Ruleset>[] {
  const actions: Column<Ruleset> = {
    title: "Actions",
    kind: "actions",
    cell: (ruleset) => (
      <span class="row-actions">
        <Button small icon="edit" aria-label={`Edit ${ruleset.name}`} onClick={() => open({ kind: "edit", ruleset })}>
          Edit
        </Button>
        <Button
          small
          icon="trash"
          aria-label={`Delete ${ruleset.name}`}
          onClick={() => open({ kind: "delete", ruleset })}
        >
          Delete
        </Button>
      </span>
    ),
  };
  return [
    {
      title: "Name",
      cell: ({ id, name, description }) => <NameCell name={name} href={`#/rulesets/${id}`} note={description} />,
    },
    { title: "Purpose", cell: ({ purpose }) => <PurposeBadge purpose={purpose} /> },
    { title: "Active rules", kind: "number", cell: ({ active_rules }) => formatCount(active_rules) },
    { title: "Total rules", kind: "number", cell: ({ total_rules }) => formatCount(total_rules) },
    { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} relative /> },
    ...(isEditor ? [actions] : []),
  ];
}
