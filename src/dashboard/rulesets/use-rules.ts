import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { RuleRow } from "../documents.ts";
import { RowPages } from "./row-pages.ts";
import { type RuleFilter, requestQuery } from "./rule-filter.ts";
import { revision } from "./undo.ts";
import { fetchRows, type RulesPage } from "./rules-api.ts";

export type RulePages = RowPages<RuleRow, RulesPage>;

/** The rows that match the filter. While those of another filter are loading, the last ones stay. */
export function useRules(
  rulesetId: string,
  filter: RuleFilter,
): { readonly rows: RulePages | undefined; readonly isLoading: boolean } {
  const [shown, setShown] = useState<RulePages>();
  const [, render] = useReducer((round: number) => round + 1, 0);
  const newest = useRef<RulePages>(undefined);
  useLayoutEffect(() => {
    const pages: RulePages = new RowPages(
      (offset, limit, signal) => fetchRows(rulesetId, filter, offset, limit, signal),
      () => {
        if (newest.current !== pages) return;
        setShown(pages);
        render(0);
      },
    );
    newest.current = pages;
    pages.show(0, 0);
    return () => pages.close();
  }, [rulesetId, JSON.stringify(requestQuery(filter))]);
  useEffect(() => void (revision.value > 0 && newest.current?.refresh()), [revision.value]);
  return { rows: shown, isLoading: shown === undefined || shown !== newest.current };
}
