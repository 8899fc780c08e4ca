import type { Store } from "../../store/store.ts";
import { KeyFileError, type SecretKey } from "./secret-key.ts";

interface Log {
  error(about: object, message: string): void;
}

/**
 * Checks that the key file is the one that the servers of this database have used before: with a different one, all
 * firewalls would be rejected as if their credentials were wrong, and stop enforcing. The database remembers the first
 * key file used. Rejects with KeyFileError, and with the errors of the store and of reading the file.
 */
export async function checkKeyFile(key: SecretKey, store: Store, log: Log): Promise<void> {
  const known = await store.read("keyFile");
  if (known !== null) {
    if (key.isMade && key.fingerprint() === known) return;
    throw new KeyFileError(`${problemOf(key)}; ${CURE}`);
  }
  const remember = (fingerprint: string): Promise<void> =>
    store.record("keyFile", fingerprint).then((first) => {
      if (first !== fingerprint) log.error({}, "another server uses another key file; give all servers the same one");
    });
  if (key.isMade) return remember(key.fingerprint());
  key.onFirstUse = (fingerprint) =>
    void remember(fingerprint).catch((error: unknown) =>
      log.error({ err: error }, "which key file is used was not recorded; the next start records it"),
    );
}

function problemOf(key: SecretKey): string {
  if (key.path === undefined) return "the database has been used with a key file, and the server has none";
  return key.isMade
    ? `${key.path} is not the key file that the database has been used with`
    : `${key.path} is missing, the key file that the database has been used with`;
}

const CURE =
  'restore it from your backup, or name it with --secret-key-file; if it is lost, "ipsieve admin db forget-key" lets the server make another, and then all devices need new URLs, and external lists their credentials again';
