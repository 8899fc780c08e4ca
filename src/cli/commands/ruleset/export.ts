import { extname } from "node:path";
import { type Client, ConnectionError } from "../../../client/client.ts";
import { RULE_EXPORT_FORMATS, type RuleExportFormat } from "../../../rulesets/export-rules.ts";
import { publishFile } from "../../../files/publish-file.ts";
import { chosenRuleset, RULESET_NOTE } from "../../chosen-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { byteSize } from "../../output/numbers.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { standardError } from "../../output/standard-error.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, serverOf, withService } from "../../service-connection.ts";
import { UsageError } from "../../usage-error.ts";

export const exportCommand: Command = {
  name: "ruleset export",
  summary: "write the rules of a ruleset on a server to a file or to standard output",
  operands: "RULESET",
  minOperands: 1,
  maxOperands: 1,
  operandWords: [],
  options: [
    {
      name: "format",
      value: "FORMAT",
      choices: RULE_EXPORT_FORMATS,
      help: `${RULE_EXPORT_FORMATS.join(", ")}; default: by the extension of -o (.csv, .ndjson, .jsonl), otherwise text`,
    },
    {
      name: "set-name",
      value: "NAME",
      help: "for ipset and nftables: the name of the sets, to which _4 and _6 are appended; default: derived from the ruleset's name and id",
    },
    { name: "all", help: "include expired rules; only csv and ndjson show when they expired" },
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the file to write, replaced atomically; default: standard output",
    },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `${RULESET_NOTE} If the server cannot be reached or its response is cut short, the old file is kept.`,
    KEY_NOTE,
    "Exit code: 0 if the rules were written, 2 if not.",
  ],
  examples: [
    { command: "ipsieve ruleset export Blocklist -o blocklist.csv", what: "addresses, names and expiries" },
    {
      command: "ipsieve ruleset export Blocklist --format nftables --set-name blocklist | nft -f -",
      what: "straight into the kernel",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const output = args.value("output");
  const format = (args.value("format") as RuleExportFormat | undefined) ?? formatOf(output ?? "");
  await withService(args, async (client) => {
    const { id } = await chosenRuleset(client, args.operands[0]!);
    const chunks = await exportOf(client, id, format, args);
    if (output === undefined) await printChunks(chunks);
    else await write(output, chunks);
  });
  return EXIT.matched;
}

/** Throws UsageError for an extension that promises something else. */
function formatOf(output: string): RuleExportFormat {
  const extension = extname(output).toLowerCase();
  if (extension === ".csv") return "csv";
  if (extension === ".ndjson" || extension === ".jsonl") return "ndjson";
  if ([".json", ".gz", ".zst"].includes(extension))
    throw new UsageError(
      `-o ${output}: there is no export as ${extension}; choose another name, or say the format with --format`,
    );
  return "text";
}

async function exportOf(
  client: Client,
  id: string,
  format: RuleExportFormat,
  args: Arguments,
): Promise<AsyncIterable<Uint8Array>> {
  const name = args.value("set-name");
  const query = { format, active_only: !args.has("all"), ...(name !== undefined && { set_name: name }) };
  const stream = await client.get("/v1/edl/ip-rulesets/{ruleset_id}/rules:export", {
    params: { path: { ruleset_id: id }, query },
    parseAs: "stream",
  });
  return wholeAnswer(stream as ReadableStream<Uint8Array> | null, serverOf(args));
}

/** Throws ConnectionError where the answer breaks off. */
async function* wholeAnswer(stream: ReadableStream<Uint8Array> | null, server: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream ?? [];
  } catch (error) {
    throw ConnectionError.isOne(error) ? new ConnectionError(server, error) : error;
  }
}

async function write(output: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  const counting = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    await publishFile(output, counting());
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new UsageError(
      `${output}: it cannot be written (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}); choose another path`,
    );
  }
  standardError().write(`${output}: ${byteSize(bytes)}\n`);
}
