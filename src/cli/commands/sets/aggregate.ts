import { inTurn, operationCommand } from "./_operation.ts";

export const aggregateCommand = operationCommand({
  name: "sets aggregate",
  summary: "print the fewest prefixes that cover exactly the same addresses",
  operands: "SET...",
  evaluate: inTurn((first, other) => first.union(other)),
  examples: [{ command: "ipsieve sets aggregate blocklist.txt", what: "neighbours merged, covered prefixes dropped" }],
});
