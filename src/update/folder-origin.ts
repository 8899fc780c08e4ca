import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { decodeList } from "../cbs/importers/decode-list.ts";
import type { SourceFile } from "../cbs/importers/sources.ts";
import { DOWNLOAD_LIMITS } from "./download.ts";
import type { FoundList, ListOrigin } from "./list-origin.ts";
import { unpackGzip } from "./unpack-gzip.ts";
import { unzipMember } from "./unzip-member.ts";
import { UpdateError } from "./update-error.ts";

/**
 * Lists that were downloaded before, in a folder with a subfolder for each provider. A list counts as fetched when its
 * file was written.
 */
export class FolderOrigin implements ListOrigin {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  groupOf(): string {
    return this.#folder;
  }

  async fetch(file: SourceFile): Promise<FoundList | undefined> {
    const folder = join(this.#folder, dirname(file.path));
    try {
      const name = nameIn(await namesIn(folder), file);
      return name === undefined ? undefined : await read(this.#folder, join(folder, name), file);
    } catch (cause) {
      if (!(cause instanceof Error && "syscall" in cause)) throw cause;
      // Like a list that cannot be fetched: it says nothing about the others.
      throw new UpdateError("unreadable", `${folder}: ${cause.message}`, { cause });
    }
  }

  async close(): Promise<void> {}
}

/**
 * A pipe or a device may have no end, or no writer. A link that leaves the folder may lead to something that the
 * folder's author must not read: errors of lists quote their content.
 */
async function read(root: string, path: string, { member, isGzip }: SourceFile): Promise<FoundList> {
  const real = await realpath(path);
  if (!isWithin(real, await realpath(root)))
    throw new UpdateError(
      "unreadable",
      `${path} is, or is reached through, a symbolic link that leaves ${root}; put a copy of the list there`,
    );
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new UpdateError("unreadable", `${path} is not a file`);
    if (found.size > DOWNLOAD_LIMITS.bytes)
      throw new UpdateError("too-large", `${path}: it has more than ${DOWNLOAD_LIMITS.bytes} bytes`);
    const bytes = await file.readFile();
    const isArchive = member !== undefined && path.endsWith(".zip");
    const most = DOWNLOAD_LIMITS.bytes;
    const unpacked = isGzip === true ? await unpackGzip(bytes, most) : bytes;
    const text = decodeList(isArchive ? await unzipMember(bytes, member, most) : unpacked);
    return {
      text,
      url: null,
      etag: null,
      lastModified: null,
      fetchedAt: new Date(Math.min(found.mtimeMs, Date.now())),
    };
  } finally {
    await file.close();
  }
}

function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/**
 * A list has its own name, or the name under which a browser saves it: with the date of the edition, or in the
 * publisher's archive.
 */
function nameIn(names: readonly string[], { path, link, member, url }: SourceFile): string | undefined {
  const dated = link === undefined ? [] : names.filter((name) => link.test(`/${name}`)).sort();
  const candidates = [basename(path), dated.at(-1), member === undefined || url === null ? undefined : basename(url)];
  return candidates.find((candidate) => candidate !== undefined && names.includes(candidate));
}
