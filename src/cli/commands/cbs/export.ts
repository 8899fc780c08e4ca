import { stat } from "node:fs/promises";
import { formatPrefix } from "../../../address/prefix.ts";
import { EXPORT_FORMATS, type ExportFormat, exportCatalogue, leftOut } from "../../../cbs/export-catalogue.ts";
import { clickhouseDdl } from "../../../formats/data/clickhouse.ts";
import { FORMATS } from "../../../formats/formats.ts";
import { publishFile } from "../../../files/publish-file.ts";
import { defaultCatalogue } from "../../snapshots/default-datasets.ts";
import { openTree, SNAPSHOT_OPTION } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { byteSize } from "../../output/numbers.ts";
import { counted } from "../../../words/numbers.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { standardError } from "../../output/standard-error.ts";
import { UsageError } from "../../runner/usage-error.ts";

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
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the file to write, replaced atomically; default: standard output",
    },
    {
      name: "ddl",
      help: "with --format clickhouse: print the statements that create the dictionary instead of the rows",
    },
    {
      name: "database-type",
      value: "TYPE",
      help: "with --format mmdb: what the file says that it is, for readers that accept only the names of MaxMind's databases, such as GeoIP2-Enterprise in Elasticsearch and Logstash; default: ipsieve-CBS",
    },
    SNAPSHOT_OPTION,
  ],
  notes: [
    "csv and jsonl list each prefix with its own nodes. The other programs use only the most specific prefix of an address, so in their files a prefix also has the nodes of the prefixes that cover it.",
    'nginx: with "include FILE;" in the http block, $cbs holds the ids. haproxy: src,map_ip(FILE,-). mmdb stores IPv4 at ::/96, so it cannot hold IPv6 prefixes there.',
    "Exit code: 0 if the catalogue was written, 2 if not.",
  ],
  examples: [
    { command: "ipsieve cbs export --format mmdb -o cbs.mmdb", what: "for anything that reads MaxMind DB files" },
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
  const output = args.value("output");
  if ("isBinary" in FORMATS[format] && output === undefined && process.stdout.isTTY)
    throw new UsageError(`the format ${format} is binary, and is not printed on a terminal; add -o FILE`);
  const snapshot = args.value("snapshot");
  if (output !== undefined) await rejectOverwriting(output, snapshot ?? defaultCatalogue());
  const chunks = args.has("ddl")
    ? [new TextEncoder().encode(clickhouseDdl())]
    : await chunksOf(format, snapshot, databaseType);
  if (output === undefined) await printChunks(chunks);
  else await write(output, chunks);
  return EXIT.matched;
}

/** Throws UsageError. */
function databaseTypeOf(args: Arguments, format: ExportFormat): string | undefined {
  const type = args.value("database-type");
  if (type === undefined) return undefined;
  if (format !== "mmdb") throw new UsageError(`--database-type is only for --format mmdb; leave it out for ${format}`);
  if (/^[\x20-\x7e]{1,100}$/.test(type)) return type;
  throw new UsageError(`--database-type ${JSON.stringify(type)}: give 1 to 100 printable ASCII characters`);
}

async function chunksOf(
  format: ExportFormat,
  snapshot: string | undefined,
  databaseType: string | undefined,
): Promise<Iterable<Uint8Array>> {
  const tree = await openTree(snapshot);
  const { prefixes, reason } = leftOut(tree, format);
  const [first, ...others] = prefixes;
  if (first !== undefined) {
    const what = `${formatPrefix(first)}${others.length > 0 ? ` and ${counted(others.length, "more prefix", "more prefixes")}` : ""}`;
    standardError().write(`ipsieve: left out, because ${reason}: ${what}\n`);
  }
  return exportCatalogue(tree, format, databaseType === undefined ? {} : { databaseType });
}

async function write(output: string, chunks: Iterable<Uint8Array>): Promise<void> {
  // Everything, before a file is opened: a failed export leaves no file behind.
  const parts = [...chunks];
  try {
    await publishFile(output, parts);
  } catch (error) {
    throw new UsageError(
      `${output}: cannot be written (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}); choose another path`,
    );
  }
  standardError().write(`${output}: ${byteSize(parts.reduce((sum, part) => sum + part.length, 0))}\n`);
}

/** The output must not overwrite the catalogue that is being read. */
async function rejectOverwriting(output: string, snapshot: string): Promise<void> {
  const [a, b] = await Promise.all([output, snapshot].map((path) => stat(path).catch(() => undefined)));
  if (a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino)
    throw new UsageError(`-o ${output} is the catalogue itself; give another file`);
}
