import type { Entry, ZipFile } from "yauzl";
import { printable } from "../address/address-error.ts";
import { UpdateError } from "./update-error.ts";

/**
 * The member of a ZIP archive, by its name without folders; its declared and its actual size are limited.
 * @throws UpdateError "archive", "too-large"
 */
export async function unzipMember(archive: Buffer, member: string, most: number): Promise<Buffer> {
  try {
    return await read(archive, member, most);
  } catch (cause) {
    if (cause instanceof UpdateError) throw cause;
    throw new UpdateError("archive", `the ZIP archive cannot be read (${printable((cause as Error).message)})`, {
      cause,
    });
  }
}

async function read(archive: Buffer, member: string, most: number): Promise<Buffer> {
  const { fromBufferPromise } = await import("yauzl");
  const { crc32 } = await import("node:zlib");
  const zip = await fromBufferPromise(archive);
  const entry = await find(zip, member);
  if (entry.uncompressedSize > most)
    throw new UpdateError("too-large", `${member} in the ZIP archive has more than ${most} bytes`);
  const chunks: Buffer[] = [];
  // Stops if there is more than the archive declares.
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (crc32(bytes) !== entry.crc32)
    throw new UpdateError("archive", `${member} in the ZIP archive is corrupt: its checksum does not match`);
  return bytes;
}

async function find(zip: ZipFile, member: string): Promise<Entry> {
  let found: Entry | undefined;
  for await (const entry of zip.eachEntry()) {
    // Archives made on a Mac contain a `__MACOSX/._name` for each `name`.
    if (
      entry.fileName !== member &&
      !(entry.fileName.endsWith(`/${member}`) && !entry.fileName.startsWith("__MACOSX/"))
    )
      continue;
    if (found !== undefined) throw new Error(`it has two members ${found.fileName} and ${entry.fileName}`);
    found = entry;
  }
  if (found !== undefined) return found;
  throw new UpdateError("archive", `the ZIP archive has no ${member}`);
}
