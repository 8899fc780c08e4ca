import { ofKind } from "../../../store/records/credential.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const revokeCommand: Command = {
  name: "edge revoke",
  summary: "revoke the token of an edge component, and what it has obtained with it, permanently",
  operands: "COMPONENT",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: [
    'COMPONENT is the id that "ipsieve edge list" shows. It keeps its current list; to empty that, change the deployment first.',
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve edge revoke 5f0c3a52-8d0b-4c64-9b0e-2f1d3c4b5a69", what: "by its id" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const text = args.operands[0]!;
  await withStore(args, false, async (store) => {
    const { credentials } = await store.load(null);
    const found = ofKind("edge", credentials).find(({ id }) => id === text.toLowerCase());
    if (found === undefined)
      throw new UsageError(`there is no edge component ${JSON.stringify(text)}; "ipsieve edge list" lists them`);
    const { id, organisationId, label } = found;
    await store.write({
      kind: "revoke-credential",
      credential: "edge",
      organisationId,
      credentialId: id,
      ...signature(),
    });
    process.stdout.write(`revoked ${id} (${label})\n`);
  });
  return EXIT.matched;
}
