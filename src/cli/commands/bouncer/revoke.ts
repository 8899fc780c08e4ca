import { ofKind } from "../../../store/records/credential.ts";
import { chosenCredential } from "../../database/chosen-credential.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../database/service-database.ts";

export const revokeCommand: Command = {
  name: "bouncer revoke",
  summary: "revoke the key of a CrowdSec bouncer permanently",
  operands: "BOUNCER",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: [
    'BOUNCER is the id, or the first 8 characters of the key, that "ipsieve bouncer list" shows.',
    "The bouncer keeps its current blocks until they expire; to end them at once, deactivate the deployment first.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve bouncer revoke ipb_Ab3d", what: "by the first characters of its key" }],
  run,
};

const BOUNCERS = { kind: "bouncer", prefix: "ipb_", listedBy: "bouncer list", several: "keys begin with" };

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { credentials } = await store.load(null);
    const { id, organisationId, label } = chosenCredential(ofKind("bouncer", credentials), args.operands[0]!, BOUNCERS);
    await store.write({
      kind: "revoke-credential",
      credential: "bouncer",
      organisationId,
      credentialId: id,
      ...signature(),
    });
    process.stdout.write(`revoked ${id} (${label})\n`);
  });
  return EXIT.matched;
}
