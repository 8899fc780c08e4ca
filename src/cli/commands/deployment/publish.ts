import type { Deployment } from "../../../client/client.ts";
import { chosenDeployment, DEPLOYMENT_NOTE } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import { canBeReleased, cureOf } from "../../deployments/deployment-card.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { standardError } from "../../runner/standard-error.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const publishCommand: Command = {
  name: "deployment publish",
  summary: "publish a list that was refused for how it changes or what it blocks, after confirmation",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [
    {
      name: "generation",
      value: "N",
      help: "only the refused list of this number, as deployment show names it; default: the latest",
    },
    { name: "yes", help: "publish it without asking" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    DEPLOYMENT_NOTE,
    'A list that is too wide, too long or empty cannot be released: change the deployment. "ipsieve deployment preview DEPLOYMENT" shows what the list would contain.',
    KEY_NOTE,
    "Exit code: 0 if the list was released, 1 if none is refused or you did not agree, 2 after an error.",
  ],
  examples: [{ command: "ipsieve deployment publish Edge", what: "shows why it was refused, and asks" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const number = args.value("generation");
  const wanted = number === undefined ? undefined : wholeNumber("generation", number, 999_999_999);
  const connection = new ServiceConnection(args);
  const { id, ...deployment } = await connection.use((client) => chosenDeployment(client, args.operands[0]!));
  const { name, refused_generation: refused } = deployment;
  if (refused === null) {
    standardError().write(`${oneLine(name)}: no list is refused\n`);
    return EXIT.nothing;
  }
  printReasons(deployment);
  const generation = wanted ?? refused;
  if (!args.has("yes") && !(await confirm(`Publish list ${generation} of ${JSON.stringify(name)}?`, "--yes")))
    return EXIT.nothing;
  const params = { path: { deployment_id: id } };
  await connection.use((client) =>
    client.post("/v1/edl/deployments/{deployment_id}:publish", { params, body: { generation } }),
  );
  await printText(`${oneLine(name)}: list ${generation} released; devices get it within seconds\n`);
  return EXIT.matched;
}

function printReasons({ name, reasons }: Omit<Deployment, "id">): void {
  for (const reason of reasons)
    standardError().write(
      `${oneLine(reason.message)}${canBeReleased(reason.code) ? "" : `; ${cureOf(reason, name)}`}\n`,
    );
}
