import { AddressSet } from "../../../sets/address-set.ts";
import { wholeNumber, wholeNumberAs } from "../../runner/parse-arguments.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { operationCommand } from "./_operation.ts";

const MAX_WEIGHT = 1_000_000;

export const atLeastCommand = operationCommand({
  name: "sets atleast",
  summary: "print the addresses that are in at least K of the sets, as the fewest prefixes",
  operands: "K SET SET...",
  options: [
    {
      name: "weights",
      value: "N,N,...",
      help: "how much each set counts, in their order; K is then the least sum; by default each counts 1",
    },
  ],
  evaluate: async (args, read) => {
    const [least, ...operands] = args.operands;
    const weights = args.has("weights") ? weightsFrom(args.value("weights")!, operands.length) : operands.map(() => 1);
    // With more than all sets together count, no address could be printed.
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const k = wholeNumberAs("K", least!, all);
    const sets: AddressSet[] = [];
    for (const operand of operands) sets.push(await read(operand));
    return AddressSet.atLeast(k, sets, weights);
  },
  examples: [
    {
      command: "ipsieve sets atleast 2 spamhaus.txt firehol.txt dshield.txt",
      what: "what two of three lists agree on",
    },
    {
      command: "ipsieve sets atleast 3 --weights 3,1,1,1 own.txt a.txt b.txt c.txt",
      what: "what one's own list has, or three others have",
    },
  ],
});

function weightsFrom(text: string, count: number): number[] {
  const weights = text.split(",").map((part) => wholeNumber("weights", part.trim(), MAX_WEIGHT));
  if (weights.length !== count)
    throw new UsageError(`--weights ${text}: give one weight for each of the ${count} sets, in their order`);
  return weights;
}
