import { isSameDigest } from "../../store/records/api-key.ts";
import { type Credential, type CredentialKind, isOfKind } from "../../store/records/credential.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { digestOfCredential } from "./credential-text.ts";

/** Recently used ones; when there are more, texts are checked anew. */
const MAX_KNOWN = 10_000;

/**
 * Finds credentials by their text, for the doors that take their kind. The digests of valid ones are cached, because one
 * comes with every request and checking its text takes longer than a lookup. Whether it is revoked is checked every
 * time. The texts are kept only in the memory of this process, which receives them with every request anyway.
 */
export class KnownCredentials {
  readonly #memory: Pick<ServiceMemory, "credentialByDigest">;
  readonly #digests = new Map<string, string>();

  constructor(memory: Pick<ServiceMemory, "credentialByDigest">) {
    this.#memory = memory;
  }

  /**
   * The one with this text, even if it has expired, unless it is revoked. Invalid texts take the same time wherever they
   * differ from it.
   */
  find<Kind extends CredentialKind>(kind: Kind, text: string): Credential<Kind> | undefined {
    const known = this.#digests.get(text);
    const digest = known ?? digestOfCredential(kind, text) ?? "";
    const found = this.#memory.credentialByDigest(digest);
    if (found === undefined || !isOfKind(kind, found)) return undefined;
    if (known === undefined) {
      if (!isSameDigest(digest, found.digest)) return undefined;
      this.#remember(text, digest);
    }
    return found.revokedAt === null ? found : undefined;
  }

  /** The one with this text, if it may be used. */
  findValid<Kind extends CredentialKind>(kind: Kind, text: string, now: number): Credential<Kind> | undefined {
    const found = this.find(kind, text);
    return found === undefined || hasExpired(found, now) ? undefined : found;
  }

  #remember(text: string, digest: string): void {
    if (this.#digests.size >= MAX_KNOWN) this.#digests.clear();
    this.#digests.set(text, digest);
  }
}

export function hasExpired({ expiresAt }: Pick<Credential, "expiresAt">, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}
