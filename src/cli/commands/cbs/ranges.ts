import type { Family } from "../../../address/address.ts";
import { rangesOf } from "../../../cbs/ranges.ts";
import { AS_OF_OPTION, chosenSnapshot } from "../../catalogue-history.ts";
import { openTree, SNAPSHOT_OPTION, withIds } from "../../catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { joined, printChunks } from "../../output/print-chunks.ts";

export const rangesCommand: Command = {
  name: "cbs ranges",
  summary: "print the prefixes of a node and of all below it",
  operands: "ID",
  minOperands: 1,
  maxOperands: 1,
  operandWords: [],
  options: [
    { name: "aggregate", help: "the fewest prefixes that cover exactly the same addresses" },
    { name: "family", value: "4|6", choices: ["4", "6"], help: "only IPv4 or only IPv6" },
    { name: "source", value: "KEY", help: "only what this source names: a publisher's list, such as aws, or asn for what AS numbers tell" },
    { name: "json", help: "one JSON document per line: the prefix, all nodes that sources name for it, and these sources" },
    SNAPSHOT_OPTION,
    AS_OF_OPTION,
  ],
  notes: ["One prefix per line, each once, by address. Exit code: 0 if there is any, 1 if there is none, 2 for an ID that no node has."],
  examples: [
    { command: "ipsieve cbs ranges /cdn/cloudflare", what: "as its lists have them" },
    { command: "ipsieve cbs ranges --source aws /cloud/aws", what: "only what the publisher's own list names" },
    { command: "ipsieve cbs ranges --aggregate --family 4 /cloud/aws > aws.txt", what: "for a firewall" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const tree = await openTree(await chosenSnapshot(args));
  const family = args.has("family") ? (Number(args.value("family")) as Family) : undefined;
  const { items, count } = withIds(tree, () => rangesOf(tree, args.operands[0], { family, aggregate: args.has("aggregate"), source: args.value("source") }));
  const lineOf = args.has("json") ? (item: (typeof items)[number]) => `${JSON.stringify(item)}\n` : ({ cidr }: (typeof items)[number]) => `${cidr}\n`;
  await printChunks(joined(items.values().map(lineOf)));
  return count > 0 ? EXIT.matched : EXIT.nothing;
}
