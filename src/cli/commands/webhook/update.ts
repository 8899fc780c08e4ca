import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { printText } from "../../runner/standard-output.ts";
import { RUNNING_SERVER_NOTE, signature } from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";
import {
  checkDefinition,
  chosenWebhook,
  DEFINITION_OPTIONS,
  guardedPost,
  kindsIn,
  OUTBOUND_OPTION,
  WEBHOOK_NOTE,
  WEBHOOK_OPTIONS,
  withWebhooks,
} from "../../database/webhook-database.ts";

export const updateCommand: Command = {
  name: "webhook update",
  summary: "change a webhook endpoint: only what is given; or restart one that was disabled",
  operands: "WEBHOOK",
  operandWords: [],
  options: [
    { name: "url", value: "URL", help: "another URL" },
    ...DEFINITION_OPTIONS,
    { name: "active", value: "yes|no", choices: ["yes", "no"], help: "whether events are sent; yes starts it again" },
    {
      name: "missed",
      value: "resume|skip",
      choices: ["resume", "skip"],
      help: "when it restarts: send the events it missed (resume; default), or skip them",
    },
    OUTBOUND_OPTION,
    ...WEBHOOK_OPTIONS,
  ],
  notes: [WEBHOOK_NOTE, "The --kind options together replace all previous kinds.", RUNNING_SERVER_NOTE],
  examples: [
    { command: "ipsieve webhook update https://example.org/all --active yes --missed skip", what: "from now on" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [url, description, active] = ["url", "description", "active"].map((name) => args.value(name));
  const missed = args.value("missed") as "resume" | "skip" | undefined;
  const kinds = kindsIn(args);
  const definition = {
    ...(url !== undefined && { url }),
    ...(kinds !== undefined && { kinds }),
    ...(description !== undefined && { description }),
    ...(active !== undefined && { active: active === "yes" }),
  };
  if (Object.keys(definition).length === 0) throw new UsageError("say what to change, such as --active yes");
  if (missed !== undefined && active !== "yes") throw new UsageError("--missed needs --active yes");
  await checkDefinition(definition, guardedPost(args));
  const id = await withWebhooks(args, async ({ store, organisation, webhooks }) => {
    const webhook = chosenWebhook(webhooks, args.operands[0]!);
    const about = { organisationId: organisation.id, webhookId: webhook.id, definition, missed, ...signature() };
    await store.write({ kind: "update-webhook", ...about });
    return webhook.id;
  });
  await printText(`${id}: changed\n`);
  return EXIT.matched;
}
