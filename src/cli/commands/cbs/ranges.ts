import type { Family } from "../../../address/address.ts";
import { parsePrefix } from "../../../address/prefix.ts";
import { rangesOf } from "../../../cbs/ranges.ts";
import { exportRules } from "../../../rulesets/export-rules.ts";
import { SET_NAME, SET_NAME_RULE, setNameOf } from "../../../formats/set-name.ts";
import { AS_OF_OPTION, chosenMoment, chosenSnapshot } from "../../snapshots/catalogue-history.ts";
import { openTree, SNAPSHOT_OPTION, withIds } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { joined, printChunks } from "../../output/print-chunks.ts";
import { UsageError } from "../../runner/usage-error.ts";

const FORMATS = ["text", "ipset", "nftables"] as const;

export const rangesCommand: Command = {
  name: "cbs ranges",
  summary: "print the prefixes of a node and all its descendants",
  operands: "ID",
  operandWords: [],
  options: [
    { name: "aggregate", help: "merge into the fewest prefixes that cover exactly the same addresses" },
    { name: "family", value: "4|6", choices: ["4", "6"], help: "only IPv4 or only IPv6" },
    {
      name: "source",
      value: "KEY",
      help: "only prefixes from this source: a publisher's list, such as aws, or asn for those known by AS number",
    },
    {
      name: "format",
      value: "FORMAT",
      choices: FORMATS,
      help: "text (default: one prefix per line), or a firewall file: ipset (for ipset restore) or nftables (for nft -f)",
    },
    {
      name: "set-name",
      value: "NAME",
      help: "for ipset and nftables: the name of the sets, to which _4 and _6 are appended; default: derived from ID",
    },
    {
      name: "json",
      help: "print one JSON document per line: the prefix, its nodes, and the sources that name them",
    },
    SNAPSHOT_OPTION,
    AS_OF_OPTION,
  ],
  notes: [
    "Prefixes are printed one per line, without repeats, sorted by address. The firewall files replace the sets NAME_4 and NAME_6 atomically; for nftables, they are in the table inet ipsieve. Exit code: 0 if there are prefixes, 1 if there are none, 2 if no node has this ID.",
  ],
  examples: [
    { command: "ipsieve cbs ranges /cdn/cloudflare", what: "as the lists give them" },
    { command: "ipsieve cbs ranges --source aws /cloud/aws", what: "only those on the publisher's own list" },
    { command: "ipsieve cbs ranges --aggregate --family 4 /cloud/aws > aws.txt", what: "for a firewall" },
    {
      command: "ipsieve cbs ranges /cdn/cloudflare --format nftables --set-name cdn | nft -f -",
      what: "as the sets cdn_4 and cdn_6",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const format = formatOf(args);
  const tree = await openTree(await chosenSnapshot(args), chosenMoment(args));
  const family = args.has("family") ? (Number(args.value("family")) as Family) : undefined;
  const { items, count } = withIds(tree, () =>
    rangesOf(tree, args.operands[0], { family, aggregate: args.has("aggregate"), source: args.value("source") }),
  );
  if (format !== "text") {
    const rules = items
      .values()
      .map(({ cidr }) => ({ prefix: parsePrefix(cidr), name: null, expiresAt: null, createdAt: 0, updatedAt: 0 }));
    await printChunks(
      exportRules(rules, format, {
        setName: args.value("set-name") ?? setNameOf(args.operands[0]!, args.operands[0]!),
      }),
    );
    return count > 0 ? EXIT.matched : EXIT.nothing;
  }
  const lineOf = args.has("json")
    ? (item: (typeof items)[number]) => `${JSON.stringify(item)}\n`
    : ({ cidr }: (typeof items)[number]) => `${cidr}\n`;
  await printChunks(joined(items.values().map(lineOf)));
  return count > 0 ? EXIT.matched : EXIT.nothing;
}

type Format = (typeof FORMATS)[number];

/** @throws UsageError for options that do not go together */
function formatOf(args: Arguments): Format {
  const format = (args.value("format") ?? "text") as Format;
  if (args.has("json") && args.has("format")) throw new UsageError("give --json or --format, not both");
  const name = args.value("set-name");
  if (name === undefined) return format;
  if (format === "text") throw new UsageError("--set-name goes with --format ipset or nftables");
  if (!SET_NAME.test(name))
    throw new UsageError(`--set-name ${JSON.stringify(name)}: the name of a set ${SET_NAME_RULE}`);
  return format;
}
