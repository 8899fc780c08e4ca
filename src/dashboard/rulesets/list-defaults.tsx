import { Field } from "../components/form.tsx";

/** The name and expiry of rules for which the list has none. */
export interface ListDefaults {
  readonly name: string;
  /** As typed. */
  readonly days: string;
}

export const NO_DEFAULTS: ListDefaults = { name: "", days: "" };

/** As the server expects them. */
export function defaultsQuery({ name, days }: ListDefaults): {
  readonly name?: string;
  readonly expires_in_days?: number;
} {
  return { ...(name === "" ? {} : { name }), ...(days === "" ? {} : { expires_in_days: Number(days) }) };
}

const MAX_NAME_LENGTH = 255;

export function ListDefaultsInput({
  value,
  onChange,
}: {
  readonly value: ListDefaults;
  readonly onChange: (defaults: ListDefaults) => void;
}) {
  return (
    <>
      <Field
        name="default_name"
        label="Name for rules without one"
        optional
        maxLength={MAX_NAME_LENGTH}
        autocomplete="off"
        value={value.name}
        onInput={(event) => onChange({ ...value, name: event.currentTarget.value })}
      />
      <Field
        name="default_days"
        label="Expiry in days, for rules without one"
        optional
        type="number"
        min={1}
        max={36_500}
        value={value.days}
        onInput={(event) => onChange({ ...value, days: event.currentTarget.value })}
        hint="Leave empty for rules that never expire."
      />
    </>
  );
}
