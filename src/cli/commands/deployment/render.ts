import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { ADDRESS_NOTE } from "../../address-sets/address-operand.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { byteSize } from "../../output/numbers.ts";
import { counted } from "../../../words/numbers.ts";
import { OUTPUT_OPTION, writeOutput } from "../../output/output-file.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { standardError } from "../../runner/standard-error.ts";
import {
  leftOutLine,
  LIST_CONTENT_OPTIONS,
  reasonOf,
  type RenderedList,
  renderList,
} from "../../deployments/rendered-list.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const renderCommand: Command = {
  name: "deployment render",
  summary: "write the list that a firewall pulls: all includes minus all excludes, within limits",
  operands: "",
  options: [
    ...LIST_CONTENT_OPTIONS,
    OUTPUT_OPTION,
    { name: "checksum", help: "with -o: also write FILE.sha256, for sha256sum --check" },
  ],
  notes: [
    ADDRESS_NOTE,
    "The list is exact, as the fewest prefixes, none wider than allowed. It is never truncated: a list that is empty, too wide or too long is rejected, and the old file is left unchanged.",
    "Exit code: 0 if the list was written, 2 if not.",
  ],
  examples: [
    {
      command: "ipsieve deployment render --include blocklist.txt --exclude cbs:/cdn/cloudflare -o edl.txt",
      what: "a blocklist that never blocks Cloudflare",
    },
    {
      command: "ipsieve deployment render --include cti:malicious,days=7 --device paloalto-50k -o edl.txt",
      what: "within the device's limits",
    },
    {
      command: "ipsieve deployment render --include blocklist.ipsieve --format nftables | nft -f -",
      what: "straight into the kernel",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const output = args.value("output");
  if (args.has("checksum") && output === undefined)
    throw new UsageError("--checksum is written beside -o FILE; add it");
  if (output !== undefined) await rejectOverwriting(output, args);
  const rendered = await renderList(args);
  const { rejections, file, format, unprocessable } = rendered;
  if (rejections.length > 0) {
    const reasons = rejections.map(reasonOf).join("; also, ");
    throw new UsageError(`the list was not written: ${reasons}`);
  }
  if (unprocessable.count > 0) standardError().write(`warning: ${leftOutLine(unprocessable, format)}\n`);
  if (output === undefined) await printChunks([file]);
  else await write(output, rendered, args.has("checksum"));
  return EXIT.matched;
}

async function write(
  output: string,
  { entries: count, file, sha256 }: RenderedList,
  withChecksum: boolean,
): Promise<void> {
  await writeOutput(output, [file]);
  if (withChecksum) await writeOutput(`${output}.sha256`, [Buffer.from(`${sha256}  ${basename(output)}\n`)]);
  const entries = counted(count, "entry", "entries");
  standardError().write(`${output}: ${entries}, ${byteSize(file.length)}\n`);
}

/** What is read must not be what is written: the next list would be made from this one. */
async function rejectOverwriting(output: string, args: Arguments): Promise<void> {
  const written = await stat(output).catch(() => undefined);
  for (const option of ["include", "exclude", "snapshot", "threats"])
    for (const path of args.values(option)) {
      const read = await stat(path).catch(() => undefined);
      if (read !== undefined && read.dev === written?.dev && read.ino === written.ino)
        throw new UsageError(`-o ${output} is what --${option} reads; give another file`);
    }
}
