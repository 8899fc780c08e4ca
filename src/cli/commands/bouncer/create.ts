import { makeBouncerKey } from "../../../service/bouncers/bouncer-key.ts";
import type { Deployment } from "../../../store/records/deployment.ts";
import type { State } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../output/standard-error.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";

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
  const [name, label] = args.operands;
  const { text, digest, start } = makeBouncerKey();
  await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const { id: organisationId } = chosenOrganisation(state, args);
    const deployment = chosenDeployment(state, organisationId, name!);
    const { credential } = await store.write({
      kind: "create-credential",
      organisationId,
      deploymentId: deployment.id,
      credential: "bouncer",
      label: label!,
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

/** By id or name. @throws UsageError */
function chosenDeployment({ deployments }: State, organisationId: string, text: string): Deployment {
  const own = deployments.filter((each) => each.organisationId === organisationId && each.deletedAt === null);
  const found = own.filter(({ id, name }) => id === text || name === text);
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0
      ? `there is no deployment ${JSON.stringify(text)}; there are: ${
          own
            .map(({ name }) => name)
            .sort()
            .join(", ") || "none"
        }`
      : `several deployments are named ${JSON.stringify(text)}; give the id: ${found.map(({ id }) => id).join(", ")}`,
  );
}
