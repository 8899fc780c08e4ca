import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { ServiceError } from "../service-error.ts";

const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Characters. */
const FINGERPRINT = 22;

/**
 * The key file of the servers of one database. Secrets that must be readable again are encrypted with it, and the URLs
 * of feeds are derived from it, so a copy of the database alone opens nothing. The file is read, or created, when it is
 * first needed.
 */
export class SecretKey {
  readonly path: string | undefined;
  readonly #derived = new Map<string, Buffer>();
  #key: Buffer | undefined;
  /** Called with the fingerprint when the file is first read or created. */
  onFirstUse: ((fingerprint: string) => void) | undefined;

  /** `path`: where the file is, or will be created; undefined: not configured. */
  constructor(path: string | undefined) {
    this.path = path;
  }

  /** Whether the path of the file is known. */
  get hasPath(): boolean {
    return this.path !== undefined;
  }

  /** Whether the file exists. */
  get isMade(): boolean {
    return this.path !== undefined && existsSync(this.path);
  }

  /** Identifies the file without revealing anything about the key. @throws as `derive` */
  fingerprint(): string {
    return this.derive("fingerprint", "the URLs of feeds").toString("base64url").slice(0, FINGERPRINT);
  }

  /**
   * A key of its own for each purpose, 32 bytes. `user` is what needs the key, in the plural, such as "webhooks": the
   * error message names it. @throws ServiceError "conflict" if no path is configured; KeyFileError for a corrupt file
   */
  derive(purpose: string, user: string): Buffer {
    const known = this.#derived.get(purpose);
    if (known !== undefined) return known;
    const derived = Buffer.from(hkdfSync("sha256", this.#read(user), "", purpose, KEY_BYTES));
    this.#derived.set(purpose, derived);
    return derived;
  }

  /** The encrypted text in base64url; only `open` with the same purpose can decrypt it. @throws as `derive` */
  seal(purpose: string, user: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.derive(purpose, user), nonce);
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /**
   * The decrypted text. @throws as `derive`, and SealError for a text that was not sealed for this purpose with this
   * key
   */
  open(purpose: string, user: string, sealed: string): string {
    const key = this.derive(purpose, user);
    const bytes = Buffer.from(sealed, "base64url");
    const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
    try {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAuthTag(tag);
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw new SealError(`the stored secret of ${user} cannot be decrypted with ${this.path}`, { cause });
    }
  }

  #read(user: string): Buffer {
    if (this.path === undefined)
      throw new ServiceError(
        "conflict",
        `the server has no key file, which ${user} need; the operator sets --secret-key-file, the same file for all servers`,
      );
    if (this.#key !== undefined) return this.#key;
    this.#key = readOrMake(this.path);
    this.onFirstUse?.(this.fingerprint());
    return this.#key;
  }
}

/** A sealed text that this key does not open. */
export class SealError extends Error {
  override readonly name = "SealError";
}

/** The key file is corrupt, or not the one that the database was used with. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

/** Only its owner may read it. If several servers start at once, one of them creates it. */
function readOrMake(path: string): Buffer {
  const key = Buffer.from(textOf(path).trim(), "base64url");
  if (key.length === KEY_BYTES) return key;
  throw new KeyFileError(
    `${path}: not a key file of ipsieve: it must have ${KEY_BYTES} bytes in base64url; restore it`,
  );
}

function textOf(path: string): string {
  try {
    if (!existsSync(path)) makeKey(path);
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const what = code === "EISDIR" ? "a folder" : "cannot be read or created";
    throw new KeyFileError(
      `${path}: ${what} (${code}); name a file that the server's user can read and create with --secret-key-file`,
      { cause },
    );
  }
}

/** Written to a temporary file first, so that another server never reads half of it. */
function makeKey(path: string): void {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(temporary, `${randomBytes(KEY_BYTES).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(temporary);
  }
}
