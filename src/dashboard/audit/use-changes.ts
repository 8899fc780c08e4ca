import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import type { Change } from "../documents.ts";
import { type Problem, problemOf } from "../problem.ts";

const PAGE = 50;
/**
 * The server examines some thousand changes per response, none of which may match: a page combines up to this many
 * responses.
 */
const MAX_ANSWERS = 20;

export interface Changes {
  readonly items: readonly Change[] | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  /** Fetches the changes before those shown; undefined: there are no more. */
  readonly more: (() => void) | undefined;
}

/** The changes that match a query, newest first. */
export function useChanges(query: Readonly<Record<string, string>>): Changes {
  const [items, setItems] = useState<readonly Change[]>();
  const [next, setNext] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem>();
  const [isLoading, setLoading] = useState(false);
  const fetch = async (from: number | null, signal?: AbortSignal): Promise<void> => {
    setProblem(undefined);
    setLoading(true);
    try {
      const page = await readPage(query, from, signal);
      setItems((last) => (from === null ? page.items : [...(last ?? []), ...page.items]));
      setNext(page.next);
    } catch (error) {
      if (signal?.aborted === true) return;
      setProblem(problemOf(error));
    }
    setLoading(false);
  };
  useEffect(() => {
    const controller = new AbortController();
    setItems(undefined);
    void fetch(null, controller.signal);
    return () => controller.abort();
  }, [JSON.stringify(query)]);
  const isFirst = items === undefined;
  return {
    items,
    problem,
    isLoading,
    more: isFirst || next !== null ? () => void fetch(isFirst ? null : next) : undefined,
  };
}

async function readPage(
  query: Readonly<Record<string, string>>,
  from: number | null,
  signal: AbortSignal | undefined,
): Promise<{ readonly items: readonly Change[]; readonly next: number | null }> {
  const items: Change[] = [];
  let next = from;
  for (let answers = 0; answers < MAX_ANSWERS && items.length < PAGE; answers++) {
    const paged = { ...query, limit: PAGE - items.length, ...(next === null ? {} : { before: next }) };
    const page = await get("/dashboard/api/audit", {
      params: { query: paged },
      ...(signal === undefined ? {} : { signal }),
    });
    items.push(...page.items);
    next = page.next_before;
    if (next === null) break;
  }
  return { items, next };
}
