import { digestOfApiKey, isApiKeyText, isSameDigest } from "../../store/records/api-key.ts";
import type { ApiKey } from "../../store/state.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/** Recently used keys; when there are more, keys are checked anew. */
const MAX_KNOWN = 10_000;

/**
 * Finds API keys by their text. The digests of valid keys are cached, because a key comes with every request and
 * checking its text takes longer than a lookup. Whether a key is revoked is checked every time. The texts are kept only
 * in the memory of this process, which receives them with every request anyway.
 */
export class KnownKeys {
  readonly #memory: ServiceMemory;
  readonly #digests = new Map<string, string>();

  constructor(memory: ServiceMemory) {
    this.#memory = memory;
  }

  /** The key, even if revoked or expired. Invalid texts take the same time wherever they differ from a key. */
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
