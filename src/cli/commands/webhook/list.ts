import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { WEBHOOK_OPTIONS, withWebhooks } from "../../database/webhook-database.ts";

/** What is shown of an endpoint. */
interface WebhookDocument {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly health: { readonly status: string; readonly last_success_at: string | null };
}

export const listCommand: Command = {
  name: "webhook list",
  summary: "list the webhook endpoints of an organisation, and whether deliveries to them succeed",
  operands: "",
  options: [{ name: "json", help: "print one JSON document" }, ...WEBHOOK_OPTIONS],
  notes: [
    '"failing": the last attempt failed, and is repeated; "disabled": the servers have stopped sending; "inactive": a user has switched it off. "ipsieve webhook update WEBHOOK --active yes" starts it again.',
    "Exit code: 0 if there are endpoints, 1 if there are none, 2 after an error.",
  ],
  examples: [{ command: "ipsieve webhook list --org Example", what: "of one organisation" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const { webhookDocument } = await import("../../../api/resources/webhooks.ts");
  const documents = await withWebhooks(args, async ({ store, webhooks }) => {
    const found = await store.read(
      "webhookProgress",
      webhooks.map(({ id }) => id),
    );
    const progress = new Map(found.map((each) => [each.webhookId, each]));
    return webhooks.map(
      (webhook) => webhookDocument(webhook, progress.get(webhook.id), Date.now()) as unknown as WebhookDocument,
    );
  });
  if (args.has("json")) await printText(`${JSON.stringify(documents)}\n`);
  else {
    const rows = documents.map(({ id, url, kinds, health }) => [
      id,
      oneLine(url),
      String(kinds.length),
      health.status,
      health.last_success_at ?? "never",
    ]);
    const head = ["id", "url", "kinds", "state", "last success"];
    await printText(`${columnLines([head, ...rows], new Set([2]), styleFor(process.stdout)).join("\n")}\n`);
  }
  return documents.length > 0 ? EXIT.matched : EXIT.nothing;
}
