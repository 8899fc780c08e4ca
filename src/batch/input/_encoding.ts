import { truncated } from "./_zstd-frames.ts";
import { BatchError } from "../batch-error.ts";

export type Encoding = "plain" | "gzip" | "zstd";

/** The length of the longest magic number. */
export const MAGIC_BYTES = 10;

/** The first bytes of all magic numbers below: an input that begins with another byte is plain. */
const FIRST_BYTES = /^(1f|28|5|fd|42|04|ff|fe)/;

/** Whether the beginning is enough for `encodingOf`: a short first line from a pipe must not wait for the next one. */
export function showsEncoding(head: Buffer): boolean {
  return head.length >= MAGIC_BYTES || (head.length > 0 && !FIRST_BYTES.test(head.toString("hex", 0, 1)));
}

/** Formats that are recognized in order to reject them: otherwise they would be read as lines without addresses. */
const REFUSED: readonly { name: string; magic: string; cure: string; code: "input-compression" | "input-encoding" }[] =
  [
    { name: "xz", magic: "fd377a585a00", cure: "pipe it through `xz -dc`", code: "input-compression" },
    {
      name: "bzip2",
      magic: "425a683[1-9]314159265359",
      cure: "pipe it through `bzip2 -dc`",
      code: "input-compression",
    },
    { name: "lz4", magic: "04224d18", cure: "pipe it through `lz4 -dc`", code: "input-compression" },
    { name: "zip", magic: "504b0304", cure: "pipe it through `unzip -p`", code: "input-compression" },
    {
      name: "UTF-16 text",
      magic: "(?:fffe|feff)",
      cure: "pipe it through `iconv -f UTF-16 -t UTF-8`",
      code: "input-encoding",
    },
  ];

/**
 * How the input with these first bytes (`MAGIC_BYTES`, or all of it) is stored. Throws BatchError for a format that
 * cannot be read.
 */
export function encodingOf(head: Buffer, file: string): Encoding {
  const hex = head.toString("hex");
  for (const { name, magic, cure, code } of REFUSED) {
    if (new RegExp(`^${magic}`).test(hex))
      throw new BatchError(code, `this is ${name}, which is not read directly; ${cure}`, { file });
  }
  if (/^1f8b/.test(hex)) return "gzip";
  if (/^(28b52ffd|5.2a4d18)/.test(hex)) return "zstd";
  if (beginsMagic(hex, file)) throw truncated(file);
  return "plain";
}

/** Whether a file with the name of a compressed one ends within the magic number (or before it). */
function beginsMagic(hex: string, file: string): boolean {
  if (/\.gz$/i.test(file)) return "1f8b".startsWith(hex);
  return /\.zst$/i.test(file) && ("28b52ffd".startsWith(hex) || /^5.2a(4d)?$/.test(hex));
}
