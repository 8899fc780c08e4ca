import { signSnapshot } from "../../snapshot/sign-snapshot.ts";
import { keyText } from "../../snapshot/signing.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { readKeyFile } from "../options/key-file.ts";
import { UsageError } from "../runner/usage-error.ts";

export const signCommand: Command = {
  name: "sign",
  summary: "sign a catalogue, dataset or ruleset file, so that others can prove where it comes from",
  operands: "FILE",
  options: [
    {
      name: "private-key",
      value: "PEM",
      isPath: true,
      help: "the file of an Ed25519 private key, as openssl genpkey -algorithm ed25519 writes",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the signed file; default: the signed file replaces FILE",
    },
  ],
  notes: [
    "The signature is part of the file, which is replaced atomically. Anyone who has the public key passes it to pull, verify or serve as --trusted-key; everyone else uses the file as before. Earlier releases do not open signed files.",
    "A key pair: openssl genpkey -algorithm ed25519 -out release.pem; openssl pkey -in release.pem -pubout -out release.pub",
  ],
  examples: [
    { command: "ipsieve sign --private-key release.pem catalogue.ipsieve", what: "sign a catalogue" },
    { command: "ipsieve verify --trusted-key release.pub catalogue.ipsieve", what: "prove that it is that one" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [path] = args.operands;
  const keyPath = args.value("private-key");
  if (path === undefined || keyPath === undefined)
    throw new UsageError("sign needs a file and a key; usage: ipsieve sign --private-key PEM FILE");
  const output = args.value("output") ?? path;
  const key = await signSnapshot(path, { privateKey: readKeyFile(keyPath, "--private-key"), name: keyPath, output });
  process.stdout.write(`${output}: signed by the key ${keyText(key)}\n`);
  return EXIT.matched;
}
