import { ofKind } from "../../../store/records/credential.ts";
import { type Deployment, deploymentsOpenedBy } from "../../../store/records/deployment.ts";
import { chosenCredential } from "../../database/chosen-credential.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import {
  DATABASE_OPTIONS,
  organisationOption,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";

export const revokeCommand: Command = {
  name: "key revoke",
  summary: "revoke an API key permanently",
  operands: "KEY",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: [
    'KEY is the id, or the first 8 characters, that "ipsieve key list" shows.',
    "The URLs of deployments that the key has read still work: the command prints how to replace them.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve key revoke ips_Ab3d", what: "by its first characters" }],
  run,
};

const KEYS = { kind: "key", prefix: "ips_", listedBy: "key list", several: "keys begin with" };

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const { id, organisationId, label } = chosenCredential(ofKind("api", state.credentials), args.operands[0]!, KEYS);
    const about = signature();
    await store.write({ kind: "revoke-credential", credential: "api", organisationId, credentialId: id, ...about });
    process.stdout.write(`revoked ${id} (${label})\n`);
    const opened = deploymentsOpenedBy(await store.read("urlReaders", organisationId), state.deployments, about.at);
    const { name } = state.organisations.find((each) => each.id === organisationId)!;
    standardError().write(urlsNote(opened(id), name));
  });
  return EXIT.matched;
}

/** What is left to do where the key has read URLs of deployments. */
function urlsNote(opened: readonly Deployment[], organisation: string): string {
  if (opened.length === 0) return "";
  const commands = opened.map(
    ({ id, name }) =>
      `  ipsieve deployment rotate ${id}${organisationOption(organisation)}  # ${JSON.stringify(name)}\n`,
  );
  return `the key has read URLs of these deployments, which still work for anyone who has them; to replace the URLs:\n${commands.join("")}`;
}
