import { makeBootstrapToken } from "../../../service/edge/bootstrap-token.ts";
import { EdgeTokens } from "../../../service/edge/edge-tokens.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import { baseUrlOf, TOKEN_URL_OPTION } from "../../database/base-url.ts";
import { checkedLine } from "../../database/checked-line.ts";
import { chosenDeployment } from "../../database/chosen-deployment.ts";
import { KEY_FILE_OPTION, keyFileOf } from "../../database/servers-key-file.ts";
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
  name: "edge create",
  summary: "create the bootstrap token of an edge component and print it (shown only once)",
  operands: "DEPLOYMENT TYPE LABEL",
  operandWords: [],
  options: [TOKEN_URL_OPTION, KEY_FILE_OPTION, ORGANISATION_OPTION, ...DATABASE_OPTIONS],
  notes: [
    "DEPLOYMENT is what the component enforces, by name or id. TYPE is what the component says it is, such as ellio_traefik_middleware_plugin. LABEL tells it from others.",
    "Only the token is written to stdout. It names the server's public URL, where the component gets its list.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    {
      command: "ipsieve edge create Edge ellio_traefik_middleware_plugin web --url https://lists.example.org",
      what: "for Traefik",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [name, typeText, labelText] = args.operands as [string, string, string];
  const [type, label] = [checkedLine("TYPE", typeText), checkedLine("LABEL", labelText)];
  const baseUrl = baseUrlOf(args);
  if (baseUrl === undefined)
    throw new UsageError("give the server's public URL with --url: the component gets its list from there");
  const token = await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const deployment = chosenDeployment(state, chosenOrganisation(state, args).id, name);
    const by = signature();
    const tokens = new EdgeTokens(await keyFileOf(args, store));
    const { text, digest } = makeBootstrapToken(tokens, deployment, { baseUrl, type, at: by.at });
    const { credential } = await store.write({
      kind: "create-credential",
      organisationId: deployment.organisationId,
      deploymentId: deployment.id,
      credential: "edge",
      label,
      digest,
      start: type,
      ...by,
    });
    standardError().write(`edge component ${credential.id} of ${deployment.name}; its token is not shown again:\n`);
    return text;
  });
  process.stdout.write(`${token}\n`);
  return EXIT.matched;
}
