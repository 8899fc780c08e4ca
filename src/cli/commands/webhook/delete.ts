import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import { printText } from "../../runner/standard-output.ts";
import { RUNNING_SERVER_NOTE, signature } from "../../database/service-database.ts";
import { chosenWebhook, WEBHOOK_NOTE, WEBHOOK_OPTIONS, withWebhooks } from "../../database/webhook-database.ts";

export const deleteCommand: Command = {
  name: "webhook delete",
  summary: "delete a webhook endpoint with its secret and its deliveries, after confirmation",
  operands: "WEBHOOK",
  operandWords: [],
  options: [{ name: "yes", help: "delete it without asking" }, ...WEBHOOK_OPTIONS],
  notes: [
    WEBHOOK_NOTE,
    RUNNING_SERVER_NOTE,
    "Exit code: 0 if it was deleted, 1 if you did not agree, 2 after an error.",
  ],
  examples: [{ command: "ipsieve webhook delete https://example.org/all", what: "asks first" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return withWebhooks(args, async ({ store, organisation, webhooks }) => {
    const { id: webhookId, url } = chosenWebhook(webhooks, args.operands[0]!);
    if (!args.has("yes") && !(await confirm(`Delete ${JSON.stringify(url)}?`, "--yes"))) return EXIT.nothing;
    await store.write({ kind: "delete-webhook", organisationId: organisation.id, webhookId, ...signature() });
    await printText(`${webhookId}: deleted\n`);
    return EXIT.matched;
  });
}
