import type { TaxiiCredential } from "../../../store/taxii-credential.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../service-database.ts";
import { UsageError } from "../../usage-error.ts";

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

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { taxiiCredentials } = await store.load(null);
    const { id, organisationId, label } = chosenCredential(taxiiCredentials, args.operands[0]!);
    await store.write({ kind: "revoke-taxii-credential", organisationId, credentialId: id, ...signature() });
    process.stdout.write(`revoked ${id} (${label})\n`);
  });
  return EXIT.matched;
}

/** @throws UsageError */
function chosenCredential(credentials: readonly TaxiiCredential[], text: string): TaxiiCredential {
  const found = credentials.filter(({ id, start }) => id === text || start === text);
  if (found.length === 1) return found[0]!;
  // A whole password must not be repeated on the screen.
  const shown = JSON.stringify(text.length > 8 && text.startsWith("ipt_") ? `${text.slice(0, 8)}...` : text);
  throw new UsageError(
    found.length === 0
      ? `there is no TAXII credential ${shown}; "ipsieve taxii list" lists them`
      : `several credentials have the user name ${shown}; give the id`,
  );
}
