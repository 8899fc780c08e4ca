import { ofKind } from "../../../store/records/credential.ts";
import { chosenCredential } from "../../database/chosen-credential.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../database/service-database.ts";

export const revokeCommand: Command = {
  name: "taxii revoke",
  summary: "revoke a TAXII credential permanently",
  operands: "CREDENTIAL",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: ['CREDENTIAL is the id, or the user name, that "ipsieve taxii list" shows.', RUNNING_SERVER_NOTE],
  examples: [{ command: "ipsieve taxii revoke ipt_Ab3d", what: "by its user name" }],
  run,
};

const CREDENTIALS = {
  kind: "TAXII credential",
  prefix: "ipt_",
  listedBy: "taxii list",
  several: "credentials have the user name",
};

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { credentials } = await store.load(null);
    const { id, organisationId, label } = chosenCredential(
      ofKind("taxii", credentials),
      args.operands[0]!,
      CREDENTIALS,
    );
    await store.write({
      kind: "revoke-credential",
      credential: "taxii",
      organisationId,
      credentialId: id,
      ...signature(),
    });
    process.stdout.write(`revoked ${id} (${label})\n`);
  });
  return EXIT.matched;
}
