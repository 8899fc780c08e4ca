import type { Client, CreateDeployment, DeploymentPreview } from "../../../client/client.ts";
import { ProblemError } from "../../../client/errors.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { rejectTakenDeployment } from "../../deployments/chosen-deployment.ts";
import {
  DEFINITION_OPTIONS,
  definitionOf,
  rejectedDefinition,
  SOURCE_NOTE,
} from "../../deployments/deployment-definition.ts";
import { doubtLines } from "../../deployments/list-difference.ts";
import { grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { standardError } from "../../runner/standard-error.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const createCommand: Command = {
  name: "deployment create",
  summary: "create a deployment on a server: a list at a URL, for firewalls and programs",
  operands: "NAME",
  operandWords: [],
  options: [...DEFINITION_OPTIONS, ...CONNECTION_OPTIONS],
  notes: [
    SOURCE_NOTE,
    "Prints the id and, to standard error, how many entries the list has, what is doubtful about it, and its URLs; anyone who has a URL can read the list. Devices get it within seconds. The key needs read_write access.",
    KEY_NOTE,
    "Exit code: 0 if the deployment was created, 2 if not.",
  ],
  examples: [
    {
      command: "ipsieve deployment create Edge --include ruleset:Blocklist --exclude cbs:/cdn/cloudflare",
      what: "a blocklist that never blocks Cloudflare",
    },
    {
      command: "ipsieve deployment create Scanners --include cti:malicious,days=7 --device paloalto-50k",
      what: "within the device's limits",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  if (!args.has("include")) throw new UsageError("give --include SOURCE at least once");
  const name = args.operands[0]!;
  const connection = new ServiceConnection(args);
  const { id, preview } = await connection.use((client) => create(args, client, name));
  await printText(`${id}\n`);
  report(name, preview, await connection.use((client) => urlsOf(client, id)));
  return EXIT.matched;
}

async function create(args: Arguments, client: Client, name: string) {
  await rejectTakenDeployment(client, name);
  const body = { name, ...(await definitionOf(args, client)) } as CreateDeployment;
  const rejected = (error: unknown): never => {
    throw rejectedDefinition(error, "NAME");
  };
  const preview = await client.post("/v1/edl/deployments:preview", { body }).catch(rejected);
  const { id } = await client.post("/v1/edl/deployments/", { body }).catch(rejected);
  return { id, preview };
}

/** Those of its files, or why the server has none. */
async function urlsOf(client: Client, id: string): Promise<readonly string[]> {
  const params = { path: { deployment_id: id } };
  try {
    const { combined, ipv4, ipv6 } = (await client.get("/v1/edl/deployments/{deployment_id}/urls/", { params })).urls;
    return [...combined, ...ipv4, ...ipv6];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return [`no URL: ${error.message}`];
  }
}

/** To standard error, so that scripts get the id alone. */
function report(name: string, preview: DeploymentPreview, urls: readonly string[]): void {
  const style = styleFor(process.stderr);
  const { ipv4_entries_count: four, ipv6_entries_count: six } = preview;
  const lines = [
    `${oneLine(name)}: ${grouped(four)} IPv4 and ${grouped(six)} IPv6 entries`,
    ...doubtLines(preview, name, style),
    ...urls.map((url) => `  ${url}`),
  ];
  standardError().write(lines.map((line) => `${line}\n`).join(""));
}
