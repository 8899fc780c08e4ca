import { openSnapshot } from "./open-snapshot.ts";
import { parsePrivateKey, signedFile } from "./signing.ts";
import { publishSnapshot } from "./write-snapshot.ts";

/** What is signed, with which key, and where the result goes. */
export interface SignOptions {
  /** An Ed25519 private key as PEM text, such as `openssl genpkey -algorithm ed25519` writes. */
  readonly privateKey: string;
  /** The name of the key in errors, for example its path. */
  readonly name?: string;
  /** The file to write or replace, atomically; by default the snapshot itself. */
  readonly output?: string;
}

/**
 * Signs a snapshot file: the same contents, a new generation, and a signature at the end, which replaces an existing
 * one. Resolves to the public key, 32 bytes. O(bytes). @throws SnapshotError "bad-key", "unwritable", and as
 * `openSnapshot`
 */
export async function signSnapshot(
  path: string,
  { privateKey, name = "the private key", output = path }: SignOptions,
): Promise<Uint8Array> {
  const key = parsePrivateKey(privateKey, name);
  const { chunks, publicKey } = await signedFile(await openSnapshot(path), key, path);
  await publishSnapshot(output, chunks);
  return publicKey;
}
