import { makeCredentialText } from "../../../service/access/credential-text.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import { checkedLine } from "../../database/checked-line.ts";
import { chosenDeployment } from "../../database/chosen-deployment.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";

export const createCommand: Command = {
  name: "bouncer create",
  summary: "create the key of a CrowdSec bouncer and print it (shown only once)",
  operands: "DEPLOYMENT LABEL",
  operandWords: [],
  options: [
    ORGANISATION_OPTION,
    {
      name: "hosts-only",
      help: "send single addresses only, for bouncers that ignore ranges or their length (mode: nftables; Traefik's plugin in stream mode)",
    },
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "DEPLOYMENT is what the bouncer enforces, by name or id. Give each bouncer a key of its own: the server remembers what each has received.",
    "Only the key is written to stdout. In the bouncer's configuration it is api_key, and api_url is the server's URL.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve bouncer create Edge firewall-1", what: "for crowdsec-firewall-bouncer in mode iptables" },
    { command: "ipsieve bouncer create Edge firewall-2 --hosts-only", what: "in mode nftables" },
    { command: "ipsieve bouncer create Edge traefik --hosts-only", what: "for Traefik's plugin in mode stream" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [name, labelText] = args.operands as [string, string];
  const label = checkedLine("LABEL", labelText);
  const { text, digest, start } = makeCredentialText("bouncer");
  await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const { id: organisationId } = chosenOrganisation(state, args);
    const deployment = chosenDeployment(state, organisationId, name);
    const { credential } = await store.write({
      kind: "create-credential",
      organisationId,
      deploymentId: deployment.id,
      credential: "bouncer",
      label,
      digest,
      start,
      hostsOnly: args.has("hosts-only"),
      ...signature(),
    });
    standardError().write(`bouncer ${credential.id} of ${deployment.name}; its key is not shown again:\n`);
  });
  process.stdout.write(`${text}\n`);
  return EXIT.matched;
}
