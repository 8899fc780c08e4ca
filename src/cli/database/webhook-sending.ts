import { WebhookMessages } from "../../service/webhooks/webhook-messages.ts";
import { Metrics } from "../../service/usage/metrics.ts";
import type { Delivery, Webhook } from "../../store/records/webhook.ts";
import { type Arguments, EXIT, type Option } from "../runner/command.ts";
import { oneLine } from "../runner/one-line.ts";
import { printText } from "../runner/standard-output.ts";
import { KEY_FILE_OPTION, keyFileOf } from "./servers-key-file.ts";
import {
  chosenWebhook,
  guardedPost,
  OUTBOUND_OPTION,
  WEBHOOK_NOTE,
  WEBHOOK_OPTIONS,
  withWebhooks,
} from "./webhook-database.ts";

export const SENDING_OPTIONS: readonly Option[] = [OUTBOUND_OPTION, KEY_FILE_OPTION, ...WEBHOOK_OPTIONS];
export const SENDING_NOTES: readonly string[] = [
  WEBHOOK_NOTE,
  "The message is sent from this machine.",
  "Exit code: 0 if the endpoint accepted the message, 1 if not, 2 after an error.",
];

/** Sends a message at a user's request, and prints the outcome. Returns the exit code. */
export function sendByHand(
  args: Arguments,
  send: (messages: WebhookMessages, webhook: Webhook) => Promise<Delivery>,
): Promise<number> {
  return withWebhooks(args, async ({ store, webhooks }) => {
    const webhook = chosenWebhook(webhooks, args.operands[0]!);
    const [post, key] = [guardedPost(args), await keyFileOf(args, store)];
    const messages = new WebhookMessages({ store, key, post, metrics: new Metrics(), now: Date.now });
    try {
      const { outcome, status, error, milliseconds } = await send(messages, webhook);
      const isDelivered = outcome === "delivered";
      const answer = status === null ? "" : ` with ${status}`;
      await printText(`${outcome}${answer} after ${milliseconds} ms${isDelivered ? "" : `: ${oneLine(error)}`}\n`);
      return isDelivered ? EXIT.matched : EXIT.nothing;
    } finally {
      await post.close();
    }
  });
}
