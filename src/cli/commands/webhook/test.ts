import type { Arguments, Command } from "../../runner/command.ts";
import { sendByHand, SENDING_OPTIONS, SENDING_NOTES } from "../../database/webhook-sending.ts";

export const testCommand: Command = {
  name: "webhook test",
  summary: "send a message of the type webhook.test to a webhook endpoint, and report the outcome",
  operands: "WEBHOOK",
  operandWords: [],
  options: SENDING_OPTIONS,
  notes: SENDING_NOTES,
  examples: [{ command: "ipsieve webhook test https://example.org/all", what: "does it arrive?" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return sendByHand(args, (messages, webhook) => messages.test(webhook));
}
