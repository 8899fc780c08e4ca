import { inTurn, operationCommand } from "./_operation.ts";

export const unionCommand = operationCommand({
  name: "sets union",
  summary: "print the addresses that are in any of the sets, as the fewest prefixes",
  operands: "SET...",
  evaluate: inTurn((first, other) => first.union(other)),
  examples: [
    { command: "ipsieve sets union drop.txt edrop.txt > all.txt", what: "several lists as one" },
    { command: "ipsieve sets union blocklist.txt", what: "neighbours merged, covered prefixes dropped" },
    { command: "ipsieve sets union blocklist.txt --format nftables | nft -f -", what: "a list as a firewall's sets" },
  ],
});
