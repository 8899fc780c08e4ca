import { makeCredentialText } from "../../service/access/credential-text.ts";
import { chosenDeployment } from "../database/chosen-deployment.ts";
import { ORGANISATION_OPTION } from "../database/service-database.ts";
import type { CredentialCommands } from "./credential-commands.ts";

export const bouncer: CredentialCommands<"bouncer"> = {
  kind: "bouncer",
  group: "bouncer",
  one: "bouncer",
  several: "keys begin with",
  create: {
    summary: "create the key of a CrowdSec bouncer and print it (shown only once)",
    operands: "DEPLOYMENT LABEL",
    options: [
      ORGANISATION_OPTION,
      {
        name: "hosts-only",
        help: "send single addresses only, for bouncers that ignore ranges or their length (mode: nftables; Traefik's plugin in stream mode)",
      },
    ],
    notes: [
      "DEPLOYMENT is what the bouncer enforces, by name or id. Give each bouncer a key of its own: the server remembers what each has received.",
      "Only the key is written to stdout. In the bouncer's configuration it is api_key, and api_url is the server's URL.",
    ],
    examples: [
      {
        command: "ipsieve admin bouncer create Edge firewall-1",
        what: "for crowdsec-firewall-bouncer in mode iptables",
      },
      { command: "ipsieve admin bouncer create Edge firewall-2 --hosts-only", what: "in mode nftables" },
      {
        command: "ipsieve admin bouncer create Edge traefik --hosts-only",
        what: "for Traefik's plugin in mode stream",
      },
    ],
    read:
      (args) =>
      ({ state, organisation }) => {
        const { id: deploymentId, name } = chosenDeployment(state, organisation.id, args.operands[0]!);
        const { text, ...made } = makeCredentialText("bouncer");
        return {
          text,
          stored: { ...made, deploymentId, hostsOnly: args.has("hosts-only") },
          told: (id) => `bouncer ${id} of ${name}; its key is`,
        };
      },
  },
  list: {
    summary: "list the CrowdSec bouncers of all organisations, or of one",
    notes: ["A key is listed by its id and first characters; the rest is not stored anywhere."],
    start: "key",
    columns: { deployment: ({ deploymentId }) => deploymentId },
  },
  revoke: {
    summary: "revoke the key of a CrowdSec bouncer permanently",
    operand: "BOUNCER",
    notes: [
      'BOUNCER is the id, or the first 8 characters of the key, that "ipsieve admin bouncer list" shows.',
      "The bouncer keeps its current blocks until they expire; to end them at once, deactivate the deployment first.",
    ],
    example: { command: "ipsieve admin bouncer revoke ipb_Ab3d", what: "by the first characters of its key" },
  },
};
