import { publishFile } from "../../files/publish-file.ts";
import type { Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";

export const OUTPUT_OPTION: Option = {
  name: "output",
  short: "o",
  value: "FILE",
  isPath: true,
  help: "the file to write, replaced atomically; default: standard output",
};

/**
 * Writes the file of -o, completely or not at all; resolves to its size in bytes. Rejects with UsageError for a file
 * that cannot be written, and with what `chunks` throws.
 */
export async function writeOutput(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<number> {
  let bytes = 0;
  let isReading = false;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    isReading = true;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      isReading = false;
      yield chunk;
      isReading = true;
    }
    isReading = false;
  };
  try {
    await publishFile(path, counted());
  } catch (error) {
    if (isReading) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path}: cannot be written (${code ?? message}); choose another path`);
  }
  return bytes;
}
