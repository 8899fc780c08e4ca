/** What the tables of fields say, held against each other and against what follows from them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { schemasOf } from "../../src/api/resources/field-schemas.ts";
import { fieldOptions, fieldValues, optionNamed } from "../../src/cli/options/field-options.ts";
import { EXIT } from "../../src/cli/runner/command.ts";
import { parseArguments } from "../../src/cli/runner/parse-arguments.ts";
import { DEPLOYMENT_FIELDS, OPTION_FIELDS } from "../../src/service/deployments/deployment-fields.ts";
import { type Field, initialOf } from "../../src/service/fields.ts";
import { LIST_FIELDS } from "../../src/service/lists/list-fields.ts";
import { RULESET_FIELDS } from "../../src/service/rules/ruleset-fields.ts";

type Table = Readonly<Record<string, Field<unknown>>>;
const TABLES: Readonly<Record<string, Table>> = { DEPLOYMENT_FIELDS, OPTION_FIELDS, LIST_FIELDS, RULESET_FIELDS };

/** What the options of these fields give. */
function valuesOf(table: Table, ...args: string[]): unknown {
  const options = fieldOptions(table);
  const command = { name: "x", summary: "", operands: "", options, examples: [], run: async () => EXIT.matched };
  return fieldValues(table, parseArguments(command, args));
}

/** Values that a field takes, as they are written on a command line, and others. */
function casesOf({ schema, option }: Field<unknown>): { good: [string, unknown][]; bad: string[] } {
  if (schema.enum !== undefined) return { good: schema.enum.map((each) => [each, each]), bad: ["no such value"] };
  if (schema.type === "boolean" && option?.value === undefined) return { good: [["", true]], bad: [] };
  if (schema.type === "boolean")
    return {
      good: [
        ["yes", true],
        ["no", false],
      ],
      bad: ["true", "perhaps"],
    };
  if (schema.type === "string") return { good: [["a text", "a text"]], bad: [] };
  const [least, most] = [schema.minimum!, schema.maximum!];
  return { good: [least, most].map((each) => [String(each), each]), bad: [String(least - 1), String(most + 1), "x"] };
}

for (const [name, table] of Object.entries(TABLES)) {
  test(`${name}: what new ones have is a value of the field, as the API takes it`, () => {
    const schemas: Readonly<Record<string, TSchema>> = schemasOf(table);
    for (const [field, value] of Object.entries(initialOf(table)))
      assert.ok(Check(schemas[field]!, value), `${field}: ${String(value)}`);
  });

  test(`${name}: what a field and its option are for is said, in words with single spaces between them`, () => {
    for (const [field, { schema, option }] of Object.entries(table)) {
      const texts = [schema.description, ...(schema.enum ?? []), ...(option ? [option.help] : [])];
      for (const text of texts) assert.match(text, /^\S+( \S+)*$/, field);
      if (option?.value !== undefined) assert.match(option.value, /^[A-Z]+$|^yes\|no$/, field);
    }
  });

  test(`${name}: an option takes exactly the values of its field`, () => {
    const schemas: Readonly<Record<string, TSchema>> = schemasOf(table);
    for (const [field, each] of Object.entries(table)) {
      if (each.option === undefined) continue;
      const option = `--${optionNamed(field, table)}`;
      const { good, bad } = casesOf(each);
      for (const [text, value] of good) {
        const given = text === "" ? [option] : [option, text];
        assert.deepEqual(valuesOf(table, ...given), { [field]: value }, given.join(" "));
        assert.ok(Check(schemas[field]!, value), `${field}: ${String(value)}`);
      }
      for (const text of bad) assert.throws(() => valuesOf(table, `${option}=${text}`), new RegExp(option));
    }
    assert.deepEqual(valuesOf(table), {}, "nothing is given unless it is said");
  });
}
