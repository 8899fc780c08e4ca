import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import { notifyProblem } from "../components/toasts.tsx";
import type { components } from "../_operations.ts";

export type Node = components["schemas"]["CbsNode"];
export type Child = Node["children"][number];

/** A visible node of the tree, with its position among its siblings. */
export interface Row {
  readonly child: Child;
  /** 1 at the top. */
  readonly level: number;
  /** Counted from 1. */
  readonly position: number;
  readonly siblings: number;
  readonly parent: string | null;
}

export interface Tree {
  /** The visible nodes, from the top; undefined until the top is loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly isOpen: (id: string) => boolean;
  /** Whether its children are being fetched. */
  readonly isLoading: (id: string) => boolean;
  readonly open: (id: string) => void;
  readonly close: (id: string) => void;
}

const ROOT = "";

/**
 * The expanded part of the catalogue's tree. Children are fetched when a node is first expanded; the nodes above
 * `shown` are expanded automatically.
 */
export function useTree(shown: string): Tree {
  const [children, setChildren] = useState<ReadonlyMap<string, readonly Child[] | "loading">>(new Map());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const fetchChildren = async (id: string): Promise<void> => {
    if (children.has(id)) return;
    setChildren((last) => new Map(last).set(id, "loading"));
    try {
      const node = await get("/dashboard/api/cbs/node", id === ROOT ? {} : { params: { query: { id } } });
      setChildren((last) => new Map(last).set(id, node.children));
    } catch (error) {
      setChildren((last) => new Map([...last].filter(([key]) => key !== id)));
      if (id === ROOT || children.get(ROOT) !== undefined) notifyProblem(error);
    }
  };
  const open = (id: string): void => {
    setOpened((last) => new Set(last).add(id));
    void fetchChildren(id);
  };
  const close = (id: string): void => setOpened((last) => new Set([...last].filter((each) => each !== id)));
  useEffect(() => {
    void fetchChildren(ROOT);
    for (const above of ancestorsOf(shown)) open(above);
  }, [shown]);
  const top = children.get(ROOT);
  return {
    rows: top === undefined || top === "loading" ? undefined : rowsBelow(ROOT, 1, children, opened),
    isOpen: (id) => opened.has(id),
    isLoading: (id) => children.get(id) === "loading",
    open,
    close,
  };
}

/** `/cloud/aws/by-region`: `/cloud`, `/cloud/aws`. */
function ancestorsOf(id: string): string[] {
  const parts = id.split("/");
  return parts.slice(2).map((_, at) => parts.slice(0, at + 2).join("/"));
}

function rowsBelow(
  id: string,
  level: number,
  children: ReadonlyMap<string, readonly Child[] | "loading">,
  opened: ReadonlySet<string>,
): Row[] {
  const known = children.get(id);
  if (known === undefined || known === "loading") return [];
  return known.flatMap((child, at) => [
    { child, level, position: at + 1, siblings: known.length, parent: id === ROOT ? null : id },
    ...(opened.has(child.id) ? rowsBelow(child.id, level + 1, children, opened) : []),
  ]);
}
