import { KnownCredentials } from "../access/known-credentials.ts";
import { LimitExchange } from "../access/limit-exchange.ts";
import { Passwords } from "../access/passwords.ts";
import { FailureLimits, KeyLimits, SteadyClock } from "../access/rate-limits.ts";
import { SecretKey } from "../access/secret-key.ts";
import { SignInLimits } from "../access/sign-in-limits.ts";
import { UsageRecorder } from "../access/usage-recorder.ts";
import type { Area, Basis } from "./area.ts";
import { Parts } from "./parts.ts";

export interface AccessOptions {
  /** Where the key of the URLs of feeds is, or is made; without it, there are none. */
  readonly secretKeyFile?: string | undefined;
  /** By default, one that hashes at full cost. */
  readonly passwords?: Passwords;
}

/** Who may ask, how often, and the secrets of the server. */
export class Access implements Area {
  /** The key under which secrets are encrypted and from which the URLs of feeds are derived. */
  readonly secretKey: SecretKey;
  readonly credentials: KnownCredentials;
  readonly passwords: Passwords;
  readonly keyLimits: KeyLimits;
  readonly failureLimits: FailureLimits;
  readonly signIns: SignInLimits;
  /** The digest of the token for creating the first user; null if the server started with users. */
  setupDigest: string | null = null;
  readonly #parts = new Parts();

  constructor(basis: Basis, { secretKeyFile, passwords = new Passwords() }: AccessOptions) {
    const steady = new SteadyClock(basis.now);
    this.secretKey = new SecretKey(secretKeyFile);
    this.credentials = new KnownCredentials(basis.memory);
    this.passwords = passwords;
    this.keyLimits = new KeyLimits(steady);
    this.failureLimits = new FailureLimits(steady);
    this.signIns = new SignInLimits(basis.settings.signInsPerMinute, steady);
    const { keyLimits, failureLimits, signIns } = this;
    this.#parts.add(new UsageRecorder({ ...basis, keyLimits }));
    this.#parts.add(new LimitExchange({ ...basis, keyLimits, failureLimits, signIns }, steady));
  }

  start(): Promise<void> {
    return this.#parts.start();
  }

  close(): Promise<void> {
    return this.#parts.stop();
  }
}
