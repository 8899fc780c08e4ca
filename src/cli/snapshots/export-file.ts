import { stat } from "node:fs/promises";
import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { joinedMmdb, type MmdbSource } from "../../datasets/joined-mmdb.ts";
import { FORMATS } from "../../formats/formats.ts";
import { counted } from "../../words/numbers.ts";
import { UnexportableError } from "../../formats/format.ts";
import type { MmdbAbout } from "../../formats/data/mmdb/mmdb-file.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { byteSize } from "../output/numbers.ts";
import { writeOutput } from "../output/output-file.ts";
import { printChunks } from "../output/print-chunks.ts";
import { standardError } from "../runner/standard-error.ts";
import { UsageError } from "../runner/usage-error.ts";

/** `own`: the type that a file has without the option. */
export function databaseTypeOption(own: string): Option {
  return {
    name: "database-type",
    value: "TYPE",
    help: `with --format mmdb: what the file says that it is, for readers that accept only the names of MaxMind's databases, such as GeoIP2-Enterprise in Elasticsearch and Logstash; default: ${own}`,
  };
}

/** Undefined without the option. @throws UsageError */
export function databaseTypeOf(args: Arguments, format: string): string | undefined {
  const type = args.value("database-type");
  if (type === undefined) return undefined;
  if (format !== "mmdb") throw new UsageError(`--database-type is only for --format mmdb; leave it out for ${format}`);
  if (/^[\x20-\x7e]{1,100}$/.test(type)) return type;
  throw new UsageError(`--database-type ${JSON.stringify(type)}: give 1 to 100 printable ASCII characters`);
}

/** What an MMDB says about itself: that it was made when its newest dataset was. */
export function aboutMmdb(type: string, title: string, ...createdAt: readonly string[]): MmdbAbout {
  return { type, title, buildSeconds: Math.floor(Math.max(...createdAt.map((time) => Date.parse(time))) / 1000) };
}

/**
 * Checks where an export goes: not to a terminal if it is binary, and not over one of the files that it reads. Rejects
 * with UsageError.
 */
export async function checkOutput(
  args: Arguments,
  binary: string | undefined,
  inputs: readonly string[],
): Promise<void> {
  const output = args.value("output");
  if (binary !== undefined && output === undefined && process.stdout.isTTY)
    throw new UsageError(`the format ${binary} is binary, and is not printed on a terminal; add -o FILE`);
  if (output === undefined) return;
  const stats = await Promise.all([output, ...inputs].map((path) => stat(path).catch(() => undefined)));
  const [own, ...others] = stats;
  if (own === undefined) return;
  const at = others.findIndex((other) => other !== undefined && other.dev === own.dev && other.ino === own.ino);
  if (at >= 0) throw new UsageError(`-o ${output} is the same file as ${inputs[at]}, which is read; give another file`);
}

/** Says on stderr which prefixes an export lacks, if any. */
export function reportOmitted(prefixes: readonly Prefix[], reason: string): void {
  const [first, ...others] = prefixes;
  if (first === undefined) return;
  const what = `${formatPrefix(first)}${others.length > 0 ? ` and ${counted(others.length, "more prefix", "more prefixes")}` : ""}`;
  standardError().write(`ipsieve: left out, because ${reason}: ${what}\n`);
}

/** The chunks of an MMDB that joins these sources. */
export function joinedExport(sources: readonly MmdbSource[], about: MmdbAbout): Iterable<string | Uint8Array> {
  reportOmitted(
    sources.flatMap((source) => source.leftOut()),
    FORMATS.mmdb.leavesOut.reason,
  );
  return joinedMmdb(sources, about);
}

/** Writes an export to the file of -o, or to standard output. Rejects with UsageError. */
export async function writeExport(args: Arguments, chunks: Iterable<string | Uint8Array>): Promise<void> {
  const output = args.value("output");
  try {
    if (output === undefined) await printChunks(chunks);
    else standardError().write(`${output}: ${byteSize(await writeOutput(output, encoded(chunks)))}\n`);
  } catch (error) {
    throw error instanceof UnexportableError ? new UsageError(error.message) : error;
  }
}

function encoded(chunks: Iterable<string | Uint8Array>): Uint8Array[] {
  const encoder = new TextEncoder();
  // Everything, before a file is opened: an export that fails writes nothing.
  return Array.from(chunks, (chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk));
}
