import { chosenDeployment, DEPLOYMENT_NOTE } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { cardOf } from "../../deployments/deployment-card.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const showCommand: Command = {
  name: "deployment show",
  summary: "show a deployment: its sources, the state of its list, and why one was refused",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    DEPLOYMENT_NOTE,
    KEY_NOTE,
    "Exit code: 0 if devices get the latest list, 1 if they do not (refused, none yet, or not active), 2 after an error.",
  ],
  examples: [{ command: "ipsieve deployment show Edge", what: "why was its list refused?" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  return new ServiceConnection(args).use(async (client) => {
    const deployment = await chosenDeployment(client, args.operands[0]!);
    const text = args.has("json")
      ? `${JSON.stringify(deployment)}\n`
      : await cardOf(deployment, client, styleFor(process.stdout));
    await printText(text);
    return deployment.active && deployment.status === "ok" ? EXIT.matched : EXIT.nothing;
  });
}
