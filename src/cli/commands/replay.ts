import { existsSync } from "node:fs";
import { formatAddress } from "../../address/format-address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { type BatchLookup, hitsByNode } from "../../cbs/hits-by-node.ts";
import { batchesOf } from "../../datasets/batches-of.ts";
import { catalogueOf } from "../../datasets/catalogue-from-bytes.ts";
import { openCatalogueSnapshot } from "../../datasets/open-catalogue.ts";
import { type Hits, type Replay, replayDifference, replaying, topHits, unusedRules } from "../../rulesets/replay.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { indexOf, Ruleset } from "../../rulesets/ruleset.ts";
import { finished } from "../../turns/finished.ts";
import { ADDRESS_OPTIONS, isOfDataset, literalIn, nowOf } from "../address-sets/address-operand.ts";
import { tableOfAddresses } from "../address-sets/addresses-snapshot.ts";
import { addressesAnywhere } from "../address-sets/set-operands.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { countedAddress, type CountedLog, countedLog, countedWithin, LOG_OPTIONS } from "../input/counted-log.ts";
import { DEFAULT_CATALOGUE, defaultCatalogue } from "../snapshots/default-datasets.ts";
import { openedRules, RULES_NOTE } from "../rule-lists/opened-rules.ts";
import { columnLines } from "../output/columns.ts";
import { grouped } from "../../words/numbers.ts";
import { printChunks } from "../output/print-chunks.ts";
import { type Style, styleFor } from "../output/style.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { rulesOnServer } from "../rulesets/rules-on-server.ts";
import { LIST, RULESET } from "../address-sets/server-source.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

const MAX_TOP = 1_000_000;

export const replayCommand: Command = {
  name: "replay",
  summary: "show what rules would have done with a log: hits by rule, addresses and services",
  operands: "LOG",
  options: [
    { name: "rules", value: "RULES", isPath: true, help: "the rules to try" },
    { name: "against", value: "RULES", isPath: true, help: "other rules, such as those in force: how do they differ?" },
    {
      name: "top",
      value: "N",
      help: "how many rules, unused rules, addresses and services to show; default: 10",
    },
    ...LOG_OPTIONS,
    {
      name: "only",
      value: "SET",
      isPath: true,
      help: 'only the lines of these addresses: a set as for "sets", such as country:DE, asn:15169, cbs:NODE, cti:QUERY or a list',
    },
    {
      name: "snapshot",
      value: "FILE",
      isPath: true,
      help: `the catalogue of services, and for cbs:NODE; default: ${DEFAULT_CATALOGUE}`,
    },
    ...ADDRESS_OPTIONS.filter(({ name }) => name === "threats" || name === "networks"),
    { name: "now", value: "TIME", help: "ignore what has expired by TIME; default: now" },
    { name: "json", help: "print one JSON document" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `${RULES_NOTE} RULES can also be ruleset:NAME (or its id), a ruleset on a server; list:NAME, an external list there; or a set as for "sets": asn:NUMBER, country:CODE, cbs:NODE, cti:SELECTION, cti:QUERY, or an address, prefix or range.`,
    'The log is read as by identify; "-" is standard input. Each line counts for the rule that decides about its address: the most specific active one.',
    KEY_NOTE,
    "Exit code: 0 if a rule is hit, 1 if none is, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve replay access.log --rules draft.csv", what: "whom would the draft block?" },
    { command: "ipsieve replay access.log --rules draft.csv --against live.ipsieve", what: "what would change?" },
    {
      command: "ipsieve replay access.log --rules draft.csv --against ruleset:blocklist",
      what: "the same against a ruleset on a server",
    },
    {
      command: "ipsieve replay access.log --rules cti:malicious --only country:DE",
      what: "whom in Germany would threat intelligence block?",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const path = args.value("rules");
  if (path === undefined) throw new UsageError("give --rules RULES");
  const most = wholeNumber("top", args.value("top") ?? "10", MAX_TOP, 1);
  const now = nowOf(args);
  const rules = await rulesOf(args, path, now);
  const against = args.value("against");
  const other = against === undefined ? undefined : await rulesOf(args, against, now);
  const cataloguePath = args.value("snapshot") ?? defaultCatalogue();
  const snapshot = await openCatalogueSnapshot(cataloguePath);
  const catalogue = catalogueOf(snapshot, cataloguePath, now);
  const only = args.value("only");
  const within = only === undefined ? undefined : tableOfAddresses(await addressesAnywhere(args, only, now));
  const whole = await countedLog(args, args.operands[0]!, snapshot);
  const log = within === undefined ? whole : countedWithin(whole, within, now);
  const replay = finished(replaying(rules, log.counts, now));
  const report: Report = {
    log,
    replay,
    never: rules.activeCount(now) - replay.byRule.size,
    rules: byRule(rules, replay, most),
    unused: finished(unusedRules(indexOf(rules), replay, now, most)),
    ...byAddress({ catalogue, batches: batchesOf(snapshot) }, log, replay, most),
    ...(other && { difference: replayDifference(replay, finished(replaying(other, log.counts, now)), log.counts) }),
  };
  await printChunks([args.has("json") ? `${JSON.stringify(documentOf(report))}\n` : textOf(report)]);
  return replay.lines > 0 ? EXIT.matched : EXIT.nothing;
}

/** Rules of a server or a file as they are; a set as rules without names that never expire. */
async function rulesOf(args: Arguments, text: string, now: number): Promise<Ruleset> {
  if (text.startsWith(RULESET)) return rulesOnServer(args, text.slice(RULESET.length));
  const isSet = text.startsWith(LIST) || isOfDataset(text) || (!existsSync(text) && literalIn(text) !== undefined);
  if (!isSet) return openedRules(args, text);
  const rules = new Ruleset({ allowSpecialPurpose: true });
  const addresses = await addressesAnywhere(args, text, now);
  rules.import(
    addresses.prefixes().map((prefix) => `${formatPrefix(prefix)}\n`),
    "text",
    { maxRules: Infinity },
  );
  return rules;
}

/** Something that was hit, and how often. */
interface Row extends Hits {
  readonly what: string;
  readonly name?: string | null;
}

interface Report {
  readonly log: CountedLog;
  readonly replay: Replay;
  /** Active rules that were never hit. */
  readonly never: number;
  readonly rules: readonly Row[];
  /** The first of them, in order. */
  readonly unused: readonly Rule[];
  readonly top: readonly Row[];
  readonly services: readonly Row[];
  readonly difference?: ReturnType<typeof replayDifference>;
}

function byRule(rules: Ruleset, { byRule: hits }: Replay, most: number): Row[] {
  return hits
    .most(most)
    .map((id) => ({ what: formatPrefix(rules.prefixAt(id)), name: rules.nameAt(id), ...hits.get(id)! }));
}

/** The hit addresses with the most lines, and the services of all hit ones. */
function byAddress(
  { catalogue, batches }: { catalogue: Catalogue; batches: BatchLookup },
  { counts }: CountedLog,
  replay: Replay,
  most: number,
): Pick<Report, "top" | "services"> {
  const top = topHits(replay, counts, most).map(({ family, at }) => ({
    what: formatAddress(countedAddress(counts, family, at)),
    lines: (family === 4 ? counts.counts4 : counts.counts6)[at]!,
    addresses: 1,
  }));
  const nodes = finished(hitsByNode(catalogue, counts, replay.decisions, batches)).slice(0, most);
  return { top, services: nodes.map(({ id, ...hits }) => ({ what: id, ...hits })) };
}

function documentOf({ log, replay, never, rules, unused, top, services, difference }: Report): object {
  return {
    log: {
      lines: log.lines,
      with_address: log.addresses,
      without_address: log.withoutAddress,
      ...(log.within !== undefined && { within_only: log.within }),
    },
    hit: { lines: replay.lines, addresses: replay.addresses },
    rules: { hit: replay.byRule.size, never_hit: never },
    top_rules: rules.map(({ what, name, lines, addresses }) => ({ ip: what, name: name ?? null, lines, addresses })),
    unused_rules: unused.map(({ prefix, name }) => ({ ip: formatPrefix(prefix), name })),
    top_addresses: top.map(({ what, lines }) => ({ ip: what, lines })),
    services: services.map(({ what, lines, addresses }) => ({ cbs_id: what, lines, addresses })),
    ...(difference && { only_rules: difference.onlyFirst, only_against: difference.onlySecond }),
  };
}

function textOf({ log, replay, never, rules, unused, top, services, difference }: Report): string {
  const style = styleFor(process.stdout);
  const hits = ({ lines, addresses }: Hits): string => `${grouped(lines)} lines of ${grouped(addresses)} addresses`;
  const table = (title: string, rows: readonly Row[]): string[] =>
    rows.length === 0
      ? []
      : columnLines(
          [
            ["lines", "addresses", title],
            ...rows.map((row) => [grouped(row.lines), grouped(row.addresses), namedText(row.what, row.name)]),
          ],
          new Set([0, 1]),
          style,
        );
  const lines = [
    `hit: ${hits(replay)}, of ${log.within === undefined ? `${grouped(log.addresses)} lines with an address` : `${grouped(log.within)} lines within --only`}`,
    `rules: ${grouped(replay.byRule.size)} hit, ${grouped(never)} active ones never hit`,
    ...(difference === undefined
      ? []
      : [
          `only hit by --rules: ${hits(difference.onlyFirst)}`,
          `only hit by --against: ${hits(difference.onlySecond)}`,
        ]),
    ...table("rule", rules),
    ...(unused.length === 0 ? [] : unusedTable(unused, style)),
    ...table("address", top),
    ...table("service", services),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function unusedTable(unused: readonly Rule[], style: Style): string[] {
  const rows = unused.map(({ prefix, name }) => [namedText(formatPrefix(prefix), name)]);
  return columnLines([["never hit"], ...rows], new Set(), style);
}

function namedText(what: string, name: string | null | undefined): string {
  return typeof name === "string" ? `${what} ${JSON.stringify(name)}` : what;
}
