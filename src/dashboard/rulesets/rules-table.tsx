import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { IconButton } from "../components/button.tsx";
import { Time } from "../components/time.tsx";
import { formatCount } from "../format.ts";
import type { RuleRow } from "../documents.ts";
import { relationOf } from "./prefix-relation.ts";
import { Dash, Expires, RuleName, StateBadge } from "./rule-state.tsx";
import type { Selection } from "./selection.ts";
import type { RulePages } from "./use-rules.ts";
import { type RowLook, VirtualRows } from "./virtual-rows.tsx";

interface Props {
  readonly rows: RulePages;
  readonly isLoading: boolean;
  /** undefined for users who may not change anything. */
  readonly selection: Selection | undefined;
  /** The searched address. */
  readonly ip: string | undefined;
  readonly onEdit: (rule: RuleRow) => void;
  /** undefined: delete all selected ones. */
  readonly onDelete: (rules: readonly RuleRow[] | undefined) => void;
}

const NARROW = "(max-width: 720px)";

/** The rules of a ruleset: the visible ones are fetched, and those around them. */
export function RulesTable({ rows, isLoading, selection, ip, onEdit, onDelete }: Props) {
  const isNarrow = useMedia(NARROW);
  const range = useSignal<readonly [number, number]>([0, 0]);
  const onRange = useCallback(
    (first: number, last: number) => {
      rows.show(first, last);
      range.value = [first, last];
    },
    [rows],
  );
  const look = (index: number): RowLook => {
    const rule = rows.row(index);
    if (rule === undefined)
      return {
        cells: [
          ...(selection === undefined ? [] : [""]),
          <span class="bone" />,
          <span class="bone" />,
          <span class="bone" />,
          <span class="bone" />,
          <span class="bone" />,
          ...(selection === undefined ? [] : [""]),
        ],
        kind: "waiting",
      };
    return {
      cells: cellsOf(rule, index, { selection, ip, onEdit, onDelete }),
      kind: rule.state,
      isSelected: selection && (selection.isWhole || selection.rules.has(rule.ip)),
    };
  };
  const press = (event: KeyboardEvent, index: number): void => {
    if (selection === undefined) return;
    const rule = rows.row(index);
    const isHandled = pressKey(event, { selection, onEdit, onDelete }, index, rule);
    if (isHandled) event.preventDefault();
  };
  const move = (index: number, extend: boolean): void => void (extend && selection?.extend(index));
  return (
    <>
      <VirtualRows
        label="Rules"
        kind={selection === undefined ? "rules read-only" : "rules"}
        columns={columnsOf(selection, rows)}
        count={rows.count}
        rowHeight={isNarrow ? 88 : 24}
        row={look}
        isBusy={isLoading}
        contentKey={rows}
        onRange={onRange}
        onKey={press}
        {...(selection === undefined ? {} : { onMove: move })}
      />
      <p class="table-foot muted small">
        <Position range={range} count={rows.count} />
        {selection !== undefined && (
          <span class="keys">Arrow keys move, Space selects, Enter edits, Delete deletes</span>
        )}
      </p>
    </>
  );
}

/** A component of its own, so that scrolling renders nothing else. */
function Position({ range, count }: { readonly range: Signal<readonly [number, number]>; readonly count: number }) {
  const [first, last] = range.value;
  return (
    <span>
      {formatCount(first + 1)} to {formatCount(Math.min(last + 1, count))} of {formatCount(count)}
    </span>
  );
}

/** Handles the keys of a row; returns true for these. */
function pressKey(
  event: KeyboardEvent,
  { selection, onEdit, onDelete }: Pick<Props, "onEdit" | "onDelete"> & { readonly selection: Selection },
  index: number,
  rule: RuleRow | undefined,
): boolean {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key.toLowerCase() === "a") selection.selectAll();
  else if (event.key === "Escape" && selection.count > 0) selection.clear();
  else if (event.key === "Delete" && selection.count > 0) onDelete(undefined);
  else if (rule === undefined || isCommand) return false;
  else if (event.key === " ") (event.shiftKey ? selection.extend : selection.toggle)(index);
  else if (event.key === "Enter") onEdit(rule);
  else if (event.key === "Delete") onDelete([rule]);
  else return false;
  return true;
}

function columnsOf(selection: Selection | undefined, rows: RulePages): { title: ComponentChildren; kind: string }[] {
  const shown = [
    { title: "Address", kind: "ip" },
    { title: "Name", kind: "name" },
    { title: "State", kind: "status" },
    { title: "Expires", kind: "until" },
    { title: "Updated", kind: "changed" },
  ];
  if (selection === undefined) return shown;
  const isAll = selection.count > 0 && selection.count >= rows.count;
  const all = (
    <input
      type="checkbox"
      aria-label="Select all listed rules"
      checked={isAll}
      indeterminate={!isAll && selection.count > 0}
      onClick={() => (selection.count > 0 ? selection.clear() : selection.selectAll())}
    />
  );
  return [{ title: all, kind: "pick" }, ...shown, { title: <span class="hidden">Actions</span>, kind: "tools" }];
}

function cellsOf(
  rule: RuleRow,
  index: number,
  { selection, ip, onEdit, onDelete }: Pick<Props, "selection" | "ip" | "onEdit" | "onDelete">,
): ComponentChildren[] {
  const relation = ip === undefined ? undefined : relationOf(rule.ip, ip);
  const shown = [
    <>
      <code title={rule.ip}>{rule.ip}</code>
      {relation !== undefined && <span class="relation muted">{relation}</span>}
    </>,
    <span class="text" title={rule.name ?? undefined}>
      {(rule.name ?? "") === "" ? <Dash of="no name" /> : <RuleName name={rule.name} />}
    </span>,
    <StateBadge state={rule.state} />,
    rule.expires_at === null ? <Dash of="never" /> : <Expires at={rule.expires_at} />,
    <Time at={rule.updated_at} />,
  ];
  if (selection === undefined) return shown;
  const check = (event: MouseEvent): void => (event.shiftKey ? selection.extend : selection.toggle)(index);
  return [
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={`Select ${rule.ip}`}
      checked={selection.isWhole || selection.rules.has(rule.ip)}
      onClick={check}
    />,
    ...shown,
    <>
      <IconButton icon="edit" label={`Edit ${rule.ip}`} tabIndex={-1} onClick={() => onEdit(rule)} />
      <IconButton icon="trash" label={`Delete ${rule.ip}`} tabIndex={-1} onClick={() => onDelete([rule])} />
    </>,
  ];
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const follow = (): void => setMatches(media.matches);
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, [query]);
  return matches;
}
