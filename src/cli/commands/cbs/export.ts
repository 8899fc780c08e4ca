import type { Catalogue } from "../../../cbs/catalogue.ts";
import { EXPORT_FORMATS, type ExportFormat, exportCatalogue, leftOut } from "../../../cbs/export-catalogue.ts";
import { clickhouseDdl } from "../../../formats/data/clickhouse.ts";
import { FORMATS } from "../../../formats/formats.ts";
import { catalogueSource } from "../../../datasets/joined-mmdb.ts";
import { defaultCatalogue } from "../../snapshots/default-datasets.ts";
import { openTree, SNAPSHOT_OPTION } from "../../snapshots/catalogue-tree.ts";
import {
  aboutMmdb,
  checkOutput,
  databaseTypeOf,
  databaseTypeOption,
  joinedExport,
  reportOmitted,
  writeExport,
} from "../../snapshots/export-file.ts";
import { addedPath, NETWORKS, openAdded, type AddedFile } from "../../snapshots/added-files.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { OUTPUT_OPTION } from "../../output/output-file.ts";
import { UsageError } from "../../runner/usage-error.ts";

/** In place of a file: no catalogue. */
const NONE = "none";

export const exportCommand: Command = {
  name: "cbs export",
  summary: "export the catalogue in another program's format",
  operands: "",
  options: [
    {
      name: "format",
      value: "FORMAT",
      choices: EXPORT_FORMATS,
      help: EXPORT_FORMATS.map((name) => `${name} (${FORMATS[name].about})`).join(", "),
    },
    OUTPUT_OPTION,
    {
      name: "ddl",
      help: "with --format clickhouse: print the statements that create the dictionary instead of the rows",
    },
    {
      name: "with",
      value: `${NETWORKS}|FILE`,
      repeats: true,
      isPath: true,
      help: `with --format mmdb: join what else is known about each address: "${NETWORKS}" (AS number, organisation and country, as lookup has them), or a file of networks, threat intelligence or a ruleset; can be repeated`,
    },
    databaseTypeOption("ipsieve-CBS, or ipsieve-joined with --with"),
    {
      ...SNAPSHOT_OPTION,
      value: "FILE|none",
      help: `${SNAPSHOT_OPTION.help}; none: only what --with adds`,
    },
  ],
  notes: [
    "csv and jsonl list each prefix with its own nodes. The other programs use only the most specific prefix of an address, so in their files a prefix also has the nodes of the prefixes that cover it.",
    'nginx: with "include FILE;" in the http block, $cbs holds the ids. haproxy: src,map_ip(FILE,-). mmdb stores IPv4 at ::/96, so it cannot hold IPv6 prefixes there.',
    "With --with, a record has the members of each file that knows the address: cbs_ids, labels and so on of the catalogue; autonomous_system_number, autonomous_system_organization and country.iso_code, as in MaxMind's databases; cti, the document of the threat intelligence; rulesets, by name the names of the rules and when the last one expires.",
    "Exit code: 0 if the catalogue was written, 2 if not.",
  ],
  examples: [
    { command: "ipsieve cbs export --format mmdb -o cbs.mmdb", what: "for anything that reads MaxMind DB files" },
    {
      command: "ipsieve cbs export --format mmdb --with networks --with blocklist.ipsieve -o all.mmdb",
      what: "all that is known about an address, in one record",
    },
    {
      command: "ipsieve cbs export --format mmdb --snapshot none --with networks -o networks.mmdb",
      what: "networks alone; with --database-type GeoLite2-ASN for what reads that database",
    },
    { command: "ipsieve cbs export --format clickhouse -o cbs.tsv", what: "rows; --ddl prints the statements" },
    { command: "ipsieve cbs export --format csv | gzip > cbs.csv.gz", what: "into a pipe" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const format = args.value("format") as ExportFormat | undefined;
  if (format === undefined) throw new UsageError(`cbs export needs --format ${EXPORT_FORMATS.join("|")}`);
  if (args.has("ddl") && format !== "clickhouse")
    throw new UsageError(`--ddl is only for ClickHouse; give --format clickhouse instead of ${format}`);
  const databaseType = databaseTypeOf(args, format);
  const added = args.values("with");
  if (added.length > 0 && format !== "mmdb")
    throw new UsageError(
      `--with is only for --format mmdb, not for ${format}; "ipsieve identify" adds columns to rows`,
    );
  const snapshot = args.value("snapshot") ?? defaultCatalogue();
  if (snapshot === NONE && added.length === 0)
    throw new UsageError(`--snapshot ${NONE} leaves nothing to export; add --with ${NETWORKS}, or a file`);
  await checkOutput(args, "isBinary" in FORMATS[format] ? format : undefined, [snapshot, ...added.map(addedPath)]);
  if (args.has("ddl")) await writeExport(args, [clickhouseDdl()]);
  else await writeExport(args, await chunksOf(format, snapshot, await openAdded(added), databaseType));
  return EXIT.matched;
}

async function chunksOf(
  format: ExportFormat,
  snapshot: string,
  added: readonly AddedFile[],
  databaseType: string | undefined,
): Promise<Iterable<Uint8Array | string>> {
  if (snapshot === NONE) return joinedWith(undefined, added, databaseType);
  const tree = await openTree(snapshot);
  if (added.length > 0) return joinedWith(tree.catalogue, added, databaseType);
  const { prefixes, reason } = leftOut(tree, format);
  reportOmitted(prefixes, reason);
  return exportCatalogue(tree, format, databaseType === undefined ? {} : { databaseType });
}

function joinedWith(
  catalogue: Catalogue | undefined,
  added: readonly AddedFile[],
  type: string = "ipsieve-joined",
): Iterable<Uint8Array | string> {
  const files = [
    ...(catalogue === undefined ? [] : [{ ...catalogue.metadata, source: catalogueSource(catalogue) }]),
    ...added,
  ];
  return joinedExport(
    files.map(({ source }) => source),
    aboutMmdb(type, files.map(({ title }) => title).join("; "), ...files.map(({ createdAt }) => createdAt)),
  );
}
