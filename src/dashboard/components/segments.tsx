import { formatCount } from "../format.ts";

interface Props<Value> {
  readonly legend: string;
  readonly name: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, title: string, count?: number | undefined])[];
  readonly onChange: (value: Value) => void;
}

/** Radio buttons side by side; a choice may say how many items it has. */
export function Segments<Value>({ legend, name, value, choices, onChange }: Props<Value>) {
  return (
    <fieldset class="segments">
      <legend class="hidden">{legend}</legend>
      {choices.map(([choice, title, count]) => (
        <label key={title}>
          <input type="radio" name={name} class="hidden" checked={choice === value} onChange={() => onChange(choice)} />
          {title}
          {count !== undefined && <span class="muted">{formatCount(count)}</span>}
        </label>
      ))}
    </fieldset>
  );
}
