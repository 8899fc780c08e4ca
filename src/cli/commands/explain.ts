import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identify } from "../../cbs/identify.ts";
import { openCatalogue } from "../../datasets/open-catalogue.ts";
import { explain, nextChangeOf } from "../../rulesets/explain.ts";
import type { Purpose, Ruleset } from "../../rulesets/ruleset.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { nowOf } from "../address-sets/address-operand.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { NETWORKS_OPTION, ShownNetworks } from "../snapshots/chosen-networks.ts";
import { DEFAULT_CATALOGUE, defaultCatalogue } from "../snapshots/default-datasets.ts";
import { explainOnServer, isAboutServer } from "../server/explain-on-server.ts";
import { explanationCard, type ExplainedAddress } from "../server/explained-address.ts";
import { openedRules, RULES_NOTE } from "../rule-lists/opened-rules.ts";
import { isOutputClosed, printText } from "../runner/standard-output.ts";
import { styleFor } from "../output/style.ts";
import { readPrefixes } from "../input/read-prefixes.ts";
import { CONNECTION_OPTIONS, connectionWords, KEY_NOTE } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

export const explainCommand: Command = {
  name: "explain",
  summary: "show which rules cover addresses, which one decides and why, and until when",
  operands: "ADDRESS|PREFIX|-...",
  operandWords: [],
  options: [
    { name: "rules", value: "RULES", isPath: true, repeats: true, help: "a list of rules; may be given several times" },
    { name: "allow", value: "RULES", isPath: true, repeats: true, help: "rules that allow, in any file" },
    { name: "allow-empty", help: "do not reject a list of --allow without rules" },
    { name: "snapshot", value: "FILE", isPath: true, help: `the catalogue of services; default: ${DEFAULT_CATALOGUE}` },
    NETWORKS_OPTION,
    { name: "now", value: "TIME", help: "explain what was or will be decided at TIME; default: now" },
    { name: "json", help: "print one JSON document per line" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `${RULES_NOTE} A ruleset file records whether it is an allowlist; any other list blocks, unless it is given with --allow.`,
    "In each list the most specific active rule decides. An address that an allowlist and a blocklist cover is allowed.",
    "With --server, or with $IPSIEVE_SERVER and no files, the rules are those of all rulesets of the key's organisation, and its deployments and catalogue are those of the server, as of now. Otherwise no server is contacted.",
    KEY_NOTE,
    "Exit code: 0 if a rule decides about at least one address, 1 if none does, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve explain 1.2.4.9 --rules blocklist.ipsieve --allow own.txt", what: "is it blocked, and why?" },
    { command: "ipsieve explain 1.2.4.9 --rules feed.csv --now 2027-01-01", what: "and then?" },
    { command: "ipsieve explain 1.2.4.9 --server https://lists.example.org", what: "all rulesets of a server" },
  ],
  run,
};

interface NamedRules {
  readonly name: string;
  readonly purpose: Purpose;
  readonly rules: Ruleset;
}

async function run(args: Arguments): Promise<number> {
  let [isDecided, hasFailed] = [false, false];
  const onError = (): void => void (hasFailed = true);
  const explained = isAboutServer(args) ? explainOnServer(args, onError) : explainInFiles(args, onError);
  const cardOf = (each: ExplainedAddress) => explanationCard(each, styleFor(process.stdout), connectionWords(args));
  for await (const each of explained) {
    if (isOutputClosed()) break;
    isDecided ||= each.verdict !== "none";
    await printText(args.has("json") ? `${JSON.stringify(each)}\n` : cardOf(each));
  }
  if (hasFailed) return EXIT.error;
  return isDecided ? EXIT.matched : EXIT.nothing;
}

async function* explainInFiles(args: Arguments, onError: () => void): AsyncGenerator<ExplainedAddress> {
  const lists = await openedLists(args);
  const now = nowOf(args);
  const catalogue = await openCatalogue(args.value("snapshot") ?? defaultCatalogue(), now);
  const networks = await ShownNetworks.open(args);
  for await (const text of readPrefixes(args.operands, onError)) yield explained(text, lists, catalogue, networks, now);
}

async function openedLists(args: Arguments): Promise<NamedRules[]> {
  const lists: NamedRules[] = [];
  for (const option of ["rules", "allow"])
    for (const path of args.values(option)) {
      const rules = await openedRules(args, path, option === "allow" && !args.has("allow-empty"));
      lists.push({ name: path, purpose: option === "allow" ? "allowlist" : rules.purpose, rules });
    }
  if (lists.length === 0) throw new UsageError("give --rules RULES at least once, or --server URL");
  return lists;
}

function explained(
  text: string,
  lists: readonly NamedRules[],
  catalogue: Catalogue,
  networks: ShownNetworks,
  now: number,
): ExplainedAddress {
  const where = parsePrefix(text);
  const found = lists.map(({ name, purpose, rules }) => ({ name, purpose, ...explain(rules, where, now) }));
  const decides = (purpose: Purpose): boolean =>
    found.some((list) => list.purpose === purpose && list.deciding !== null);
  const next = nextChangeOf(found.map((list) => ({ ...list, decides: list.deciding !== null })));
  return {
    ip: formatPrefix(where),
    verdict: decides("allowlist") ? "allowed" : decides("blocklist") ? "blocked" : "none",
    next_change_at: timestamp(next),
    services: identify(catalogue, where, text).cbs_ids,
    network: networks.of(where),
    lists: found.map(({ name, purpose, covering, nextChangeAt, coveredUntil }) => ({
      list: name,
      purpose,
      next_change_at: timestamp(nextChangeAt),
      covered_until: timestamp(coveredUntil),
      rules: covering.map((rule) => ({
        ip: formatPrefix(rule.prefix),
        name: rule.name,
        expires_at: timestamp(rule.expiresAt),
        role: rule.role,
      })),
    })),
  };
}

function timestamp(moment: number | null): string | null {
  return moment === null ? null : formatTimestamp(moment);
}
