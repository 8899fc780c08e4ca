import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { formatCount } from "../format.ts";
import { DAYS, readSearch, type RuleFilter, type RuleState } from "./rule-filter.ts";

interface Props {
  readonly filter: RuleFilter;
  readonly total: number | undefined;
  readonly active: number | undefined;
  readonly onChange: (filter: RuleFilter) => void;
}

const STATES: readonly (readonly [state: RuleState | undefined, title: string])[] = [
  [undefined, "All"],
  ["active", "Active"],
  ["expiring", "Expiring soon"],
  ["expired", "Expired"],
];

/** By state, and by address or name. */
export function FilterBar({ filter, total, active, onChange }: Props) {
  const counts = new Map<RuleState | undefined, number | undefined>([
    [undefined, total],
    ["active", active],
    ["expired", total === undefined || active === undefined ? undefined : total - active],
  ]);
  return (
    <div class="filter-bar">
      <fieldset class="segments">
        <legend class="hidden">State</legend>
        {STATES.map(([state, title]) => (
          <label key={title}>
            <input
              type="radio"
              name="state"
              class="hidden"
              checked={filter.state === state}
              onChange={() => onChange({ ...filter, state })}
            />
            {title}
            {counts.get(state) !== undefined && <span class="muted">{formatCount(counts.get(state)!)}</span>}
          </label>
        ))}
      </fieldset>
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
