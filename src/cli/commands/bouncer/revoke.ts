import type { DeploymentCredential } from "../../../store/deployment-credential.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../service-database.ts";
import { UsageError } from "../../usage-error.ts";

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

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { deploymentCredentials } = await store.load(null);
    const { id, organisationId, label } = chosenBouncer(deploymentCredentials, args.operands[0]!);
    await store.write({ kind: "revoke-credential", organisationId, credentialId: id, ...signature() });
    process.stdout.write(`revoked ${id} (${label})\n`);
  });
  return EXIT.matched;
}

/** @throws UsageError */
function chosenBouncer(credentials: readonly DeploymentCredential[], text: string): DeploymentCredential {
  const found = credentials.filter(({ id, start, kind }) => kind === "bouncer" && (id === text || start === text));
  if (found.length === 1) return found[0]!;
  // A whole key must not be repeated on the screen.
  const shown = JSON.stringify(text.length > 8 && text.startsWith("ipb_") ? `${text.slice(0, 8)}...` : text);
  throw new UsageError(
    found.length === 0
      ? `there is no bouncer ${shown}; "ipsieve bouncer list" lists them`
      : `several keys begin with ${shown}; give the id`,
  );
}
