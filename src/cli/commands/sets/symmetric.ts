import { inTurn, operationCommand } from "./_operation.ts";

export const symmetricCommand = operationCommand({
  name: "sets symmetric",
  summary: "print the addresses that are in exactly one of two sets",
  operands: "SET SET",
  evaluate: inTurn((first, other) => first.symmetricDifference(other)),
  examples: [{ command: "ipsieve sets symmetric yesterday.txt today.txt", what: "what has changed, in addresses" }],
});
