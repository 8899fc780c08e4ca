import { useEffect, useState } from "preact/hooks";
import type { RuleRow } from "../documents.ts";
import { notifyProblem } from "../components/toasts.tsx";
import type { RulePages } from "./use-rules.ts";

export interface Selection {
  readonly rules: ReadonlyMap<string, RuleRow>;
  /** The tag of the rows when they were selected. */
  readonly tag: string;
  readonly isBusy: boolean;
  readonly toggle: (row: number) => void;
  /** Selects from the row that was toggled last to this one. */
  readonly extend: (row: number) => void;
  /** All rules that match the filter are selected, more than have been fetched: `rules` has none of them. */
  readonly isWhole: boolean;
  /** How many are selected. */
  readonly count: number;
  /** Selects everything that matches the filter. */
  readonly selectAll: () => void;
  readonly clear: () => void;
}

const NONE: ReadonlyMap<string, RuleRow> = new Map();

/** Which rules are selected, as they were shown: when they change, the selection is cleared. */
export function useSelection(rows: RulePages | undefined, most: number): Selection {
  const [rules, setRules] = useState(NONE);
  const [anchor, setAnchor] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const { tag = "", version } = rows?.latest ?? {};
  const clear = (): void => {
    setRules(NONE);
    setWhole(false);
  };
  useEffect(clear, [rows, version]);
  const toggle = (index: number): void => {
    const rule = rows?.row(index);
    setAnchor(index);
    if (rule === undefined) return;
    setWhole(false);
    const next = new Map(rules);
    if (!next.delete(rule.ip) && next.size < most) next.set(rule.ip, rule);
    setRules(next);
  };
  const select = async (first: number, last: number, before: ReadonlyMap<string, RuleRow>): Promise<void> => {
    setBusy(true);
    setWhole(false);
    try {
      const near = last - first < most ? last : first + most - 1;
      const found = await rowsBetween(rows!, first, near);
      setRules(new Map([...before, ...found.map((rule) => [rule.ip, rule] as const)].slice(0, most)));
    } catch (error) {
      notifyProblem(error);
    }
    setBusy(false);
  };
  const selectAll = (): void => {
    if (rows === undefined || rows.count === 0) return;
    setRules(NONE);
    if (rows.count > most) setWhole(true);
    else void select(0, rows.count - 1, NONE);
  };
  return {
    rules,
    tag,
    isBusy,
    isWhole,
    count: isWhole ? (rows?.count ?? 0) : rules.size,
    toggle,
    clear,
    selectAll,
    extend: (index) => void (rows !== undefined && select(Math.min(anchor, index), Math.max(anchor, index), rules)),
  };
}

/** Rows that are already here need no request. */
async function rowsBetween(rows: RulePages, first: number, last: number): Promise<RuleRow[]> {
  const known = Array.from({ length: Math.min(last - first + 1, 400) }, (_, at) => rows.row(first + at));
  if (last - first < 400 && known.every((rule) => rule !== undefined)) return known;
  return rows.rows(first, last);
}
