import { chosenDeployment, DEPLOYMENT_NOTE } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import {
  DEFINITION_OPTIONS,
  definitionOf,
  rejectedDefinition,
  SOURCE_NOTE,
} from "../../deployments/deployment-definition.ts";
import { EDIT_OPTIONS, editedSources } from "../../deployments/edited-sources.ts";
import { oneLine } from "../../output/one-line.ts";
import { printText } from "../../output/standard-output.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const updateCommand: Command = {
  name: "deployment update",
  summary: "change a deployment: only what is given",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [
    { name: "name", value: "NAME", help: "a new name" },
    { name: "active", value: "yes|no", choices: ["yes", "no"], help: "whether devices get the list; if not, 403" },
    ...DEFINITION_OPTIONS,
    ...EDIT_OPTIONS,
    { name: "no-exclude", help: "remove all excludes" },
    { name: "default-limits", help: "remove the limits set so far, before setting those given here" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    DEPLOYMENT_NOTE,
    "The --include options together replace all previous includes, and the --exclude options all previous excludes; --add-exclude, --remove-exclude, --add-include and --remove-include change one and keep the others.",
    SOURCE_NOTE,
    KEY_NOTE,
    "Exit code: 0 if the deployment is now as given, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve deployment update Edge --device sonicwall-25k", what: "another device's format and limits" },
    { command: "ipsieve deployment update Edge --add-exclude 192.0.2.0/24", what: "never list these, too" },
    { command: "ipsieve deployment update Edge --active no", what: "its feeds respond with 403" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  if (args.has("no-exclude") && args.has("exclude"))
    throw new UsageError("--no-exclude removes what --exclude gives; leave one of them out");
  const { name } = await new ServiceConnection(args).use(async (client) => {
    const deployment = await chosenDeployment(client, args.operands[0]!);
    const { id, options: before } = deployment;
    const forgets = args.has("default-limits");
    const definition = await definitionOf(args, client, forgets ? {} : before);
    const body = {
      ...(forgets && { options: {} }),
      ...(args.has("name") && { name: args.value("name")! }),
      ...(args.has("active") && { active: args.value("active") === "yes" }),
      ...(args.has("no-exclude") && { exclude: [] }),
      ...definition,
      ...(await editedSources(args, client, deployment)),
    };
    if (Object.keys(body).length === 0)
      throw new UsageError('say what to change; "ipsieve help deployment update" lists the options');
    const params = { path: { deployment_id: id } };
    return client.patch("/v1/edl/deployments/{deployment_id}", { params, body }).catch((error: unknown) => {
      throw rejectedDefinition(error, "--name");
    });
  });
  await printText(`${oneLine(name)}: changed\n`);
  return EXIT.matched;
}
