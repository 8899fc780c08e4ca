import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { decodeList } from "../cbs/importers/decode-list.ts";
import type { SourceFile } from "../cbs/importers/sources.ts";
import { DOWNLOAD_LIMITS } from "./download.ts";
import type { FoundList, ListOrigin } from "./list-origin.ts";
import { unzipMember } from "./unzip-member.ts";
import { UpdateError } from "./update-error.ts";

/** Lists that were downloaded already, in a folder with a folder for each provider. A list counts as fetched when its file was written. */
export class FolderOrigin implements ListOrigin {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  groupOf(): string {
    return this.#folder;
  }

  async fetch(file: SourceFile): Promise<FoundList | undefined> {
    const path = await this.#find(file);
    if (path === undefined) return undefined;
    const { mtimeMs, size } = await stat(path);
    if (size > DOWNLOAD_LIMITS.bytes) throw new UpdateError("too-large", `${path}: it has more than ${DOWNLOAD_LIMITS.bytes} bytes`);
    const bytes = await readFile(path);
    const isArchive = file.member !== undefined && path.endsWith(".zip");
    const text = decodeList(isArchive ? await unzipMember(bytes, file.member!, DOWNLOAD_LIMITS.bytes) : bytes);
    return { text, url: null, etag: null, lastModified: null, fetchedAt: new Date(Math.min(mtimeMs, Date.now())) };
  }

  async close(): Promise<void> {}

  /** Under its own name, or as a browser saves it: with the date of the edition, or in the publisher's archive. */
  async #find({ path, link, member, url }: SourceFile): Promise<string | undefined> {
    const folder = join(this.#folder, dirname(path));
    const names = new Set(await readdir(folder).catch(emptyIfAbsent));
    const dated = link === undefined ? [] : [...names].filter((name) => link.test(`/${name}`)).sort();
    const candidates = [basename(path), dated.at(-1), member === undefined || url === null ? undefined : basename(url)];
    const name = candidates.find((candidate) => candidate !== undefined && names.has(candidate));
    return name === undefined ? undefined : join(folder, name);
  }
}

function emptyIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
