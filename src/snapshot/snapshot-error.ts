/**
 * Why a snapshot file is rejected, in the order of the checks of an open; the last three come from deeper checks and
 * from writing.
 *
 * A code names one cause; `test/corpus/snapshots.ts` has a bad file for each.
 */
const CURES = {
  "not-found": "check the path",
  unreadable: "check the permissions and the disk",
  "not-a-file": "give the path of a regular file",
  "not-a-snapshot": "give a file written by `ipsieve build`",
  "text-mode": "transfer it again in binary mode",
  truncated: "copy it again or build it again",
  extended: "copy it again or build it again",
  "foreign-byte-order": "build it on a machine of this byte order",
  "unsupported-version":
    "use the release of ipsieve that wrote it, or make it again with this one (ipsieve build, cbs update, cti import)",
  "header-checksum": "copy it again or build it again",
  "bad-header": "build it again",
  "section-table-checksum": "copy it again or build it again",
  "bad-section-table": "build it again",
  "too-large": "build it with fewer prefixes or give the machine more memory",
  "changed-while-reading": "publish snapshots by rename, never by writing over one, and open it again",
  "gap-not-zero": "copy it again or build it again",
  "section-checksum": "copy it again or build it again",
  "not-signed": "get it from its publisher again, or sign it with `ipsieve sign`",
  "bad-signature": "get it from its publisher again",
  "untrusted-key": "get it from a publisher that you trust, or trust that key",
  "bad-key": "give a key made by `openssl genpkey -algorithm ed25519`",
  "bad-table": "build it again",
  "bad-metadata": "build it again",
  "invalid-content": "correct what is to be written",
  unwritable: "check the folder, its permissions and the free space",
} as const;

/** The code of a `SnapshotError`: what is wrong with the file, or with writing it. Each code has one remedy. */
export type SnapshotErrorCode = keyof typeof CURES;

/**
 * A snapshot that cannot be opened, trusted or written: `code` for programs; the message says what is wrong and how to
 * fix it.
 */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
  readonly code: SnapshotErrorCode;
  readonly path: string;
  /** The invalid section, if it is one. */
  readonly section?: string;

  constructor(
    code: SnapshotErrorCode,
    path: string,
    what: string,
    details: { section?: string; cause?: unknown } = {},
  ) {
    super(`${path}: ${what}; ${CURES[code]}`, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.path = path;
    if (details.section !== undefined) this.section = details.section;
  }
}
