import { UnexportableError } from "../../../formats/format.ts";
import { SET_NAME, SET_NAME_RULE } from "../../../formats/set-name.ts";
import { NAMED_FORMATS, type RuleExportFormat } from "../../../rulesets/export-rules.ts";
import { invalid } from "../../../service/service-error.ts";

/** @throws Problem (400) for an invalid name of a set, and for formats without sets */
export function setNameFor(format: RuleExportFormat, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (!NAMED_FORMATS.has(format))
    throw invalid({
      set_name: [
        `the format ${format} cannot contain a name; leave it out, or choose one of ${[...NAMED_FORMATS].join(", ")}`,
      ],
    });
  if (!SET_NAME.test(name))
    throw invalid({
      set_name: [`${SET_NAME_RULE}, not ${JSON.stringify(name)}`],
    });
  return name;
}

/** @throws Problem (400) where the format cannot say what the list does */
export function refuseUnexportable(error: unknown): never {
  throw error instanceof UnexportableError ? invalid({ format: [error.message] }) : error;
}
