import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { crc32 } from "node:zlib";
import { Slice } from "../turns/in-slices.ts";
import { randomGeneration } from "./encode-snapshot.ts";
import { contentLength, encodeHead, HEAD_BYTES, SIGNED_VERSION, type SnapshotHead } from "./format.ts";
import { decodeSignatureBlock, encodeSignatureBlock, SIGNED_PREFIX } from "./signature-block.ts";
import type { Snapshot } from "./snapshot.ts";
import { SnapshotError } from "./snapshot-error.ts";

/*
 * Ed25519 (RFC 8032) by node:crypto, over the SHA-256 of the file: a digest is computed in slices, between which other
 * work can run, while Ed25519 itself would process the whole message at once, twice.
 */

/** Bytes of a digest between two pauses: about 1 ms. */
const HASHED = 1 << 20;
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

/** The public keys one of which must have signed a snapshot. */
export type TrustedKeys = readonly KeyObject[];

/**
 * The public keys in a text of PEM blocks ("PUBLIC KEY"), such as `openssl pkey -pubout` writes; `name` stands for it in
 * errors. At least one.
 * @throws SnapshotError "bad-key"
 */
export function parseTrustedKeys(text: string, name: string): KeyObject[] {
  const blocks = text.match(PEM_BLOCK) ?? [];
  if (blocks.length === 0) throw new SnapshotError("bad-key", name, "holds no public key in PEM form");
  return blocks.map((block) => publicKeyIn(block, name));
}

function publicKeyIn(block: string, name: string): KeyObject {
  // createPublicKey would also accept a private key, which does not belong on machines that only check.
  if (block.includes("PRIVATE KEY"))
    throw new SnapshotError("bad-key", name, "holds a private key; to check signatures, only the public key is needed");
  return ed25519(() => createPublicKey(block), name);
}

/** @throws SnapshotError "bad-key" */
export function parsePrivateKey(text: string, name: string): KeyObject {
  return ed25519(() => createPrivateKey(text), name);
}

function ed25519(parse: () => KeyObject, name: string): KeyObject {
  let key: KeyObject;
  try {
    key = parse();
  } catch (cause) {
    throw new SnapshotError("bad-key", name, "is not a key in PEM form that can be read", { cause });
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw new SnapshotError(
      "bad-key",
      name,
      `is a key for ${key.asymmetricKeyType ?? "an unknown algorithm"}, not Ed25519`,
    );
  return key;
}

/** The parts of a snapshot file with a signature at its end, which replaces an existing one. */
export async function signedFile(
  snapshot: Snapshot,
  privateKey: KeyObject,
  path: string,
): Promise<{ readonly chunks: readonly Uint8Array[]; readonly publicKey: Uint8Array }> {
  const { info, buffer } = snapshot;
  const head = encodeHead({ ...info, generation: randomGeneration() }, path, SIGNED_VERSION);
  const rest = new Uint8Array(buffer, HEAD_BYTES, contentLength(info) - HEAD_BYTES);
  const digest = await digestOf([head, rest]);
  const publicKey = rawKey(createPublicKey(privateKey));
  const signature = sign(null, signedMessage(digest), privateKey);
  return { chunks: [head, rest, encodeSignatureBlock({ publicKey, signature }, crc32)], publicKey };
}

/**
 * Proves that the file with these bytes was signed by one of the keys. O(bytes), in slices.
 * @throws SnapshotError "not-signed", "untrusted-key", "bad-signature"
 */
export async function checkSigned(
  bytes: Uint8Array,
  head: SnapshotHead,
  trustedKeys: TrustedKeys,
  path: string,
): Promise<void> {
  if (head.version !== SIGNED_VERSION) throw new SnapshotError("not-signed", path, "has no signature");
  const contents = contentLength(head);
  const { publicKey, signature } = decodeSignatureBlock(bytes.subarray(contents));
  const key = trustedKeys.find((trusted) => keyText(rawKey(trusted)) === keyText(publicKey));
  if (key === undefined)
    throw new SnapshotError("untrusted-key", path, `signed by the key ${keyText(publicKey)}, which is not trusted`);
  const digest = await digestOf([bytes.subarray(0, contents)]);
  if (!verify(null, signedMessage(digest), key, signature))
    throw new SnapshotError("bad-signature", path, `not what the key ${keyText(publicKey)} signed`);
}

async function digestOf(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const slice = new Slice();
  const hash = createHash("sha256");
  for (const part of parts) {
    for (let at = 0; at < part.length; at += HASHED) {
      await slice.pause();
      hash.update(part.subarray(at, at + HASHED));
    }
  }
  return hash.digest();
}

/** A public key in the form in which people compare keys: its 32 bytes in base64. */
export function keyText(publicKey: Uint8Array): string {
  return Buffer.from(publicKey).toString("base64");
}

function rawKey(key: KeyObject): Uint8Array {
  return Uint8Array.from(Buffer.from(key.export({ format: "jwk" }).x!, "base64url")); // every Ed25519 key has one
}

function signedMessage(digest: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(SIGNED_PREFIX), digest]);
}
