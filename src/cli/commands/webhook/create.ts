import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import { RUNNING_SERVER_NOTE, signature } from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { KEY_FILE_OPTION, keyFileOf } from "../../database/servers-key-file.ts";
import {
  checkDefinition,
  DEFINITION_OPTIONS,
  guardedPost,
  kindsIn,
  OUTBOUND_OPTION,
  WEBHOOK_OPTIONS,
  withWebhooks,
} from "../../database/webhook-database.ts";

export const createCommand: Command = {
  name: "webhook create",
  summary: "create a webhook endpoint and print its secret (shown only once)",
  operands: "URL",
  operandWords: [],
  options: [...DEFINITION_OPTIONS, OUTBOUND_OPTION, KEY_FILE_OPTION, ...WEBHOOK_OPTIONS],
  notes: [
    "Only the secret is written to stdout; the receiver verifies signatures with it (Standard Webhooks). It is stored encrypted under the servers' key file.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    {
      command: "ipsieve webhook create https://example.org/hooks/ipsieve --kind rule.created --kind rule.deleted",
      what: "two kinds of events",
    },
    { command: "ipsieve webhook create https://example.org/all --kind all > secret.txt", what: "every event" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const given = { url: args.operands[0]!, description: args.value("description") ?? "", active: true };
  await checkDefinition(given, guardedPost(args));
  const kinds = kindsIn(args);
  if (kinds === undefined) throw new UsageError("give --kind KIND at least once, or --kind all");
  const definition = { ...given, kinds };
  const secret = await withWebhooks(args, async ({ store, organisation }) => {
    const { makeSecret } = await import("../../../service/webhooks/webhook-secret.ts");
    const { text, sealed } = makeSecret(await keyFileOf(args, store), organisation.id);
    const about = { organisationId: organisation.id, definition, secret: sealed, ...signature() };
    const { webhook } = await store.write({ kind: "create-webhook", ...about });
    standardError().write(`webhook ${webhook.id} of ${organisation.name}; its secret is not shown again:\n`);
    return text;
  });
  process.stdout.write(`${secret}\n`);
  return EXIT.matched;
}
