import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

/** The beginning of a key's text, so that scanners for leaked secrets recognize it. */
export const API_KEY_PREFIX = "ips_";
/** 192 random bits as 32 characters of base64url. */
const RANDOM_BYTES = 24;
const RANDOM_CHARACTERS = 32;
/** The 32 bits of the checksum in base 62. */
const CHECKSUM_CHARACTERS = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PATTERN = new RegExp(`^${API_KEY_PREFIX}[A-Za-z0-9_-]{${RANDOM_CHARACTERS}}[A-Za-z0-9]{${CHECKSUM_CHARACTERS}}$`);
/** Characters of the text of a credential that are kept, to distinguish them. */
export const START_CHARACTERS = 8;

/** A new key. The text is shown once and not stored; a store gets `digest` and `start`. */
export interface NewApiKey {
  /** `ips_`, 32 random characters, and a checksum of both in 6. */
  readonly text: string;
  readonly digest: string;
  readonly start: string;
}

export function makeApiKey(): NewApiKey {
  const body = API_KEY_PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
  const text = body + checksum(body);
  return { text, digest: digestOfApiKey(text), start: text.slice(0, START_CHARACTERS) };
}

/**
 * Whether the text has the form and the checksum of a key. Every single typo, and nearly all other errors, are detected
 * without a look at the stored keys. It proves nothing: look up the digest.
 */
export function isApiKeyText(text: string): boolean {
  if (!PATTERN.test(text)) return false;
  const end = text.length - CHECKSUM_CHARACTERS;
  return checksum(text.slice(0, end)) === text.slice(end);
}

/** What is stored instead of the key: SHA-256 in base64url. No salt is needed, because no one can try 2^192 texts. */
export function digestOfApiKey(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Compares two digests in constant time. */
export function isSameDigest(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function checksum(body: string): string {
  let digits = "";
  for (let left = crc32(body); digits.length < CHECKSUM_CHARACTERS; left = Math.floor(left / 62))
    digits = BASE62[left % 62]! + digits;
  return digits;
}
