import { formatPrefix } from "../../../address/prefix.ts";
import { ctiSource } from "../../../datasets/joined-mmdb.ts";
import type { CtiDataset } from "../../../cti/dataset.ts";
import { openCtiDataset } from "../../../datasets/open-cti-dataset.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { OUTPUT_OPTION } from "../../output/output-file.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { DEFAULT_DATASET, defaultDataset } from "../../snapshots/default-datasets.ts";
import {
  aboutMmdb,
  checkOutput,
  databaseTypeOf,
  databaseTypeOption,
  joinedExport,
  writeExport,
} from "../../snapshots/export-file.ts";

const FORMATS = ["mmdb", "ndjson"] as const;

export const ctiExportCommand: Command = {
  name: "cti export",
  summary: "export threat intelligence in another program's format",
  operands: "",
  options: [
    {
      name: "format",
      value: "FORMAT",
      choices: FORMATS,
      help: "mmdb (for anything that reads MaxMind DB files), ndjson (a document per prefix)",
    },
    OUTPUT_OPTION,
    databaseTypeOption("ipsieve-CTI"),
    { name: "snapshot", value: "FILE", isPath: true, help: `the dataset to use; default: ${DEFAULT_DATASET}` },
  ],
  notes: [
    "A document of ndjson is that of cti lookup --json, with cidr in place of ip. The record of an mmdb has it as the member cti, without what is not known; an address has the document of its most specific prefix. mmdb stores IPv4 at ::/96, so it cannot hold IPv6 prefixes there. ipsieve cbs export --with FILE joins it with services and networks.",
    "Exit code: 0 if the dataset was written, 2 if not.",
  ],
  examples: [
    { command: "ipsieve cti export --format mmdb -o cti.mmdb", what: "for anything that reads MaxMind DB files" },
    {
      command: "ipsieve cti export --format ndjson | jq -r 'select(.tags | index(\"ssh\")) | .cidr'",
      what: "for programs",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const format = args.value("format") as (typeof FORMATS)[number] | undefined;
  if (format === undefined) throw new UsageError(`cti export needs --format ${FORMATS.join("|")}`);
  const type = databaseTypeOf(args, format) ?? "ipsieve-CTI";
  const path = args.value("snapshot") ?? defaultDataset();
  await checkOutput(args, format === "mmdb" ? format : undefined, [path]);
  const dataset = await openCtiDataset(path);
  const { title, createdAt } = dataset.metadata;
  await writeExport(
    args,
    format === "mmdb" ? joinedExport([ctiSource(dataset)], aboutMmdb(type, title, createdAt)) : documentsOf(dataset),
  );
  return EXIT.matched;
}

function* documentsOf(dataset: CtiDataset): Generator<string> {
  for (const family of [4, 6] as const)
    for (const { prefix, match } of dataset.table.entries(family)) {
      const { ip: _, seen: __, ...document } = dataset.extendedDocumentOf("", match);
      yield `${JSON.stringify({ cidr: formatPrefix(prefix), ...document })}\n`;
    }
}
