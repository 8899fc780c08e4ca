import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import { endsOf, graceOf, graceOption } from "../../options/grace-hours.ts";
import { RUNNING_SERVER_NOTE, signature } from "../../database/service-database.ts";
import { KEY_FILE_OPTION, keyFileOf } from "../../database/servers-key-file.ts";
import { chosenWebhook, WEBHOOK_NOTE, WEBHOOK_OPTIONS, withWebhooks } from "../../database/webhook-database.ts";

const MAX_HOURS = 168;

export const rotateCommand: Command = {
  name: "webhook rotate",
  summary: "replace the secret of a webhook endpoint and print the new one (shown only once)",
  operands: "WEBHOOK",
  operandWords: [],
  options: [
    graceOption("messages are also signed with the replaced secret", MAX_HOURS),
    KEY_FILE_OPTION,
    ...WEBHOOK_OPTIONS,
  ],
  notes: [WEBHOOK_NOTE, "Only the secret is written to stdout.", RUNNING_SERVER_NOTE],
  examples: [{ command: "ipsieve webhook rotate https://example.org/all > secret.txt", what: "both sign for a day" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const grace = graceOf(args, MAX_HOURS);
  const secret = await withWebhooks(args, async ({ store, organisation: { id: organisationId }, webhooks }) => {
    const { id: webhookId } = chosenWebhook(webhooks, args.operands[0]!);
    const { makeSecret } = await import("../../../service/webhooks/webhook-secret.ts");
    const { text, sealed } = makeSecret(await keyFileOf(args, store), organisationId);
    const about = { organisationId, webhookId, secret: sealed, ...signature() };
    const { webhook } = await store.write({ kind: "rotate-webhook", ...about, graceUntil: about.at + grace });
    const ends = endsOf(webhook.previous, about.at);
    if (ends !== undefined) standardError().write(`replaced secrets also sign, until ${ends}\n`);
    standardError().write(`webhook ${webhookId}; its secret is not shown again:\n`);
    return text;
  });
  process.stdout.write(`${secret}\n`);
  return EXIT.matched;
}
