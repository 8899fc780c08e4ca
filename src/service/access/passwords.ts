import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from "node:crypto";
import { type Applicant, FairQueue } from "../fair-queue.ts";

/** The binary logarithm of scrypt's N; with r = 8 and p = 2, 64 MiB and some 0.3 s of one core for every guess. */
const LOG_N = 16;
const R = 8;
const P = 2;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PATTERN = /^(\$scrypt\$ln=\d+,r=8,p=2\$)([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

/** Hashes passwords by scrypt (RFC 7914), in the order of a fair queue. */
export class Passwords {
  readonly #queue = new FairQueue({ atOnce: 2, what: "sign-ins" });
  readonly #cost: ScryptOptions;
  /** The beginning of every hash: the algorithm and its cost. */
  readonly #start: string;

  /** `logN`: the binary logarithm of scrypt's N. Only tests that are about something else lower it. */
  constructor(logN: number = LOG_N) {
    const N = 2 ** logN;
    this.#cost = { N, r: R, p: P, maxmem: 128 * N * R + (1 << 20) }; // bytes that one hash needs, and a little more
    this.#start = `$scrypt$ln=${logN},r=${R},p=${P}$`;
  }

  /**
   * The password's hash with its salt and cost: `$scrypt$ln=16,r=8,p=2$salt$hash`. Rejects with ServiceError
   * "unavailable" when too many tasks wait.
   */
  async hash(password: string, by: Applicant): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return `${this.#start}${salt.toString("base64url")}$${(await this.#derive(password, salt, by)).toString("base64url")}`;
  }

  /**
   * Whether the password has this hash. Without a hash, and for a hash that is malformed or has another cost, the
   * result is false and takes the same time. Rejects as `hash` does.
   */
  async check(password: string, hash: string | undefined, by: Applicant): Promise<boolean> {
    const [, start, salt = "", wanted = ""] = PATTERN.exec(hash ?? "") ?? [];
    const derived = await this.#derive(
      password,
      salt === "" ? Buffer.alloc(SALT_BYTES) : Buffer.from(salt, "base64url"),
      by,
    );
    return start === this.#start && timingSafeEqual(derived, Buffer.from(wanted, "base64url"));
  }

  #derive(password: string, salt: Buffer, by: Applicant): Promise<Buffer> {
    return this.#queue.run(
      by,
      () =>
        new Promise((resolve, reject) => {
          // One text has several spellings in Unicode, and keyboards differ in which they send (RFC 8265, section
          // 4.2.2).
          scrypt(password.normalize("NFKC"), salt, HASH_BYTES, this.#cost, (error, hash) =>
            error === null ? resolve(hash) : reject(error),
          );
        }),
    );
  }
}
