import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { printable } from "../address/address-error.ts";
import { UpdateError } from "./update-error.ts";

/** The content of a gzip file, at most so many bytes; other bytes as they are. @throws UpdateError "encoding", "too-large" */
export async function unpackGzip(bytes: Buffer, most: number): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: most });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw new UpdateError("too-large", `it has more than ${most} bytes`, { cause });
    throw new UpdateError("encoding", `the gzip file cannot be read (${printable(message)})`, { cause });
  }
}
