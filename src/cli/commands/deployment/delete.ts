import { chosenDeployment, DEPLOYMENT_NOTE } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const deleteCommand: Command = {
  name: "deployment delete",
  summary: "delete a deployment after confirmation; devices then get 410 (gone)",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [{ name: "yes", help: "delete it without asking" }, ...CONNECTION_OPTIONS],
  notes: [
    DEPLOYMENT_NOTE,
    'This cannot be undone. What a device does without its list differs: some keep the last one, some stop blocking. "ipsieve deployment update --active no" can be undone.',
    KEY_NOTE,
    "Exit code: 0 if it was deleted, 1 if you did not agree, 2 after an error.",
  ],
  examples: [{ command: "ipsieve deployment delete Edge", what: "asks first" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const connection = new ServiceConnection(args);
  const { id, name, last_accessed: at } = await connection.use((client) => chosenDeployment(client, args.operands[0]!));
  const question = `Delete ${JSON.stringify(name)}, last pulled ${at ?? "never"}?`;
  if (!args.has("yes") && !(await confirm(question, "--yes"))) return EXIT.nothing;
  await connection.use((client) =>
    client.delete("/v1/edl/deployments/{deployment_id}", { params: { path: { deployment_id: id } } }),
  );
  await printText(`${oneLine(name)}: deleted\n`);
  return EXIT.matched;
}
