import { hash } from "node:crypto";
import type { Deployment, PublishedList } from "../../store/deployment.ts";
import { SharedCache } from "../shared-cache.ts";
import { type FeedFile, fileName, makeFile } from "./feed-files.ts";
import type { ServedList } from "./published-lists.ts";

/** Bytes of files, in all codings. */
const MAX_BYTES = 256 << 20;
/** The bytes of a file, with their tag. */
export interface MadeFile {
  readonly bytes: Buffer;
  /** Equal for equal bytes, on all servers and after a restart. */
  readonly tag: string;
  readonly byteLength: number;
}

/** The files of feeds, each made once for all devices that fetch it. */
export class FeedBytes {
  readonly #files = new SharedCache<MadeFile>(MAX_BYTES);

  /** O(1) if it has been fetched before, otherwise O(entries), in slices. */
  file(deployment: Deployment, { published, text }: ServedList, file: FeedFile): Promise<MadeFile> {
    return this.#files.get(this.#keyOf(deployment, published, file), async () => {
      const { name, id, definition, updatedAt } = deployment;
      const { generation, at, chunks } = published;
      return madeOf(await makeFile({ name, id, definition, generation, at, updatedAt }, text, file, chunks));
    });
  }

  /** The same bytes, compressed. */
  coded(
    deployment: Deployment,
    { published }: ServedList,
    file: FeedFile,
    coding: string,
    code: () => Promise<Buffer>,
  ): Promise<MadeFile> {
    return this.#files.get(`${coding} ${this.#keyOf(deployment, published, file)}`, async () => {
      const bytes = await code();
      return { bytes, tag: "", byteLength: bytes.length };
    });
  }

  /** A database that was restored from a backup gives a list the number of another one that was lost. */
  #keyOf(deployment: Deployment, { generation, at, digest }: PublishedList, file: FeedFile): string {
    return `${deployment.id} ${deployment.updatedAt} ${generation} ${at} ${digest} ${fileName(file, deployment)}`;
  }
}

function madeOf(bytes: Buffer): MadeFile {
  return { bytes, tag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`, byteLength: bytes.length };
}
