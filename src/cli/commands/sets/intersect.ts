import { inTurn, operationCommand } from "./_operation.ts";

export const intersectCommand = operationCommand({
  name: "sets intersect",
  summary: "print the addresses that are in all of the sets, as the fewest prefixes",
  operands: "SET SET...",
  evaluate: inTurn((first, other) => first.intersection(other)),
  examples: [
    {
      command: "ipsieve sets intersect blocklist.txt cbs:/cdn/cloudflare",
      what: "which of Cloudflare's addresses would be blocked?",
    },
    {
      command: "ipsieve sets intersect blocklist.txt own-networks.txt",
      what: "exit code 1: none of your own addresses",
    },
  ],
});
