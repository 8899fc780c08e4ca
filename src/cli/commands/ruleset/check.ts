import type { Rule } from "../../../client/client.ts";
import { chosenTarget, TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { inGroups } from "../../input/in-groups.ts";
import { isOutputClosed, printText } from "../../runner/standard-output.ts";
import { readPrefixes } from "../../input/read-prefixes.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";

/** Addresses of a request; a server accepts 10,000 by default. */
const MAX_CHECKED = 1000;

export const checkCommand: Command = {
  name: "ruleset check",
  summary: "show which rules of a ruleset cover addresses or prefixes",
  operands: "RULESET ADDRESS|PREFIX|-...",
  options: [
    { name: "all", help: "print every active rule that covers an address, not only the one that decides" },
    { name: "json", help: "print one JSON document per line" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    TARGET_NOTE,
    '"-" is standard input, the lines of a list; of a range, each of its prefixes.',
    "Output: the address, the rule that decides (the most specific active one), its name and its expiry, separated by tabs. These columns are empty for an address that no rule covers.",
    KEY_NOTE,
    "Exit code: 0 if a rule covers at least one address, 1 if none does, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve ruleset check blocklist.ipsieve 1.2.4.9", what: "in a file, without a server" },
    { command: "ipsieve ruleset check Blocklist 1.2.4.9", what: "is it blocked, by which rule, and until when?" },
    { command: "ipsieve ruleset check Blocklist --all - < addresses.txt", what: "every rule for every address" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [ruleset, ...operands] = args.operands as [string, ...string[]];
  let [isCovered, hasFailed] = [false, false];
  const target = await chosenTarget(args, ruleset);
  const prefixes = readPrefixes(operands, () => (hasFailed = true));
  for await (const texts of inGroups(prefixes, MAX_CHECKED)) {
    if (isOutputClosed()) break;
    const found = await target.check(texts);
    isCovered ||= found.values().some((covering) => covering.length > 0);
    await printText(texts.map((text) => checkText(text, found.get(text)!, args)).join(""));
  }
  if (hasFailed) return EXIT.error;
  return isCovered ? EXIT.matched : EXIT.nothing;
}

function checkText(ip: string, covering: readonly Rule[], args: Arguments): string {
  const [rule] = covering;
  if (args.has("json")) return `${JSON.stringify({ ip, matched: rule !== undefined, rule: rule ?? null, covering })}\n`;
  if (rule === undefined) return `${ip}\t\t\t\n`;
  return (args.has("all") ? covering : [rule])
    .map((each) => `${ip}\t${each.ip}\t${each.name ?? ""}\t${each.expires_at ?? ""}\n`)
    .join("");
}
