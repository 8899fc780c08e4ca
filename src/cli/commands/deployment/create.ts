import type { CreateDeployment } from "../../../client/client.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import {
  DEFINITION_OPTIONS,
  definitionOf,
  rejectedDefinition,
  SOURCE_NOTE,
} from "../../deployments/deployment-definition.ts";
import { printText } from "../../output/standard-output.ts";
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
    'Prints the id. The list is made within seconds; "ipsieve deployment urls" prints the URLs for devices. The key needs read_write access.',
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
  const { id } = await new ServiceConnection(args).use(async (client) => {
    const definition = await definitionOf(args, client);
    const body = { name: args.operands[0]!, ...definition } as CreateDeployment;
    return client.post("/v1/edl/deployments/", { body }).catch((error: unknown) => {
      throw rejectedDefinition(error, "NAME");
    });
  });
  await printText(`${id}\n`);
  return EXIT.matched;
}
