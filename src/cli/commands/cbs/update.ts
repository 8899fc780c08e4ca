import { resolve } from "node:path";
import { stat } from "node:fs/promises";
import { parsePrefix } from "../../../address/prefix.ts";
import { SOURCES } from "../../../cbs/importers/sources.ts";
import { isWebAddress } from "../../../service/web-address.ts";
import { FolderOrigin } from "../../../update/folder-origin.ts";
import type { ListOrigin } from "../../../update/list-origin.ts";
import { type FileReport, updateCatalogue, type UpdateReport } from "../../../update/update-catalogue.ts";
import { NETWORKS_ID, type NetworksReport, updateNetworks } from "../../../update/update-networks.ts";
import { WebOrigin } from "../../../update/web-origin.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { BUNDLED_CATALOGUE } from "../../../datasets/open-catalogue.ts";
import { BUNDLED_NETWORKS } from "../../../datasets/open-networks.ts";
import { ALLOW_ADDRESS_OPTION, chosenProxy, PROXY_OPTION } from "../../options/chosen-proxy.ts";
import { endWithParent } from "../../runner/end-with-parent.ts";
import { HOME_OPTION, homeFolder } from "../../snapshots/home.ts";
import { columnLines } from "../../output/columns.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { PROGRESS_MODES, type ProgressMode } from "../../output/progress.ts";
import { standardError } from "../../runner/standard-error.ts";
import { type Style, styleFor } from "../../output/style.ts";
import { createUpdateProgress } from "../../output/update-progress.ts";
import { ownVersion } from "../../../service/own-version.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { checkedSourceIds } from "../../snapshots/source-ids.ts";
import { UsageError } from "../../runner/usage-error.ts";

const DEFAULT_MAX_CHANGE = 50;
const DEFAULT_KEEP = 90;
const MAX_GENERATIONS = 100_000;
const OUTCOMES: readonly FileReport["outcome"][] = ["new", "changed", "unchanged", "refused", "failed", "absent"];

export const updateCommand: Command = {
  name: "cbs update",
  summary: "fetch the publishers' official lists and merge them with the prefixes known by AS number",
  operands: "",
  options: [
    {
      name: "only",
      value: "ID",
      repeats: true,
      help: "fetch only this source, such as aws; the others keep their current lists; may be given several times",
    },
    {
      name: "skip",
      value: "ID",
      repeats: true,
      help: "do not fetch this source, which keeps its current lists if it has any; may be given several times",
    },
    {
      name: "from",
      value: "DIR",
      isPath: true,
      help: "read lists already downloaded: DIR/aws/ip-ranges.json and so on, or under the names a browser saves them as",
    },
    { name: "mirror", value: "URL", help: "fetch from a mirror: URL/aws/ip-ranges.json and so on" },
    PROXY_OPTION,
    ALLOW_ADDRESS_OPTION,
    {
      name: "max-change",
      value: "PERCENT",
      help: `refuse a list that changed by more than this; default: ${DEFAULT_MAX_CHANGE}`,
    },
    {
      name: "accept",
      value: "ID",
      repeats: true,
      help: "accept the lists of this source however much they have changed; may be given several times",
    },
    { name: "keep", value: "N", help: `number of catalogues kept in the history; default: ${DEFAULT_KEEP}` },
    HOME_OPTION,
    { name: "json", help: "print the report as one JSON document" },
    {
      name: "progress",
      value: "MODE",
      choices: PROGRESS_MODES,
      help: "progress on stderr: auto (default; a bar on a terminal), bar, json, none",
    },
  ],
  notes: [
    "A list is refused and reported, and the last good one is kept, if it is a web page, empty, truncated, less than half the size of the last good one, changed too much, or contains absurdly wide or special-purpose prefixes. catalogue.ipsieve in the home folder is replaced atomically. Every catalogue that differs from the previous one is also kept in history/.",
    "The networks (source id: networks) come from IPtoASN (PDDL), become networks.ipsieve in the home folder, and are refused if they have less than half of the AS numbers of before, or changed too much.",
    "Lists are fetched over https only, from public addresses that are checked before connecting. The same holds with --proxy: addresses are resolved and checked here, and the proxy is asked to connect to them. A proxy set in the environment is used only with --proxy env. If a mirror has its own certificate authority, set NODE_EXTRA_CA_CERTS.",
    "Exit code: 0 if all lists were fetched, 1 if the catalogue was built but a list was refused or could not be fetched (see stderr), 2 if no catalogue was built.",
  ],
  examples: [
    { command: "ipsieve cbs update", what: "all lists, from their publishers" },
    { command: "ipsieve cbs update --only aws --only cloudflare", what: "two of them" },
    { command: "ipsieve cbs update --from /mnt/usb/lists", what: "offline" },
    { command: "ipsieve cbs update --proxy http://proxy.example:3128", what: "through a proxy" },
    {
      command: "ipsieve cbs update --mirror https://mirror.example/lists --allow-address 10.0.0.0/8",
      what: "from a mirror of your own",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const only = chosenSources(args);
  const accept = new Set(checkedSourceIds(args.values("accept")));
  const maxChange = wholeNumber("max-change", args.value("max-change") ?? String(DEFAULT_MAX_CHANGE), 100) / 100;
  const keep = wholeNumber("keep", args.value("keep") ?? String(DEFAULT_KEEP), MAX_GENERATIONS);
  const home = args.has("home") ? resolve(args.value("home")!) : homeFolder();
  const progress = createUpdateProgress((args.value("progress") ?? "auto") as ProgressMode);
  const origin = await originOf(args);
  endWithParent();
  const problems: string[] = [];
  const onFile = (report: FileReport, done: number, total: number): void => {
    progress?.show(report, done, total);
    if (report.problem !== null) problems.push(`${report.path}: ${report.outcome}: ${report.problem}`);
  };
  try {
    const networks = takesNetworks(args)
      ? await updateNetworks({ home, base: BUNDLED_NETWORKS, origin, accepts: accept.has(NETWORKS_ID), maxChange })
      : null;
    if (networks?.problem != null) problems.push(`${networks.path}: ${networks.outcome}: ${networks.problem}`);
    if (only?.size === 1 && only.has(NETWORKS_ID)) {
      process.stdout.write(args.has("json") ? `${JSON.stringify({ networks })}\n` : networksText(networks));
      return problems.length > 0 ? EXIT.nothing : EXIT.matched;
    }
    const report = await updateCatalogue({
      home,
      base: BUNDLED_CATALOGUE,
      origin,
      accept,
      maxChange,
      keep,
      onFile,
      ...(only !== undefined && { only }),
    });
    problems.push(...report.left.map(({ source, error }) => `${source.id}: not in the catalogue: ${error}`));
    process.stdout.write(
      args.has("json")
        ? `${JSON.stringify({ ...report, networks })}\n`
        : reportText(report, styleFor(process.stdout)) + networksText(networks),
    );
  } finally {
    progress?.end();
    await origin.close();
    // Printed even if they led to an error.
    for (const problem of problems) standardError().write(`ipsieve: ${problem}\n`);
  }
  return problems.length > 0 ? EXIT.nothing : EXIT.matched;
}

/** Whether the networks are fetched as well: unless other sources are named, or this one is left out. */
function takesNetworks(args: Arguments): boolean {
  const only = args.values("only");
  return (only.length === 0 || only.includes(NETWORKS_ID)) && !args.values("skip").includes(NETWORKS_ID);
}

/** One line about them; none where they are left out, or the origin has none. */
function networksText(networks: NetworksReport | null): string {
  if (networks === null || networks.outcome === "absent") return "";
  const { as_numbers: numbers, ipv4, ipv6, outcome } = networks;
  if (numbers === null) return `  networks: ${outcome}\n`;
  return `  networks: ${outcome}, ${counted(numbers, "AS number")}, ${counted(ipv4!, "IPv4 prefix", "IPv4 prefixes")}, ${counted(ipv6!, "IPv6 prefix", "IPv6 prefixes")}\n`;
}

/** The ids that --only and --skip leave; undefined without either of them. */
function chosenSources(args: Arguments): Set<string> | undefined {
  const [only, skip] = [checkedSourceIds(args.values("only")), checkedSourceIds(args.values("skip"))];
  if (only.length + skip.length === 0) return undefined;
  const left = new Set(only.length > 0 ? only : [...SOURCES.map(({ id }) => id), NETWORKS_ID]);
  for (const id of skip) left.delete(id);
  if (left.size === 0) throw new UsageError("--skip leaves no source to fetch");
  return left;
}

async function originOf(args: Arguments): Promise<ListOrigin> {
  const [from, mirror] = [args.value("from"), args.value("mirror")];
  if (from !== undefined && mirror !== undefined)
    throw new UsageError("--from and --mirror cannot be combined; give one of them");
  if (mirror !== undefined && !isWebAddress(mirror))
    throw new UsageError(`--mirror ${JSON.stringify(mirror)}: give a URL such as https://mirror.example/lists`);
  const allow = args.values("allow-address").map((text) => parsePrefix(text));
  const proxy = args.has("proxy") ? chosenProxy(args.value("proxy")!, process.env) : undefined;
  if (from === undefined)
    return WebOrigin.open({ allow, userAgent: `ipsieve/${ownVersion()}`, ...(proxy && { proxy }) }, mirror);
  if (proxy !== undefined) throw new UsageError("--proxy is only for fetching; leave it out with --from");
  if (allow.length > 0) throw new UsageError("--allow-address is only for fetching; leave it out with --from");
  const found = await stat(from).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new UsageError(`--from ${from}: there is no such folder`);
  return new FolderOrigin(from);
}

function reportText(report: UpdateReport, style: Style): string {
  const { files, sources, base, nodes, ipv4, ipv6, catalogue, generation } = report;
  const rows = files.filter(({ outcome }) => outcome !== "unchanged" && outcome !== "absent").map(rowOf);
  const lines =
    rows.length === 0
      ? []
      : [...columnLines([["list", "", "prefixes", "added", "removed"], ...rows], new Set([2, 3, 4]), style), ""];
  return [
    ...lines,
    `  ${countsText(files)}`,
    `  ${style("bold", catalogue)}: ${counted(sources, "official source")}, ${counted(nodes, "node")}, ${counted(ipv4, "IPv4 prefix", "IPv4 prefixes")}, ${counted(ipv6, "IPv6 prefix", "IPv6 prefixes")}`,
    ...(base === null ? [] : [`  merged with the prefixes known by AS number on ${base.createdAt.slice(0, 10)}`]),
    generation === null ? "  unchanged" : `  kept as ${generation}`,
    "",
  ].join("\n");
}

function rowOf({ path, outcome, prefixes, added, removed }: FileReport): string[] {
  const known = outcome === "changed";
  return [
    path,
    outcome,
    prefixes === null ? "" : grouped(prefixes),
    known ? `+${grouped(added!)}` : "",
    known ? `-${grouped(removed!)}` : "",
  ];
}

/** "73 lists: 3 changed, 68 unchanged, 2 refused". */
function countsText(files: readonly FileReport[]): string {
  const counts = OUTCOMES.map((outcome) => [outcome, files.filter((file) => file.outcome === outcome).length] as const);
  return `${counted(files.length, "list")}: ${counts
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(", ")}`;
}
