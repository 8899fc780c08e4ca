import { DEPLOYMENT_FIELDS } from "../../../service/deployments/deployment-fields.ts";
import { fieldOptions } from "../../options/field-options.ts";
import type { Family } from "../../../address/address.ts";
import { formatPrefix } from "../../../address/prefix.ts";
import type { Gathered, PrefixTally } from "../../../deployments/gathered.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import { ADDRESS_NOTE } from "../../address-sets/address-operand.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { GUARD_CLASSES_OPTION, SOURCE_NOTE } from "../../deployments/deployment-definition.ts";
import { columnLines } from "../../output/columns.ts";
import { byteSize } from "../../output/numbers.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { styleFor } from "../../output/style.ts";
import { previewOnServer } from "../../deployments/preview-on-server.ts";
import {
  leftOutLine,
  LIST_CONTENT_OPTIONS,
  reasonOf,
  type RenderedList,
  renderList,
} from "../../deployments/rendered-list.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

const OF_SERVERS = [...fieldOptions({ guard: DEPLOYMENT_FIELDS.guard }), GUARD_CLASSES_OPTION];

export const previewCommand: Command = {
  name: "deployment preview",
  summary: "show what a list for a firewall contains, what excludes remove, and whether it would be written",
  operands: "[DEPLOYMENT]",
  operandWords: [],
  options: [
    ...LIST_CONTENT_OPTIONS,
    ...OF_SERVERS.map((option) => ({ ...option, help: `on a server, ${option.help}` })),
    { name: "json", help: "print one JSON document, with exact numbers of addresses, as strings" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `Without --server and DEPLOYMENT, sets are read from files. ${ADDRESS_NOTE}`,
    `With DEPLOYMENT, its id or name, a server shows the list that it would have now, with the changes given here; with --server alone, the list of a deployment that does not exist yet. A set is then a SOURCE: ${SOURCE_NOTE.replace(/^A SOURCE is /, "")}`,
    KEY_NOTE,
    "Nothing is written. The prefixes of sets are counted as given; those of the list, and of what excludes remove, are the fewest that cover it.",
    "Exit code: 0 if deployment render would write the list or the server publish it, 1 if not, 2 after an error.",
  ],
  examples: [
    {
      command: "ipsieve deployment preview --include blocklist.txt --exclude cbs:/cloud/aws",
      what: "how much of the list is AWS?",
    },
    {
      command: "ipsieve deployment preview --include cti:malicious --device sonicwall-25k --json",
      what: "as JSON: does it fit the device?",
    },
    {
      command: "ipsieve deployment preview Edge --exclude cbs:/cdn/cloudflare",
      what: "on a server: what would change?",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  if (args.operands.length > 0 || args.has("server")) return previewOnServer(args);
  for (const { name } of OF_SERVERS)
    if (args.has(name)) throw new UsageError(`--${name} is for deployments of a server; give --server or a DEPLOYMENT`);
  const rendered = await renderList(args);
  await printChunks(args.has("json") ? [`${JSON.stringify(documentOf(rendered))}\n`] : [cardOf(rendered)]);
  return rendered.rejections.length === 0 ? EXIT.matched : EXIT.nothing;
}

function documentOf(rendered: RenderedList): object {
  const { include, exclude, list, timed, entries, families, format, file, sha256, unprocessable, rejections } =
    rendered;
  const { tally, removed } = list;
  const counts = (each: PrefixTally, addresses: (family: Family) => bigint): object =>
    Object.fromEntries(
      families.map((family) => [
        `ipv${family}`,
        { prefixes: each.count(family), addresses: String(addresses(family)) },
      ]),
    );
  const source = ({ name, prefixes, addresses }: Gathered): object => ({
    set: name,
    ...counts(prefixes, (family) => addresses.size(family)),
  });
  return {
    include: include.map(source),
    exclude: exclude.map(source),
    removed: counts(removed, (family) => removed.addresses(family)),
    list: counts(tally, (family) => tally.addresses(family)),
    ...(timed !== undefined && { timed_entries: entries - timed.permanent }),
    widest: families.flatMap((family) => tally.widest(family).map(formatPrefix)),
    changes_at: changesAt(list.until),
    format,
    bytes: file.length,
    sha256,
    unprocessable: {
      count: unprocessable.count,
      named: unprocessable.named.map(({ prefix, reason }) => ({ prefix: formatPrefix(prefix), reason })),
    },
    rejections,
  };
}

/** Null if it does not change by itself; no timestamp is as late as what the year 10000 would need. */
function changesAt(until: number): string | null {
  return until === Number.POSITIVE_INFINITY ? null : formatTimestamp(until);
}

function cardOf(rendered: RenderedList): string {
  const { list, timed, entries, families, format, file, unprocessable, rejections } = rendered;
  const widest = families.flatMap((family) => list.tally.widest(family).slice(0, 3).map(formatPrefix));
  const style = styleFor(process.stdout);
  const lines = [
    ...columnLines(rowsOf(rendered), NUMBERS, style),
    ...(widest.length === 0 ? [] : [`  widest prefixes: ${widest.join(", ")}`]),
    ...(timed === undefined
      ? []
      : [`  with a timeout: ${counted(entries - timed.permanent, "entry", "entries")} of ${grouped(entries)}`]),
    `  next expiry: ${changesAt(list.until) ?? "none"}`,
    `  as ${format}: ${byteSize(file.length)}`,
    ...(unprocessable.count === 0 || rejections.some(({ code }) => code === "unprocessable")
      ? []
      : [`  ${style("yellow", "left out:")} ${leftOutLine(unprocessable, format)}`]),
    ...rejections.map((each) => `  ${style("red", "would be rejected:")} ${reasonOf(each)}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The right-aligned columns. */
const NUMBERS: ReadonlySet<number> = new Set([3, 4]);

function rowsOf({ include, exclude, list, families }: RenderedList): string[][] {
  const row = (what: string, name: string, tally: PrefixTally, addresses: (family: Family) => bigint): string[][] => {
    const rows = families
      .filter((family) => tally.count(family) > 0)
      .map((family) => [what, name, `IPv${family}`, grouped(tally.count(family)), grouped(addresses(family))]);
    return rows.length === 0 ? [[what, name, "", "0", "0"]] : rows;
  };
  const source = (what: string) => (each: Gathered) =>
    row(what, each.name, each.prefixes, (family) => each.addresses.size(family));
  return [
    ["", "set", "family", "prefixes", "addresses"],
    ...include.flatMap(source("include")),
    ...exclude.flatMap(source("exclude")),
    ...(exclude.length === 0 ? [] : row("removed", "", list.removed, (family) => list.removed.addresses(family))),
    ...row("list", "", list.tally, (family) => list.tally.addresses(family)),
  ];
}
