import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { type Applicant, HashQueue } from "./hash-queue.ts";

/** N = 2^16, r = 8, p = 2: 64 MiB and some 0.3 s of one core for every guess. */
const COST = { N: 2 ** 16, r: 8, p: 2 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Bytes that one hash takes, and a little more. */
const MEMORY = 128 * COST.N * COST.r + (1 << 20);
const PATTERN = /^\$scrypt\$ln=16,r=8,p=2\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

/** Hashes passwords by scrypt (RFC 7914), in the order of a fair queue. */
export class Passwords {
  readonly #queue = new HashQueue();

  /**
   * The password's hash with its salt and cost: `$scrypt$ln=16,r=8,p=2$salt$hash`. Rejects with Problem (503) when too
   * many wait.
   */
  async hash(password: string, by: Applicant): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return `$scrypt$ln=16,r=8,p=2$${salt.toString("base64url")}$${(await this.#derive(password, salt, by)).toString("base64url")}`;
  }

  /**
   * Whether the hash is the password's. Without a hash, or with one that is none, it takes the same time and is false.
   * Rejects as `hash`.
   */
  async check(password: string, hash: string | undefined, by: Applicant): Promise<boolean> {
    const [, salt = "", wanted = ""] = PATTERN.exec(hash ?? "") ?? [];
    const derived = await this.#derive(
      password,
      salt === "" ? Buffer.alloc(SALT_BYTES) : Buffer.from(salt, "base64url"),
      by,
    );
    return wanted !== "" && timingSafeEqual(derived, Buffer.from(wanted, "base64url"));
  }

  #derive(password: string, salt: Buffer, by: Applicant): Promise<Buffer> {
    return this.#queue.run(
      by,
      () =>
        new Promise((resolve, reject) => {
          // One text has several spellings in Unicode, and keyboards differ in which they send (RFC 8265, section
          // 4.2.2).
          scrypt(password.normalize("NFKC"), salt, HASH_BYTES, { ...COST, maxmem: MEMORY }, (error, hash) =>
            error === null ? resolve(hash) : reject(error),
          );
        }),
    );
  }
}
