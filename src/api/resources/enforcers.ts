import { Type } from "typebox";
import { makeCredentialText } from "../../service/access/credential-text.ts";
import { readLine } from "../../service/access/read-user.ts";
import { makeBootstrapToken } from "../../service/edge/bootstrap-token.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import type { App } from "../app-type.ts";
import { Id, LineText, named, NameText, NullableTimestamp, strict, timeOrNull } from "../schemas/common.ts";
import { EXAMPLE_ID } from "../schemas/rule.ts";
import { addCredentialRoutes, lifetime, lifetimeOf } from "./credential.ts";

const DeploymentId = Type.String({ format: "uuid", description: "what it enforces" });

const BouncerSchema = named(
  "Bouncer",
  Type.Object({
    id: Id,
    deployment_id: Id,
    label: Type.String(),
    start: Type.String({ description: "the first characters of its key", examples: ["ipb_Ab3d"] }),
    hosts_only: Type.Boolean({ description: "whether it gets single addresses only" }),
    last_pulled_at: NullableTimestamp,
    user_agent: Type.String({ description: "its User-Agent at the last request; empty if there was none" }),
    ...lifetime,
  }),
);
const CreateBouncerBody = named(
  "CreateBouncerRequest",
  Type.Object(
    {
      deployment_id: DeploymentId,
      label: NameText,
      hosts_only: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "send single addresses only, for bouncers that lose the length of ranges; ranges of more than 256 addresses are left out, but not smaller ones within them",
        }),
      ),
    },
    strict,
  ),
);

const EdgeComponentSchema = named(
  "EdgeComponent",
  Type.Object({ id: Id, deployment_id: Id, label: Type.String(), component_type: Type.String(), ...lifetime }),
);
const CreateEdgeComponentBody = named(
  "CreateEdgeComponentRequest",
  Type.Object(
    {
      deployment_id: DeploymentId,
      label: NameText,
      component_type: LineText({
        minLength: 1,
        maxLength: 32,
        description: "the component's own name for its type; components accept only tokens of their type",
        examples: ["ellio_traefik_middleware_plugin"],
      }),
    },
    strict,
  ),
);

/** The keys of bouncers and the bootstrap tokens of edge components: of programs that enforce deployments. */
export function addEnforcerRoutes(app: App, services: Services): void {
  const tags = ["Deployments"];
  addCredentialRoutes(app, services, {
    kind: "bouncer",
    name: "Bouncer",
    tags,
    path: "/bouncers",
    one: "/bouncers/:bouncer_id",
    params: Type.Object({ bouncer_id: Id }),
    document: BouncerSchema,
    async documents(some, { caller }, { store }) {
      const states = await store.read("bouncerStates", caller.organisationId);
      const stateOf = new Map(states.map((state) => [state.credentialId, state]));
      return some.map((bouncer) => ({
        id: bouncer.id,
        deployment_id: bouncer.deploymentId,
        label: bouncer.label,
        start: bouncer.start,
        hosts_only: bouncer.hostsOnly,
        last_pulled_at: timeOrNull(stateOf.get(bouncer.id)?.pulledAt),
        user_agent: stateOf.get(bouncer.id)?.agent ?? "",
        ...lifetimeOf(bouncer),
      }));
    },
    unknown: () => "unknown bouncer; listBouncers lists yours",
    list: { summary: "The CrowdSec bouncers that enforce the organisation's deployments" },
    create: {
      summary: "Creates the key of a CrowdSec bouncer; the response is the only one that contains it",
      body: CreateBouncerBody,
      bodyExample: { deployment_id: EXAMPLE_ID, label: "edge firewall" },
      secret: {
        name: "CreatedBouncer",
        of: "bouncer",
        members: { text: Type.String({ description: "its key; it is not shown again" }) },
      },
    },
    make({ hosts_only: hostsOnly = false, ...body }, { organisationId }) {
      const { id: deploymentId } = deploymentIn(body, organisationId, services);
      const { text, ...made } = makeCredentialText("bouncer");
      return { credential: { ...made, deploymentId, hostsOnly }, secret: { text } };
    },
    revoke: { summary: "Revokes the key of a bouncer permanently; repeating it has no effect" },
  });

  addCredentialRoutes(app, services, {
    kind: "edge",
    name: "EdgeComponent",
    tags,
    path: "/edge-components",
    one: "/edge-components/:component_id",
    params: Type.Object({ component_id: Id }),
    document: EdgeComponentSchema,
    documents: (some) =>
      some.map(({ id, deploymentId, label, start, ...times }) => ({
        id,
        deployment_id: deploymentId,
        label,
        component_type: start,
        ...lifetimeOf(times),
      })),
    unknown: () => "unknown edge component; listEdgeComponents lists yours",
    list: { summary: "The edge components that enforce the organisation's deployments" },
    create: {
      summary: "Creates the bootstrap token of an edge component; the response is the only one that contains it",
      body: CreateEdgeComponentBody,
      bodyExample: { deployment_id: EXAMPLE_ID, label: "web", component_type: "ellio_traefik_middleware_plugin" },
      secret: {
        name: "CreatedEdgeComponent",
        of: "component",
        members: {
          bootstrap_token: Type.String({ description: "what the component starts with; it is not shown again" }),
        },
      },
    },
    make(body, { organisationId, at }, { publishing: { edgeTokens }, settings: { baseUrl } }) {
      const type = readLine("component_type", body.component_type);
      const deployment = deploymentIn(body, organisationId, services);
      const { text, digest } = makeBootstrapToken(edgeTokens, deployment, { baseUrl, type, at });
      return { credential: { digest, start: type, deploymentId: deployment.id }, secret: { bootstrap_token: text } };
    },
    revoke: {
      summary:
        "Revokes the bootstrap token of an edge component and the credentials obtained with it; the component keeps its current list",
    },
  });
}

/** @throws ServiceError "invalid" */
function deploymentIn({ deployment_id: id }: { readonly deployment_id: string }, of: string, { memory }: Services) {
  const deployment = memory.deployment(of, id.toLowerCase());
  if (deployment === undefined) throw invalid({ deployment_id: [`unknown deployment ${id}`] });
  return deployment;
}
