import { type TSchema, type TUnsafe, Type } from "typebox";
import type { Field, Fields } from "../../service/fields.ts";
import { LineText, named } from "../schemas/common.ts";

/** The schemas of fields, of which nothing is required or optional yet. */
export function schemasOf<Definition, Required extends keyof Definition>(fields: Fields<Definition, Required>) {
  const entries = Object.entries<Field<unknown>>(fields).map(([name, field]) => [name, schemaOf(field)]);
  return Object.fromEntries(entries) as { [Name in keyof Definition]-?: TUnsafe<NonNullable<Definition[Name]>> };
}

function schemaOf({ schema, isLine = false, named: name }: Field<unknown>): TSchema {
  const { maxLength = 0 } = schema;
  const read = isLine ? LineText({ ...schema, maxLength }) : Type.Unsafe(schema);
  return name === undefined ? read : named(name, read);
}
