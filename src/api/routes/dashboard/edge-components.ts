import { readLine } from "../../../service/access/read-user.ts";
import { makeBootstrapToken } from "../../../service/edge/bootstrap-token.ts";
import { invalid } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS, BY_USERS } from "../../operation.ts";
import { notFound } from "../../problem.ts";
import {
  CreatedEdgeComponent,
  CreateEdgeComponentBody,
  edgeComponentDocument,
  EdgeComponentList,
  EdgeComponentParameters,
  EdgeComponentSchema,
} from "../../schemas/edge-component.ts";
import { EXAMPLE_ID } from "../../schemas/rule.ts";

const tags = ["Deployments"];

/** The bootstrap tokens of edge components: programs in front of web applications that enforce deployments. */
export function addEdgeComponentRoutes(app: App, services: Services): void {
  const { store, memory, settings, edgeTokens } = services;
  const list = {
    operationId: "listEdgeComponents",
    summary: "The edge components that enforce the organisation's deployments",
    tags,
    response: { 200: EdgeComponentList },
  };
  app.get("/edge-components", { config: BY_USERS, schema: list }, ({ caller }) => {
    const own = memory.deploymentCredentials(caller.organisationId).filter(({ kind }) => kind === "edge");
    const items = own.reverse().map((component) => edgeComponentDocument(component));
    return { items, count: items.length };
  });

  const create = {
    operationId: "createEdgeComponent",
    summary: "Creates the bootstrap token of an edge component; the response is the only one that contains it",
    tags,
    problems: [400, 409, 413, 415],
    body: CreateEdgeComponentBody,
    response: { 201: CreatedEdgeComponent },
    bodyExample: { deployment_id: EXAMPLE_ID, label: "web", component_type: "ellio_traefik_middleware_plugin" },
  };
  app.post(
    "/edge-components",
    { config: { ...BY_ADMINS, hasSecret: true }, schema: create },
    async (request, reply) => {
      const { deployment_id: id } = request.body;
      const label = readLine("label", request.body.label);
      const type = readLine("component_type", request.body.component_type);
      const deployment = memory.deployment(request.caller.organisationId, id.toLowerCase());
      if (deployment === undefined) throw invalid({ deployment_id: [`unknown deployment ${id}`] });
      const token = makeBootstrapToken(edgeTokens, deployment, { baseUrl: settings.baseUrl, type, at: request.now });
      const { credential } = await store.write({
        kind: "create-credential",
        ...signature(request),
        deploymentId: deployment.id,
        credential: "edge",
        label,
        digest: token.digest,
        start: type,
        hostsOnly: false,
      });
      return reply
        .code(201)
        .send({ component: edgeComponentDocument(credential) as never, bootstrap_token: token.text });
    },
  );

  const revoke = {
    operationId: "revokeEdgeComponent",
    summary:
      "Revokes the bootstrap token of an edge component and the credentials obtained with it; the component keeps its current list",
    tags,
    problems: [404],
    params: EdgeComponentParameters,
    response: { 200: EdgeComponentSchema },
  };
  app.delete("/edge-components/:component_id", { config: BY_ADMINS, schema: revoke }, async (request) => {
    const id = request.params.component_id.toLowerCase();
    const known = memory.deploymentCredentials(request.caller.organisationId).find((each) => each.id === id);
    if (known?.kind !== "edge") throw notFound("unknown edge component; listEdgeComponents lists yours");
    const { credential } = await store.write({ kind: "revoke-credential", ...signature(request), credentialId: id });
    return edgeComponentDocument(credential);
  });
}
