import { makeBootstrapToken } from "../../service/edge/bootstrap-token.ts";
import { EdgeTokens } from "../../service/edge/edge-tokens.ts";
import { baseUrlOf, TOKEN_URL_OPTION } from "../database/base-url.ts";
import { checkedLine } from "../database/checked-line.ts";
import { chosenDeployment } from "../database/chosen-deployment.ts";
import { KEY_FILE_OPTION, keyFileOf } from "../database/servers-key-file.ts";
import { ORGANISATION_OPTION } from "../database/service-database.ts";
import { UsageError } from "../runner/usage-error.ts";
import type { CredentialCommands } from "./credential-commands.ts";

export const edge: CredentialCommands<"edge"> = {
  kind: "edge",
  group: "edge",
  one: "edge component",
  several: "components have the id",
  create: {
    summary: "create the bootstrap token of an edge component and print it (shown only once)",
    operands: "DEPLOYMENT TYPE LABEL",
    options: [TOKEN_URL_OPTION, KEY_FILE_OPTION, ORGANISATION_OPTION],
    notes: [
      "DEPLOYMENT is what the component enforces, by name or id. TYPE is what the component says it is, such as ellio_traefik_middleware_plugin. LABEL tells it from others.",
      "Only the token is written to stdout. It names the server's public URL, where the component gets its list.",
    ],
    examples: [
      {
        command: "ipsieve admin edge create Edge ellio_traefik_middleware_plugin web --url https://lists.example.org",
        what: "for Traefik",
      },
    ],
    read(args) {
      const [deploymentName, typeText] = args.operands as [string, string];
      const type = checkedLine("TYPE", typeText);
      const baseUrl = baseUrlOf(args);
      if (baseUrl === undefined)
        throw new UsageError("give the server's public URL with --url: the component gets its list from there");
      return async ({ state, organisation, store, at }) => {
        const deployment = chosenDeployment(state, organisation.id, deploymentName);
        const tokens = new EdgeTokens(await keyFileOf(args, store));
        const { text, digest } = makeBootstrapToken(tokens, deployment, { baseUrl, type, at });
        return {
          text,
          stored: { digest, start: type, deploymentId: deployment.id },
          told: (id) => `edge component ${id} of ${deployment.name}; its token is`,
        };
      };
    },
  },
  list: {
    summary: "list the edge components of all organisations, or of one",
    notes: ["Their tokens are not stored anywhere."],
    start: "type",
    columns: { deployment: ({ deploymentId }) => deploymentId },
    document: ({ start, ...component }) => ({ ...component, type: start }),
  },
  revoke: {
    summary: "revoke the token of an edge component, and what it has obtained with it, permanently",
    operand: "COMPONENT",
    notes: [
      'COMPONENT is the id that "ipsieve admin edge list" shows. It keeps its current list; to empty that, change the deployment first.',
    ],
    example: { command: "ipsieve admin edge revoke 5f0c3a52-8d0b-4c64-9b0e-2f1d3c4b5a69", what: "by its id" },
  },
};
