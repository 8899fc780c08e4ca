import { resolve } from "node:path";
import { checkKeyFile } from "../../service/access/check-key-file.ts";
import { SecretKey } from "../../service/access/secret-key.ts";
import type { Store } from "../../store/store.ts";
import { standardError } from "../runner/standard-error.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";
import { databaseLocation } from "./service-database.ts";

export const KEY_FILE_OPTION: Option = {
  name: "secret-key-file",
  value: "FILE",
  isPath: true,
  help: "the servers' key file; default: $IPSIEVE_SECRET_KEY_FILE, otherwise beside the SQLite file",
};

/** The key file of the servers, which is made if none has been used. Rejects with KeyFileError if it is another one. */
export async function keyFileOf(args: Arguments, store: Store): Promise<SecretKey> {
  const { IPSIEVE_SECRET_KEY_FILE: named = "" } = process.env;
  const given = args.value("secret-key-file") ?? named;
  const location = databaseLocation(args);
  const beside = "file" in location ? `${location.file}.key` : undefined;
  const key = new SecretKey(given === "" ? beside : resolve(given));
  if (!key.hasPath) throw new UsageError("give the servers' key file with --secret-key-file");
  // It is made now, if it is to be made: a later use would not be waited for.
  if ((await store.read("keyFile")) === null) key.fingerprint();
  await checkKeyFile(key, store, { error: (_, message) => void standardError().write(`${message}\n`) });
  return key;
}
