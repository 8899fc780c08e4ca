import { AddressSet } from "../../../sets/address-set.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { operationCommand } from "./_operation.ts";

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
    const k = wholeNumber(least!, "K, how many sets must have an address,");
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    if (k > all)
      throw new UsageError(
        `K is ${k}, and all sets together count ${all}: no address can be printed; write a number from 1 to ${all}`,
      );
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
  const weights = text.split(",").map((part) => wholeNumber(part.trim(), "--weights: each weight"));
  if (weights.length !== count)
    throw new UsageError(`--weights: ${weights.length} weights for ${count} sets; write one for each, in their order`);
  return weights;
}

/** The largest is 1,000,000. */
function wholeNumber(text: string, what: string): number {
  if (/^[1-9]\d{0,5}$|^1000000$/.test(text)) return Number(text);
  throw new UsageError(`${what} is a whole number from 1 to 1000000, and not ${JSON.stringify(text)}`);
}
