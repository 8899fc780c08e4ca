import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { get } from "../api.ts";
import { useLoad } from "../load.ts";
import type { AuditFilter } from "./filter.ts";

interface Props {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

/** Filters by action, person, ruleset, and days. */
export function AuditFilterBar({ filter, onChange }: Props) {
  const { data } = useLoad((signal) => get("/dashboard/api/audit/filters", { signal }));
  const set = (member: keyof AuditFilter) => (value: string) => onChange({ ...filter, [member]: value });
  const { kinds = [], actors = [], rulesets = [] } = data ?? {};
  return (
    <div class="audit-filter">
      <Choice
        label="Action"
        all="All actions"
        value={filter.kind}
        onChange={set("kind")}
        options={kinds.map(({ kind, action }) => [kind, action])}
      />
      <Choice
        label="Who"
        all="Anyone"
        value={filter.actor}
        onChange={set("actor")}
        options={actors.map(({ actor, kind, name }) => [actor, kind === "key" ? `Key: ${name}` : name])}
      />
      <Choice
        label="Ruleset"
        all="All rulesets"
        value={filter.ruleset_id}
        onChange={set("ruleset_id")}
        options={rulesets.map(({ id, name }) => [id, name])}
        other="Deleted ruleset"
      />
      <Labelled label="From">
        {(id) => (
          <input
            id={id}
            type="date"
            value={filter.from}
            max={filter.to}
            onChange={(event) => set("from")(event.currentTarget.value)}
          />
        )}
      </Labelled>
      <Labelled label="To">
        {(id) => (
          <input
            id={id}
            type="date"
            value={filter.to}
            min={filter.from}
            onChange={(event) => set("to")(event.currentTarget.value)}
          />
        )}
      </Labelled>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The option for no choice. */
  readonly all: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The option for a value that is not in the list. */
  readonly other?: string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, all, value, options, other = value, onChange }: ChoiceProps) {
  const isOther = value !== "" && !options.some(([each]) => each === value);
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{all}</option>
          {isOther && <option value={value}>{other}</option>}
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function Labelled({
  label,
  children,
}: {
  readonly label: string;
  readonly children: (id: string) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div>
      <label for={id} class="muted small">
        {label}
      </label>
      {children(id)}
    </div>
  );
}
