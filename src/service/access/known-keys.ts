import { digestOfApiKey, isApiKeyText, isSameDigest } from "../../store/api-key.ts";
import type { ApiKey } from "../../store/state.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";

/** Keys that were sent lately; when there are more, they are checked anew. */
const MAX_KNOWN = 10_000;

/**
 * Finds API keys by their texts. The digests of texts that turned out to be keys are remembered, since a key is sent
 * with every request, and checking its text takes longer than a lookup. Whether a key is revoked is asked every time;
 * the texts are in this process's memory only, where each request brings them anyway.
 */
export class KnownKeys {
  readonly #memory: ServiceMemory;
  readonly #digests = new Map<string, string>();

  constructor(memory: ServiceMemory) {
    this.#memory = memory;
  }

  /** The key, revoked and expired ones too. Texts that are none take the same time whatever they differ in. */
  find(text: string): ApiKey | undefined {
    const known = this.#digests.get(text);
    if (known !== undefined) return this.#memory.keyByDigest(known);
    const digest = isApiKeyText(text) ? digestOfApiKey(text) : "";
    const key = this.#memory.keyByDigest(digest);
    if (key === undefined || !isSameDigest(digest, key.digest)) return undefined;
    if (this.#digests.size >= MAX_KNOWN) this.#digests.clear();
    this.#digests.set(text, digest);
    return key;
  }
}
