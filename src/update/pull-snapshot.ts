import { readSnapshotHead } from "../snapshot/read-head.ts";
import type { SnapshotHead } from "../snapshot/format.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import {
  checkedDate,
  checkedEtag,
  type Downloader,
  type Headers,
  type OpenResponse,
  statusError,
  TransientError,
} from "./download.ts";
import { PartialPull, type SentFile } from "./partial-pull.ts";
import { UpdateError } from "./update-error.ts";
import { takeLock } from "./update-lock.ts";

/** Maximum bytes of a pulled snapshot: more than any process could open. */
export const MAX_PULLED_BYTES: number = 4 * 2 ** 30;

export interface PullOptions {
  readonly url: string;
  /** The snapshot to replace, or to create. */
  readonly path: string;
  readonly downloader: Downloader;
  /** Headers that the URL requires, such as a key; never sent to where it redirects. */
  readonly credentials?: Headers;
  /** The kind that the snapshot must have; by default that of the file at `path`, if there is one. */
  readonly kind?: string | undefined;
  /** Checks that the file at this path can be used; rejects with the error otherwise. */
  readonly check: (path: string) => Promise<unknown>;
  /** Called as bytes arrive; `total` is null as long as it is not known. */
  readonly onProgress?: (done: number, total: number | null) => void;
}

export interface PullReport {
  readonly outcome: "pulled" | "unchanged";
  readonly url: string;
  readonly path: string;
  readonly kind: string;
  readonly generation: string;
  readonly createdAt: string;
  readonly bytes: number;
  /** Bytes that an earlier pull, which was interrupted, had transferred already. */
  readonly resumedFrom: number;
  /** Whether the server sent the SHA-256 of the file, which was then verified. */
  readonly hasDigest: boolean;
}

/**
 * Copies the snapshot at a URL to a file: only if it has changed, and continuing where an interrupted pull ended. The
 * old file stays until the new one has arrived as a whole, has the digest that the server sent, is of the right kind
 * and passes `check`; then it is replaced atomically. One pull at a time for each path. @throws UpdateError, and what
 * `check` throws
 */
export async function pullSnapshot(options: PullOptions): Promise<PullReport> {
  const partial = new PartialPull(options.path);
  const release = await takeLock(partial.lockPath, "pull");
  try {
    const first = await pull(options, partial);
    // The parts belong to two files to which the server gave the same tag. The whole file is pulled again.
    return first ?? (await pull(options, partial))!;
  } finally {
    await release();
  }
}

/** undefined if the parts of a continued pull do not belong together. */
async function pull(options: PullOptions, partial: PartialPull): Promise<PullReport | undefined> {
  const before = await readSnapshotHead(options.path).catch(() => undefined);
  const transfer = new Transfer(partial, options);
  const sent = await transferred(options, partial, transfer);
  if (sent === "same") return reportOf(options, "unchanged", before!, { resumedFrom: 0, hasDigest: false });
  try {
    const head = await checked(options, partial, sent, before?.kind);
    await partial.publish(sent, head.generation);
    return reportOf(options, "pulled", head, {
      resumedFrom: transfer.resumedFrom,
      hasDigest: sent.digest !== null,
    });
  } catch (error) {
    if ((error as Error & { code?: string }).code === "unwritable") throw error;
    await partial.discard();
    if (transfer.resumedFrom > 0) return undefined;
    throw error;
  }
}

async function transferred(
  { url, downloader, credentials }: PullOptions,
  partial: PartialPull,
  transfer: Transfer,
): Promise<SentFile | "same"> {
  try {
    return await downloader.exchange(url, {
      headers: () => transfer.headers(),
      credentials,
      take: (response) => transfer.take(response),
    });
  } catch (error) {
    // A file that is too large is not kept on the disk; in all other cases the next pull fetches the rest.
    if (error instanceof UpdateError && error.code === "too-large") await partial.discard();
    throw error;
  }
}

/** The transfer of a file in one or several attempts, each of which continues where the one before it ended. */
class Transfer {
  /** Bytes left by an earlier attempt. */
  resumedFrom = 0;
  readonly #partial: PartialPull;
  readonly #options: PullOptions;
  #isFirst = true;
  #requested: { readonly part?: SentFile & { readonly bytes: number }; readonly known?: SentFile } = {};

  constructor(partial: PartialPull, options: PullOptions) {
    this.#partial = partial;
    this.#options = options;
  }

  async headers(): Promise<Headers> {
    const { url } = this.#options;
    const part = await this.#partial.resumable(url);
    const known = part === undefined ? await this.#partial.published(url) : undefined;
    this.#requested = { ...(part && { part }), ...(known && { known }) };
    if (this.#isFirst) this.resumedFrom = part?.bytes ?? 0;
    this.#isFirst = false;
    return {
      // A compressed file would have different bytes.
      "accept-encoding": "identity",
      ...(part && { range: `bytes=${part.bytes}-`, "if-range": part.etag! }),
      ...(known?.etag && { "if-none-match": known.etag }),
      ...(known?.lastModified && { "if-modified-since": known.lastModified }),
    };
  }

  /** @throws UpdateError */
  async take(response: OpenResponse): Promise<SentFile | "same"> {
    const { part, known } = this.#requested;
    if (response.status === 200) return this.#takeWhole(response);
    if (response.status === 206 && part !== undefined) return this.#takeRest(response, part);
    await response.body.dump({ limit: 1 << 16, signal: response.signal });
    if (response.status === 304 && known !== undefined) return "same";
    // The part belongs to an earlier version of the file.
    if (response.status === 416 && part !== undefined) return this.#startOver(response);
    throw statusError(response, CURES[response.status]);
  }

  async #takeWhole(response: OpenResponse): Promise<SentFile> {
    this.resumedFrom = 0;
    const { header } = response;
    const coding = header("content-encoding");
    if (coding !== null && coding !== "identity")
      throw new UpdateError("encoding", `the response has the compression ${coding}, which was not requested`);
    const etag = checkedEtag(header("etag"));
    const file = {
      url: this.#options.url,
      etag: etag?.startsWith('"') === true ? etag : null,
      lastModified: checkedDate(header("last-modified")),
      length: lengthOf(header("content-length")),
      digest: digestIn(header("repr-digest")),
    };
    checkLength(file.length);
    await this.#partial.begin(file);
    await this.#receive(response, 0, file);
    return file;
  }

  async #takeRest(response: OpenResponse, part: SentFile & { readonly bytes: number }): Promise<SentFile> {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.header("content-range") ?? "") ?? [];
    const etag = response.header("etag");
    const isRest = Number(start) === part.bytes && Number(total) === part.length && (etag ?? part.etag) === part.etag;
    if (!isRest) {
      await response.body.dump({ limit: 1 << 16, signal: response.signal });
      return this.#startOver(response);
    }
    await this.#receive(response, part.bytes, part);
    return part;
  }

  async #startOver({ url }: OpenResponse): Promise<never> {
    await this.#partial.discard();
    throw new TransientError("status", `${url.href} responds with another part of the file than was requested`);
  }

  async #receive({ body, url }: OpenResponse, start: number, { length }: SentFile): Promise<void> {
    let done = start;
    await this.#partial.append(start, body, (bytes) => {
      done += bytes;
      checkLength(done);
      this.#options.onProgress?.(done, length);
    });
    if (length !== null && done !== length)
      throw new TransientError("unreachable", `${url.href}: ${done} of ${length} bytes arrived`);
  }
}

/** The remedy for a status, which follows the words "responds with status" in the error. */
const CURES: Readonly<Record<number, string>> = {
  401: ": it requires a key that it knows; check IPSIEVE_API_KEY or --key-file",
  403: ": the key may not read this; check the plan of its organisation",
  404: ": check the URL",
  410: ": it is gone for good; remove this pull",
};

/** @throws UpdateError */
function checkLength(length: number | null): void {
  if (length !== null && length > MAX_PULLED_BYTES)
    throw new UpdateError("too-large", `it has more than ${MAX_PULLED_BYTES} bytes`);
}

/**
 * The head of the part, which has been checked and can replace the file. @throws UpdateError, and what `check` throws
 */
async function checked(
  { url, path, kind: required, check }: PullOptions,
  partial: PartialPull,
  { digest }: SentFile,
  kindBefore: string | undefined,
): Promise<SnapshotHead> {
  if (digest !== null && (await partial.digest()) !== digest)
    throw new UpdateError(
      "damaged",
      `${url}: the data received does not have the SHA-256 that the server stated; pull it again`,
    );
  try {
    const head = await readSnapshotHead(partial.partPath);
    const kind = required ?? kindBefore ?? head.kind;
    if (head.kind !== kind)
      throw new UpdateError(
        "wrong-kind",
        `${url}: a snapshot of the kind "${head.kind}", not "${kind}"${required === undefined ? `, which ${path} is; give another path` : ""}`,
      );
    await check(partial.partPath);
    return head;
  } catch (cause) {
    // In errors, it is the server's file, wherever it is stored now.
    if (!(cause instanceof SnapshotError)) throw cause;
    throw new UpdateError(
      "damaged",
      cause.message.replace(partial.partPath, () => url),
      { cause },
    );
  }
}

function reportOf(
  { url, path }: PullOptions,
  outcome: PullReport["outcome"],
  { kind, generation, createdAt, byteLength }: SnapshotHead,
  { resumedFrom, hasDigest }: Pick<PullReport, "resumedFrom" | "hasDigest">,
): PullReport {
  const time = createdAt.toISOString();
  return { outcome, url, path, kind, generation, createdAt: time, bytes: byteLength, resumedFrom, hasDigest };
}

function lengthOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The SHA-256 of a Repr-Digest (RFC 9530), in base64. */
function digestIn(text: string | null): string | null {
  return /(?:^|[\s,])sha-256=:([A-Za-z0-9+/]{43}=):/.exec(text ?? "")?.[1] ?? null;
}
