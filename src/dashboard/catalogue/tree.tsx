import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { Skeleton } from "../components/states.tsx";
import { formatCount } from "../format.ts";
import { type Row, type Tree, useTree } from "./tree-state.ts";

interface Props {
  /** The id of the node shown beside it; empty for the top. */
  readonly shown: string;
  readonly onShow: (id: string) => void;
}

/** The catalogue as a tree: one item has the focus, the arrow keys move it (WAI-ARIA: tree view pattern). */
export function CatalogueTree({ shown, onShow }: Props) {
  const tree = useTree(shown);
  const [focused, setFocused] = useState(shown);
  const list = useRef<HTMLUListElement>(null);
  const isSought = useRef(true);
  useEffect(() => {
    setFocused(shown);
    isSought.current = true;
  }, [shown]);
  const { rows } = tree;
  useEffect(() => {
    // The shown node may be far down in the list.
    const item = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!isSought.current || item == null) return;
    isSought.current = false;
    if (!list.current!.contains(document.activeElement)) item.scrollIntoView({ block: "nearest" });
  }, [rows?.length, shown]);
  if (rows === undefined) return <Skeleton lines={6} />;
  const current = rows.some(({ child }) => child.id === focused) ? focused : rows[0]?.child.id;
  const focus = (id: string | undefined): void => {
    if (id === undefined) return;
    setFocused(id);
    [...list.current!.children]
      .find((item) => (item as HTMLElement).dataset["id"] === id)
      ?.querySelector<HTMLElement>(".tree-item")
      ?.focus();
  };
  const show = ({ child: { id, has_children: isBranch } }: Row): void => {
    if (isBranch) tree.open(id);
    onShow(id);
  };
  const press = (event: KeyboardEvent, row: Row): void => {
    const { id, has_children: isBranch } = row.child;
    const at = rows.indexOf(row);
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(rows[at + 1]?.child.id),
      ArrowUp: () => focus(rows[at - 1]?.child.id),
      Home: () => focus(rows[0]?.child.id),
      End: () => focus(rows.at(-1)?.child.id),
      ArrowRight: () =>
        !isBranch
          ? undefined
          : tree.isOpen(id)
            ? rows[at + 1]?.parent === id && focus(rows[at + 1]!.child.id)
            : tree.open(id),
      ArrowLeft: () => (isBranch && tree.isOpen(id) ? tree.close(id) : focus(row.parent ?? undefined)),
      Enter: () => show(row),
      " ": () => show(row),
    };
    const move =
      moves[event.key] ??
      (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
        ? () => focus(nextNamed(rows, at, event.key))
        : undefined);
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
  return (
    <ul ref={list} role="tree" aria-label="Catalogue" class="tree">
      {rows.map((row) => (
        <TreeItem
          key={row.child.id}
          row={row}
          tree={tree}
          isShown={row.child.id === shown}
          isCurrent={row.child.id === current}
          onKeyDown={(event) => press(event, row)}
          onFocus={() => setFocused(row.child.id)}
          onShow={() => show(row)}
        />
      ))}
    </ul>
  );
}

interface ItemProps {
  readonly row: Row;
  readonly tree: Tree;
  readonly isShown: boolean;
  /** Whether it is the item that Tab reaches. */
  readonly isCurrent: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: () => void;
  readonly onShow: () => void;
}

function TreeItem({ row, tree, isShown, isCurrent, onKeyDown, onFocus, onShow }: ItemProps) {
  const { child, level, position, siblings } = row;
  const { id, name, has_children: isBranch, ipv4_count, ipv6_count } = child;
  return (
    <li role="none" data-id={id}>
      <div
        role="treeitem"
        class="tree-item"
        tabIndex={isCurrent ? 0 : -1}
        aria-level={level}
        aria-posinset={position}
        aria-setsize={siblings}
        aria-selected={isShown}
        {...(isBranch ? { "aria-expanded": tree.isOpen(id) } : {})}
        style={{ paddingLeft: `${(level - 1) * 16 + 4}px` }}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onClick={onShow}
      >
        {isBranch ? <BranchSign id={id} tree={tree} /> : <span class="tree-sign" />}
        <span class="tree-name">{name}</span>
        <span class="tree-count" title={`${formatCount(ipv4_count)} IPv4 and ${formatCount(ipv6_count)} IPv6 prefixes`}>
          {formatCount(ipv4_count + ipv6_count)}
          <span class="hidden"> prefixes</span>
        </span>
      </div>
    </li>
  );
}

/** Opens and closes a branch without showing its node. */
function BranchSign({ id, tree }: { readonly id: string; readonly tree: Tree }) {
  const isOpen = tree.isOpen(id);
  const toggle = (event: MouseEvent): void => {
    event.stopPropagation();
    if (isOpen) tree.close(id);
    else tree.open(id);
  };
  return (
    <span class="tree-sign" onClick={toggle}>
      {tree.isLoading(id) && isOpen ? <span class="spinner" /> : <Icon name={isOpen ? "down" : "right"} />}
    </span>
  );
}

/** The next item, wrapping around to the first, whose name begins with the typed text. */
function nextNamed(rows: readonly Row[], at: number, key: string): string | undefined {
  return [...rows.slice(at + 1), ...rows.slice(0, at)].find(({ child }) =>
    child.name.toLowerCase().startsWith(key.toLowerCase()),
  )?.child.id;
}
