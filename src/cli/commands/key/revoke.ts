import type { ApiKey } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../service-database.ts";
import { UsageError } from "../../usage-error.ts";

export const revokeCommand: Command = {
  name: "key revoke",
  summary: "revoke an API key permanently",
  operands: "KEY",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: ['KEY is the id, or the first 8 characters, that "ipsieve key list" shows.', RUNNING_SERVER_NOTE],
  examples: [{ command: "ipsieve key revoke ips_Ab3d", what: "by its first characters" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { keys } = await store.load(null);
    const { id, organisationId, label } = chosenKey(keys, args.operands[0]!);
    await store.write({ kind: "revoke-key", organisationId, keyId: id, ...signature() });
    process.stdout.write(`revoked ${id} (${label})\n`);
  });
  return EXIT.matched;
}

function chosenKey(keys: readonly ApiKey[], text: string): ApiKey {
  const found = keys.filter(({ id, start }) => id === text || start === text);
  if (found.length === 1) return found[0]!;
  // A whole key must not be repeated on the screen.
  const shown = JSON.stringify(text.length > 8 && text.startsWith("ips_") ? `${text.slice(0, 8)}...` : text);
  throw new UsageError(
    found.length === 0
      ? `there is no key ${shown}; "ipsieve key list" lists them`
      : `several keys begin with ${shown}; give the id`,
  );
}
