import { useEffect, useId, useRef, useState } from "preact/hooks";
import { get } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Icon } from "../components/icon.tsx";
import { formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";

/** Milliseconds after the last key press until the search starts. */
const PAUSE = 140;
const MAX_RESULTS = 30;
/** Passed as it is: the types insist that such a combobox needs the browser's own list. */
const COMBOBOX: object = { role: "combobox" };

const PLACEHOLDERS = {
  nodes: "Name, id or address",
  networks: "Organisation or AS number",
  both: "Name, id, address or organisation",
};

/** A network as a search finds it. */
export interface FoundNetwork {
  readonly asn: number;
  readonly name: string;
}

interface Props {
  /** Without it, nodes are not among the results. */
  readonly onShow?: (id: string) => void;
  /** Without it, networks are not. */
  readonly onNetwork?: (network: FoundNetwork) => void;
}

/**
 * Finds nodes by name, id or address while the user types, and networks by organisation; the arrow keys select one
 * (WAI-ARIA: combobox pattern).
 */
export function NodeSearch({ onShow, onNetwork }: Props) {
  const [text, setText] = useState("");
  const [searched, setSearched] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  useEffect(() => {
    const timer = setTimeout(() => setSearched(text.trim()), text.trim() === "" ? 0 : PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, items, problem } = useFound(searched, {
    nodes: onShow !== undefined,
    networks: onNetwork !== undefined,
  });
  const isWaiting = text.trim() !== searched || (data?.searched !== searched && problem === undefined);
  useEffect(() => setActive(0), [data]);
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: "nearest" }), [active]);
  const show = ({ id: node, network }: Item): void => {
    setOpen(false);
    setText("");
    if (network === undefined) onShow?.(node);
    else onNetwork?.(network);
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && items.length > 0) setActive((active + step + items.length) % items.length);
    // Results for an earlier text are not what the user searched for.
    else if (event.key === "Enter" && items[active] !== undefined && !isWaiting) show(items[active]);
    else if (event.key === "Escape" && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  };
  const isShown = isOpen && text.trim() !== "";
  const state = problem?.fields["q"]?.[0] ?? problem?.message ?? (isWaiting ? "Searching" : foundText(items.length));
  return (
    <div
      class="node-search"
      onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Element | null) && setOpen(false)}
    >
      <Icon name="search" />
      <input
        {...COMBOBOX}
        type="search"
        aria-label={onShow === undefined ? "Search networks" : "Search the catalogue"}
        placeholder={PLACEHOLDERS[onShow === undefined ? "networks" : onNetwork === undefined ? "nodes" : "both"]}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={200}
        value={text}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && items[active] !== undefined ? `${id}-${active}` : undefined}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={press}
      />
      <div class={isShown ? "found" : "found closed"}>
        <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Results">
          {isShown &&
            items.map((item, at) => (
              <li
                key={item.id}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === active}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => show(item)}
              >
                <span class="found-name">{item.name}</span>
                <Badge>{item.type}</Badge>
                <span class="found-path muted small">{item.label}</span>
              </li>
            ))}
        </ul>
        <p class="found-state muted small" role="status">
          {isShown && state}
        </p>
      </div>
    </div>
  );
}

/** A row of the results. */
interface Item {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly network?: FoundNetwork;
}

/** What is found for a text. */
function useFound(searched: string, wanted: { readonly nodes: boolean; readonly networks: boolean }) {
  const { data, problem } = useLoad(
    async (signal) => {
      if (searched === "") return undefined;
      const params = { query: { q: searched, page_size: MAX_RESULTS } };
      return { searched, ...(await get("/dashboard/api/cbs/search", { params, signal })) };
    },
    [searched],
  );
  const networks = wanted.networks ? (data?.networks ?? []) : [];
  const found: readonly Item[] = [
    ...(wanted.nodes ? (data?.items ?? []) : []),
    ...networks.map((network) => ({
      id: `asn:${network.asn}`,
      name: network.name,
      type: "network",
      label: `AS${network.asn}`,
      network,
    })),
  ];
  return { data, problem, items: searched === "" || problem !== undefined ? [] : found };
}

function foundText(count: number): string {
  if (count === 0) return "No results";
  return count >= MAX_RESULTS
    ? `First ${count} results; type more to narrow them down`
    : formatCounted(count, "result");
}
