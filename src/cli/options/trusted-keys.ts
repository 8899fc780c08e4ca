import { parseTrustedKeys, type TrustedKeys } from "../../snapshot/signing.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { readKeyFile } from "./key-file.ts";

export const TRUSTED_KEY_OPTION: Option = {
  name: "trusted-key",
  value: "FILE",
  repeats: true,
  isPath: true,
  help: "refuse a snapshot unless it is signed by this public key: a PEM file with one or several Ed25519 keys, as openssl pkey -pubout writes; may be given several times",
};

/** The keys of `--trusted-key`; undefined without the option. Throws UsageError, SnapshotError "bad-key". */
export function chosenTrustedKeys(args: Arguments): TrustedKeys | undefined {
  const paths = args.values("trusted-key");
  return paths.length === 0 ? undefined : paths.flatMap((path) => trustedKeysIn(path));
}

/** Throws UsageError, SnapshotError "bad-key". */
export function trustedKeysIn(path: string): TrustedKeys {
  return parseTrustedKeys(readKeyFile(path, "--trusted-key"), path);
}
