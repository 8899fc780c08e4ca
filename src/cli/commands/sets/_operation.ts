import type { Family } from "../../../address/address.ts";
import { exportRules, expressionOf, type RuleExportFormat } from "../../../rulesets/export-rules.ts";
import { gatheredFor } from "../../../deployments/unprocessable.ts";
import type { AddressSet } from "../../../sets/address-set.ts";
import { prefixLines } from "../../../sets/prefix-lines.ts";
import { type Arguments, type Command, EXIT, type Option } from "../../runner/command.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { expressed, PREFIX_FORMATS, rulesOf, SET_NAME_OPTION, setNameFor } from "../../options/prefix-formats.ts";
import { SET_NOTES, SET_OPTIONS, SetOperands } from "../../address-sets/set-operands.ts";

type Read = (operand: string) => Promise<AddressSet>;

/** What differs between the commands that combine sets. */
export interface Operation extends Pick<Command, "name" | "summary" | "operands" | "examples"> {
  readonly options?: readonly Option[];
  evaluate(args: Arguments, read: Read): Promise<AddressSet>;
}

/** The first set combined with each of the others in turn: two of them are in memory at a time. */
export function inTurn(combine: (first: AddressSet, other: AddressSet) => AddressSet): Operation["evaluate"] {
  return async ({ operands: [first, ...others] }, read) => {
    let result = await read(first!);
    for (const operand of others) result = combine(result, await read(operand));
    return result;
  };
}

/** A command that prints the fewest prefixes of a set that is made of others. */
export function operationCommand({ evaluate, options = [], ...about }: Operation): Command {
  return {
    ...about,
    options: [
      ...options,
      { name: "family", value: "4|6", choices: ["4", "6"], help: "only IPv4 or only IPv6" },
      {
        name: "format",
        value: "FORMAT",
        choices: PREFIX_FORMATS,
        help: `${PREFIX_FORMATS.join(", ")}; default: text`,
      },
      SET_NAME_OPTION,
      ...SET_OPTIONS,
    ],
    notes: [
      ...SET_NOTES,
      "The result is exact, and printed as the fewest prefixes that cover it, IPv4 first, in order. In the formats of other programs, these addresses are blocked.",
      "Exit code: 0 if the result has addresses, 1 if it has none, 2 after an error.",
    ],
    run: (args) => run(args, evaluate),
  };
}

async function run(args: Arguments, evaluate: Operation["evaluate"]): Promise<number> {
  const format = (args.value("format") as RuleExportFormat | undefined) ?? "text";
  const setName = setNameFor(args, format);
  const sets = new SetOperands(args, args.operands, gatheredFor(expressionOf(format)));
  const result = await evaluate(args, (operand) => sets.addressesOf(operand));
  const family = args.has("family") ? (Number(args.value("family")) as Family) : undefined;
  await printChunks(
    format === "text"
      ? prefixLines(result, family) // the same text in a fraction of the time
      : exportRules(rulesOf(expressed(result.prefixes(family), sets.expressible, format)), format, { setName }),
  );
  const families = family === undefined ? ([4, 6] as const) : [family];
  return families.some((each) => result.rangeCount(each) > 0) ? EXIT.matched : EXIT.nothing;
}
