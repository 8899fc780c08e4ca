import { formatTimestamp } from "../../../time/format-timestamp.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { chosenWebhook, WEBHOOK_NOTE, WEBHOOK_OPTIONS, withWebhooks } from "../../database/webhook-database.ts";

export const deliveriesCommand: Command = {
  name: "webhook deliveries",
  summary: "show what was sent to a webhook endpoint: the last attempts, and events that were given up",
  operands: "WEBHOOK [DELIVERY]",
  operandWords: [],
  options: [{ name: "json", help: "print one JSON document" }, ...WEBHOOK_OPTIONS],
  notes: [
    WEBHOOK_NOTE,
    "With DELIVERY, the id of one of them, the text that was sent is printed.",
    "Exit code: 0 if there are deliveries, 1 if there are none, 2 after an error.",
  ],
  examples: [{ command: "ipsieve webhook deliveries https://example.org/all", what: "did they arrive?" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const { deliveryDocument } = await import("../../../api/resources/webhook-deliveries.ts");
  return withWebhooks(args, async ({ store, webhooks }) => {
    const [name, deliveryId] = args.operands;
    const { id } = chosenWebhook(webhooks, name!);
    if (deliveryId !== undefined) {
      const sent = await store.read("delivery", id, deliveryId.toLowerCase());
      if (sent === null) throw new UsageError(`there is no delivery ${deliveryId}; only the last ones are kept`);
      const document = { ...deliveryDocument(sent), body: sent.body };
      await printText(`${args.has("json") ? JSON.stringify(document) : oneLine(sent.body)}\n`);
      return EXIT.matched;
    }
    const items = await store.read("deliveries", id);
    if (args.has("json")) await printText(`${JSON.stringify(items.map(deliveryDocument))}\n`);
    else {
      const rows = items.map((each) => [
        each.id,
        formatTimestamp(each.at),
        each.type,
        `${each.outcome}${each.status === null ? "" : ` ${each.status}`}`,
        oneLine(each.error),
      ]);
      const head = ["id", "time", "type", "outcome", "error"];
      await printText(`${columnLines([head, ...rows], new Set(), styleFor(process.stdout)).join("\n")}\n`);
    }
    return items.length > 0 ? EXIT.matched : EXIT.nothing;
  });
}
