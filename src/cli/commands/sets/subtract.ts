import { inTurn, operationCommand } from "./_operation.ts";

export const subtractCommand = operationCommand({
  name: "sets subtract",
  summary: "print the addresses of the first set that are in none of the others",
  operands: "SET SET...",
  evaluate: inTurn((first, other) => first.difference(other)),
  examples: [
    {
      command: "ipsieve sets subtract blocklist.txt allowlist.txt cbs:/cloud/aws",
      what: "a blocklist, without what must not be blocked",
    },
    { command: "ipsieve sets subtract 10.0.0.0/8 10.1.2.3", what: "the 24 prefixes around one address" },
  ],
});
