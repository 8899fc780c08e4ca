import { DEPLOYMENT_FIELDS } from "../../../service/deployments/deployment-fields.ts";
import type { Field } from "../../../service/fields.ts";
import { fieldOptions } from "../../options/field-options.ts";
import type { Client, Deployment, DeploymentPreview, PreviewDeployment } from "../../../client/client.ts";
import { ServiceError } from "../../../client/errors.ts";
import { DEPLOYMENT_NOTE, rejectTakenDeployment, taggedDeployment } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import {
  DEFINITION_OPTIONS,
  definitionOf,
  rejectedDefinition,
  SOURCE_NOTE,
} from "../../deployments/deployment-definition.ts";
import { EDIT_OPTIONS, editedSources } from "../../deployments/edited-sources.ts";
import { changesAddresses, differenceLines, doubtLines } from "../../deployments/list-difference.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

/** Whether a property decides what the list contains. */
function isOfList(property: string): boolean {
  const fields: Readonly<Record<string, Field<unknown>>> = DEPLOYMENT_FIELDS;
  return property !== "name" && fields[property]?.isForPeople !== true;
}

export const updateCommand: Command = {
  name: "deployment update",
  summary: "change a deployment: only what is given",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [
    { name: "name", value: "NAME", help: "a new name" },
    ...fieldOptions({ active: DEPLOYMENT_FIELDS.active }),
    ...DEFINITION_OPTIONS,
    ...EDIT_OPTIONS,
    { name: "no-exclude", help: "remove all excludes" },
    { name: "default-limits", help: "remove the limits set so far, before setting those given here" },
    { name: "yes", help: "change it without asking" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    DEPLOYMENT_NOTE,
    "The --include options together replace all previous includes, and the --exclude options all previous excludes; --add-exclude, --remove-exclude, --add-include and --remove-include change one and keep the others.",
    SOURCE_NOTE,
    "Before it is written, a change of the list is printed: the entries before and after, what is newly listed, and what no longer is. If other addresses would be listed, or the list would be refused, you are asked. Nothing is written if someone else changes the deployment meanwhile.",
    KEY_NOTE,
    "Exit code: 0 if the deployment is now as given, 1 if you did not agree, 2 after an error.",
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
  const connection = new ServiceConnection(args);
  const planned = await connection.use((client) => planOf(args, client));
  const { name, body, preview } = planned;
  if (preview !== undefined) await printPlan(name, preview);
  const isAsked = preview !== undefined && (changesAddresses(preview) || preview.reasons.length > 0);
  if (isAsked && !args.has("yes") && !(await confirm(`Change ${JSON.stringify(name)}?`, "--yes"))) return EXIT.nothing;
  const changed = await connection.use((client) => write(client, planned));
  await printText(`${oneLine(body.name ?? changed.name)}: changed\n`);
  return EXIT.matched;
}

interface Plan {
  readonly id: string;
  readonly name: string;
  /** Of the deployment that the plan was made for. */
  readonly tag: string;
  readonly body: PreviewDeployment & { readonly active?: boolean };
  /** The list as it would be; undefined: nothing is changed that decides what it contains. */
  readonly preview: DeploymentPreview | undefined;
}

/** What the options change, of the deployment as it is. Throws UsageError. */
async function planOf(args: Arguments, client: Client): Promise<Plan> {
  const { deployment, tag } = await taggedDeployment(client, args.operands[0]!);
  const { id, name } = deployment;
  const body = await bodyOf(args, client, deployment);
  if (Object.keys(body).length === 0)
    throw new UsageError('say what to change; "ipsieve help deployment update" lists the options');
  if (body.name !== undefined) await rejectTakenDeployment(client, body.name, id);
  const params = { path: { deployment_id: id } };
  const preview = Object.keys(body).some(isOfList)
    ? await client.post("/v1/edl/deployments/{deployment_id}:preview", { params, body }).catch((error: unknown) => {
        throw rejectedDefinition(error, "--name");
      })
    : undefined;
  return { id, name, tag, body, preview };
}

async function bodyOf(args: Arguments, client: Client, deployment: Deployment): Promise<Plan["body"]> {
  const given = await definitionOf(args, client);
  const forgotten = args.has("default-limits") ? Object.keys(deployment.options).map((name) => [name, null]) : [];
  const options = { ...Object.fromEntries(forgotten), ...given.options };
  return {
    ...(args.has("name") && { name: args.value("name")! }),
    ...(args.has("no-exclude") && { exclude: [] }),
    ...given,
    ...(Object.keys(options).length > 0 && { options }),
    ...(await editedSources(args, client, deployment)),
  };
}

async function printPlan(name: string, preview: DeploymentPreview): Promise<void> {
  const style = styleFor(process.stdout);
  const lines = [oneLine(name), ...differenceLines(preview, style), ...doubtLines(preview, name, style)];
  await printText(lines.map((line) => `${line}\n`).join(""));
}

/** Writes what was planned, unless someone has changed the deployment since. */
function write(client: Client, { id, name, tag, body }: Plan): Promise<Deployment> {
  const params = { path: { deployment_id: id } };
  const headers = { "If-Match": tag };
  return client.patch("/v1/edl/deployments/{deployment_id}", { params, body, headers }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 412)
      throw new UsageError(
        `nothing was written: ${JSON.stringify(name)} has been changed by someone else meanwhile; run the command again`,
      );
    throw rejectedDefinition(error, "--name");
  });
}
