import type { Arguments, Command } from "../../runner/command.ts";
import { sendByHand, SENDING_OPTIONS, SENDING_NOTES } from "../../database/webhook-sending.ts";

export const resendCommand: Command = {
  name: "webhook resend",
  summary: "send the message of a delivery again, with the same id, and report the outcome",
  operands: "WEBHOOK DELIVERY",
  operandWords: [],
  options: SENDING_OPTIONS,
  notes: ['DELIVERY is an id that "ipsieve webhook deliveries WEBHOOK" shows.', ...SENDING_NOTES],
  examples: [
    {
      command: "ipsieve webhook resend https://example.org/all 0f8fad5b-d9cb-469f-a165-70867728950e",
      what: "one of those that were given up",
    },
  ],
  run,
};

function run(args: Arguments): Promise<number> {
  return sendByHand(args, (messages, webhook) => messages.resend(webhook, args.operands[1]!.toLowerCase()));
}
