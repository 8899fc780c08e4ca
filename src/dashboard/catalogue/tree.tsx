import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { Skeleton } from "../components/states.tsx";
import { formatCount } from "../format.ts";
import { type Row, useTree } from "./tree-state.ts";

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
      {rows.map((row) => {
        const {
          child: { id, name, has_children, ipv4_count, ipv6_count },
          level,
          position,
          siblings,
        } = row;
        const isOpen = tree.isOpen(id);
        return (
          <li key={id} role="none" data-id={id}>
            <div
              role="treeitem"
              class="tree-item"
              tabIndex={id === current ? 0 : -1}
              aria-level={level}
              aria-posinset={position}
              aria-setsize={siblings}
              aria-selected={id === shown}
              {...(has_children ? { "aria-expanded": isOpen } : {})}
              style={{ paddingLeft: `${(level - 1) * 16 + 4}px` }}
              onKeyDown={(event) => press(event, row)}
              onFocus={() => setFocused(id)}
              onClick={() => show(row)}
            >
              <span
                class="tree-sign"
                onClick={(event) => {
                  if (!has_children) return;
                  event.stopPropagation();
                  if (isOpen) tree.close(id);
                  else tree.open(id);
                }}
              >
                {has_children &&
                  (tree.isLoading(id) && isOpen ? <span class="spinner" /> : <Icon name={isOpen ? "down" : "right"} />)}
              </span>
              <span class="tree-name">{name}</span>
              <span
                class="tree-count"
                title={`${formatCount(ipv4_count)} IPv4 and ${formatCount(ipv6_count)} IPv6 prefixes`}
              >
                {formatCount(ipv4_count + ipv6_count)}
                <span class="hidden"> prefixes</span>
              </span>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** The next item, wrapping around to the first, whose name begins with the typed text. */
function nextNamed(rows: readonly Row[], at: number, key: string): string | undefined {
  return [...rows.slice(at + 1), ...rows.slice(0, at)].find(({ child }) =>
    child.name.toLowerCase().startsWith(key.toLowerCase()),
  )?.child.id;
}
