import { hash } from "node:crypto";
import type { Deployment } from "../../store/records/deployment.ts";
import { secondOf } from "../../time/second-of.ts";
import { SharedCache } from "../shared-cache.ts";
import { type FeedFile, fileName, makeFile } from "./feed-files.ts";
import { isTimed, renewalOf } from "./feed-times.ts";
import type { ServedList } from "./published-lists.ts";

/** Bytes of files, in all codings. */
const MAX_BYTES = 256 << 20;
/** Bytes of files whose times are relative: each is needed for a second only. */
const MAX_TIMED_BYTES = 64 << 20;

/** The bytes of a file, with their tag. */
export interface MadeFile {
  readonly bytes: Buffer;
  /** Equal for equal bytes, on all servers and after a restart. */
  readonly tag: string;
  readonly byteLength: number;
}

/** What a device that has a file needs to know to keep it. */
export interface FileState {
  /**
   * As an entity tag: equal for equal bytes, or weak where times are relative: equal for what has become the same by the
   * passing of time. On all servers, and after a restart.
   */
  readonly tag: string;
  readonly changedAt: number;
  /** Until when the tag stays unless the deployment or its list changes; Infinity: always. */
  readonly until: number;
}

/** A file of a feed at the moment of a request. */
export interface RequestedFile {
  readonly deployment: Deployment;
  readonly list: ServedList;
  readonly file: FeedFile;
  readonly now: number;
}

/** The files of feeds, each made once for all devices that fetch it; with relative times, once a second. */
export class FeedBytes {
  readonly #files = new SharedCache<MadeFile>(MAX_BYTES);
  readonly #timed = new SharedCache<MadeFile>(MAX_TIMED_BYTES);

  /** Relative times: O(1). Otherwise as `file`. */
  async state(requested: RequestedFile): Promise<FileState> {
    const { deployment, list, now } = requested;
    const changedAt = Math.max(list.published.at, deployment.updatedAt);
    if (!isTimed(deployment.definition, list.text))
      return { tag: `"${(await this.file(requested)).tag}"`, changedAt, until: Infinity };
    const { period, since, until } = renewalOf(deployment.definition, list.text, now);
    const tag = `W/"${shortHash(JSON.stringify([contentOf(requested), period]))}"`;
    return { tag, changedAt: Math.max(changedAt, since), until };
  }

  /** O(1) if it has been fetched before, otherwise O(entries), in slices. */
  file(requested: RequestedFile): Promise<MadeFile> {
    const { deployment, list, file } = requested;
    return this.#cacheOf(requested).get(keyOf(requested), async () => {
      const { name, id, definition, updatedAt } = deployment;
      const { generation, at, chunks } = list.published;
      const context = { name, id, definition, generation, at, updatedAt, now: countedFrom(requested) ?? at };
      const bytes = await makeFile(context, list.text, file, chunks);
      return { bytes, tag: shortHash(bytes), byteLength: bytes.length };
    });
  }

  /** The same bytes, compressed. */
  coded(requested: RequestedFile, coding: string, code: () => Promise<Buffer>): Promise<MadeFile> {
    return this.#cacheOf(requested).get(`${coding} ${keyOf(requested)}`, async () => {
      const bytes = await code();
      return { bytes, tag: "", byteLength: bytes.length };
    });
  }

  #cacheOf(requested: RequestedFile): SharedCache<MadeFile> {
    return countedFrom(requested) === undefined ? this.#files : this.#timed;
  }
}

/** A database that was restored from a backup gives a list the number of another one that was lost. */
function keyOf(requested: RequestedFile): string {
  const { deployment, list, file } = requested;
  const { generation, at, digest } = list.published;
  const second = countedFrom(requested) ?? "";
  return `${deployment.id} ${deployment.updatedAt} ${generation} ${at} ${digest} ${second} ${fileName(file, deployment)}`;
}

/** Everything that the text of a file depends on, besides the time: its list has absolute ends. */
function contentOf({ deployment, list, file }: RequestedFile): readonly unknown[] {
  const { name, id, definition } = deployment;
  const { firewall_format: format, purpose, options } = definition;
  return [id, name, format, purpose, options.comments === true, list.published.digest, fileName(file, deployment)];
}

/** The second from which relative times are counted, as ends are whole seconds; undefined: the file has none. */
function countedFrom({ deployment, list, now }: RequestedFile): number | undefined {
  return isTimed(deployment.definition, list.text) ? secondOf(now) : undefined;
}

function shortHash(content: Buffer | string): string {
  return hash("sha256", content, "base64url").slice(0, 22);
}
