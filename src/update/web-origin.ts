import { randomUUID } from "node:crypto";
import { decodeList } from "../cbs/importers/decode-list.ts";
import type { SourceFile } from "../cbs/importers/sources.ts";
import { type Download, DOWNLOAD_LIMITS, Downloader, type DownloadOptions, type Validators } from "./download.ts";
import { findLink } from "./find-link.ts";
import type { FoundList, ListOrigin } from "./list-origin.ts";
import type { ListState } from "./list-store.ts";
import { unpackGzip } from "./unpack-gzip.ts";
import { unzipMember } from "./unzip-member.ts";

/** Lists at their publishers' URLs, or at `mirror`, where each has its path below this URL. */
export class WebOrigin implements ListOrigin {
  readonly #downloader: Downloader;
  readonly #mirror: string | undefined;
  /** Archives with several lists are fetched once. */
  readonly #archives = new Map<string, Promise<Download | "same">>();

  private constructor(downloader: Downloader, mirror: string | undefined) {
    this.#downloader = downloader;
    this.#mirror = mirror;
  }

  static async open(options: DownloadOptions, mirror?: string): Promise<WebOrigin> {
    return new WebOrigin(await Downloader.create(options), mirror);
  }

  groupOf(file: SourceFile): string | undefined {
    const url = this.#addressOf(file);
    return url === null ? undefined : (URL.parse(url)?.host ?? url);
  }

  async fetch(file: SourceFile, known: ListState | undefined): Promise<FoundList | "same" | undefined> {
    const url = await this.#listUrl(file);
    // Validators of a text are valid only for the URL that it came from.
    const validators = known?.url === url ? known : undefined;
    const isArchive = file.member !== undefined && this.#mirror === undefined;
    const found = isArchive
      ? await this.#archive(url, validators)
      : await this.#downloader.get(url.replace("{uuid}", randomUUID()), validators);
    if (found === "same") return "same";
    const most = DOWNLOAD_LIMITS.bytes;
    const text = decodeList(
      isArchive
        ? await unzipMember(found.bytes, file.member!, most)
        : file.isGzip === true
          ? await unpackGzip(found.bytes, most)
          : found.bytes,
    );
    return { text, url, etag: found.etag, lastModified: found.lastModified, fetchedAt: new Date() };
  }

  async close(): Promise<void> {
    await this.#downloader.close();
  }

  #addressOf({ path, url }: SourceFile): string | null {
    return this.#mirror === undefined ? url : `${this.#mirror.replace(/\/+$/, "")}/${path}`;
  }

  async #listUrl(file: SourceFile): Promise<string> {
    const url = this.#addressOf(file)!;
    if (file.link === undefined || this.#mirror !== undefined) return url;
    const page = await this.#downloader.get(url);
    return findLink(decodeList((page as Download).bytes), url, file.link);
  }

  #archive(url: string, validators: Validators | undefined): Promise<Download | "same"> {
    const key = JSON.stringify([url, validators?.etag, validators?.lastModified]);
    const known = this.#archives.get(key);
    if (known !== undefined) return known;
    const archive = this.#downloader.get(url, validators);
    this.#archives.set(key, archive);
    return archive;
  }
}
