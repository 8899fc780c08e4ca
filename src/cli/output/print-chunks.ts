import { UsageError } from "../runner/usage-error.ts";

/**
 * Writes to standard output no faster than it is read, and stops once no one reads it any more. Errors are reported by
 * `guardStandardOutput`.
 */
export async function printChunks(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const { stdout } = process;
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
  };
  stdout.once("error", close);
  for await (const chunk of chunks) {
    if (stdout.isTTY && typeof chunk !== "string" && chunk.includes(0))
      throw new UsageError("the file is binary, and is not printed on a terminal; write it to a file, with -o or >");
    if (!stdout.write(chunk) && !isClosed) await drained(stdout);
    if (isClosed) break;
  }
  stdout.off("error", close);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const event of ["drain", "error", "close"]) stream.off(event, end);
      resolve();
    };
    for (const event of ["drain", "error", "close"]) stream.once(event, end);
  });
}

/** Joins short texts, so that each write is worth its while. */
export function* joined(texts: Iterable<string>): Generator<string> {
  let text = "";
  for (const part of texts) {
    text += part;
    if (text.length < 1 << 16) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
