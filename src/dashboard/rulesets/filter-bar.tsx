import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { Segments } from "../components/segments.tsx";
import { DAYS, readSearch, type RuleFilter, type RuleState } from "./rule-filter.ts";

interface Props {
  readonly filter: RuleFilter;
  readonly total: number | undefined;
  readonly active: number | undefined;
  readonly onChange: (filter: RuleFilter) => void;
}

/** By state, and by address or name. */
export function FilterBar({ filter, total, active, onChange }: Props) {
  const states: readonly (readonly [state: RuleState | undefined, title: string, count?: number | undefined])[] = [
    [undefined, "All", total],
    ["active", "Active", active],
    ["expiring", "Expiring soon"],
    ["expired", "Expired", total === undefined || active === undefined ? undefined : total - active],
  ];
  return (
    <div class="filter-bar">
      <Segments
        legend="State"
        name="state"
        value={filter.state}
        choices={states}
        onChange={(state) => onChange({ ...filter, state })}
      />
      {filter.state === "expiring" && <Within days={filter.days} onChange={(days) => onChange({ ...filter, days })} />}
      <Search filter={filter} onChange={onChange} />
    </div>
  );
}

function Within({ days, onChange }: { readonly days: number; readonly onChange: (days: number) => void }) {
  const change = (event: Event): void => {
    const value = Number((event.currentTarget as HTMLInputElement).value);
    if (Number.isInteger(value) && value >= 1 && value <= 36_500) onChange(value);
  };
  return (
    <label class="within">
      within{" "}
      <input type="number" min={1} max={36_500} defaultValue={days} onInput={change} placeholder={String(DAYS)} /> days
    </label>
  );
}

/** Milliseconds after the last key press until the search starts. */
const REST = 200;

function Search({ filter, onChange }: Pick<Props, "filter" | "onChange">) {
  const searched = filter.ip ?? filter.name ?? "";
  const [typed, setTyped] = useState(searched);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const newest = useRef(filter);
  newest.current = filter;
  useEffect(() => () => clearTimeout(timer.current), []);
  // The URL of the page was changed by other means, such as going back.
  useEffect(() => setTyped((last) => (last.trim() === searched.trim() ? last : searched)), [searched]);
  const type = (event: Event): void => {
    const { value } = event.currentTarget as HTMLInputElement;
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange({ ...newest.current, ...readSearch(value) }), REST);
  };
  return (
    <div class="rule-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search by address or name"
        placeholder="Address, prefix or name"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={type}
      />
    </div>
  );
}
