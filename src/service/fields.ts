import { MAX_DESCRIPTION_LENGTH } from "../rulesets/validate-rule.ts";

/** What users decide about something, said once: for the API and its clients, for new ones, and for the commands. */
export interface Field<Value> {
  /** The values that it takes, as JSON Schema, with what it means. */
  readonly schema: FieldSchema;
  /** Whether it is a text of one line. */
  readonly isLine?: boolean;
  /** The name of its schema in the API document. */
  readonly named?: string;
  /** Of new ones that do not say it. */
  readonly initial?: Value;
  /** Whether it is a note, or of those who fetch: a change of it is none of what is made. */
  readonly isForPeople?: boolean;
  /** Without a value, it is a flag. The name is that of the field unless it has another. */
  readonly option?: { readonly name?: string; readonly value?: string; readonly help: string };
}

interface FieldSchema {
  readonly type?: "string" | "integer" | "boolean";
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description: string;
  readonly examples?: readonly unknown[];
}

/** A field for each member of a definition. New ones must say `Required`; all others have an initial value. */
export type Fields<Definition, Required extends keyof Definition = never> = {
  readonly [Name in keyof Definition]-?: Field<Definition[Name]> &
    (Name extends Required ? unknown : { readonly initial: Definition[Name] });
};

/** What new ones have; what is older than a field has the same. */
export function initialOf<Definition, Required extends keyof Definition>(fields: Fields<Definition, Required>) {
  const entries = Object.entries<Field<unknown>>(fields).filter(([, { initial }]) => initial !== undefined);
  return Object.fromEntries(entries.map(([name, { initial }]) => [name, initial])) as {
    [Name in Exclude<keyof Definition, Required>]: NonNullable<Definition[Name]>;
  };
}

/** `help`: of the option. */
export function descriptionField(help: string) {
  return {
    schema: { type: "string", maxLength: MAX_DESCRIPTION_LENGTH, description: "without control characters" },
    isLine: true,
    initial: "",
    option: { value: "TEXT", help },
  } as const;
}

/** Of a field that is on or off. */
export const YES_OR_NO = "yes|no";
