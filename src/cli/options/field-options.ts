import { type Field, type Fields, YES_OR_NO } from "../../service/fields.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";

/** The fields of a resource, or some of them. */
type Some = Readonly<Record<string, Field<unknown>>>;

/** The options of those fields that have one, in their order. */
export function fieldOptions(fields: Some, without: readonly string[] = []): Option[] {
  return Object.entries(fields).flatMap(([name, { schema, option }]) => {
    if (option === undefined || without.includes(name)) return [];
    const choices = option.value === YES_OR_NO ? YES_OR_NO.split("|") : schema.enum;
    return [{ ...option, name: optionNamed(name, fields), ...(choices !== undefined && { choices }) }];
  });
}

/** The values that options give; absent ones are not given. @throws UsageError */
export function fieldValues<Definition, Required extends keyof Definition>(
  fields: Fields<Definition, Required>,
  args: Arguments,
): Partial<Definition> {
  const given = Object.entries<Field<unknown>>(fields).flatMap(([name, field]): [string, unknown][] => {
    const by = optionNamed(name, fields);
    return field.option !== undefined && args.has(by) ? [[name, valueOf(field, by, args.value(by))]] : [];
  });
  return Object.fromEntries(given) as Partial<Definition>;
}

/** `text`: undefined for a flag. @throws UsageError */
function valueOf({ schema }: Field<unknown>, option: string, text = "yes"): string | number | boolean {
  const { type, minimum = 0, maximum = 0 } = schema;
  if (type === "boolean") return text === "yes";
  return type === "integer" ? wholeNumber(option, text, maximum, minimum) : text;
}

/** The option of a field: its own name, in the writing of options, unless the field says another. */
export function optionNamed(field: string, fields: Some): string {
  return fields[field]?.option?.name ?? field.replaceAll("_", "-");
}
