import { type TSchema, Type } from "typebox";
import { readLine } from "../../service/access/read-user.ts";
import { makeBouncerKey } from "../../service/bouncers/bouncer-key.ts";
import { makeBootstrapToken } from "../../service/edge/bootstrap-token.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import type { DeploymentCredential } from "../../store/records/deployment-credential.ts";
import type { App } from "../app-type.ts";
import { BY_ADMINS, BY_USERS } from "../operation.ts";
import { Id, LineText, named, NameText, NullableTimestamp, strict, timeOrNull } from "../schemas/common.ts";
import { EXAMPLE_ID } from "../schemas/rule.ts";
import { lifetime, lifetimeOf, NEWEST_FIRST } from "./credential.ts";
import { type Resource, ResourceRoutes } from "./resource.ts";

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

/** What the credentials of all who enforce deployments have in common. */
function enforcers(kind: DeploymentCredential["kind"]) {
  return {
    tags: ["Deployments"],
    read: BY_USERS,
    write: BY_ADMINS,
    row: ({ memory }: Services, organisationId: string, id: string) =>
      memory.deploymentCredentials(organisationId).find((each) => each.kind === kind && each.id === id),
  };
}

const bouncers: Resource<DeploymentCredential, typeof BouncerSchema> = {
  ...enforcers("bouncer"),
  name: "Bouncer",
  path: "/bouncers",
  one: "/bouncers/:bouncer_id",
  params: Type.Object({ bouncer_id: Id }),
  document: BouncerSchema,
  documents: async (some, { caller }, { store }) => {
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
};

/** Programs in front of web applications. */
const edgeComponents: Resource<DeploymentCredential, typeof EdgeComponentSchema> = {
  ...enforcers("edge"),
  name: "EdgeComponent",
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
};

/** The keys of bouncers and the bootstrap tokens of edge components: of programs that enforce deployments. */
export function addEnforcerRoutes(app: App, services: Services): void {
  const { store, settings } = services;
  const { edgeTokens } = services.publishing;
  const added = new ResourceRoutes(app, services, bouncers);
  addListAndRevocation(added, "bouncer", services, {
    list: "The CrowdSec bouncers that enforce the organisation's deployments",
    revoke: "Revokes the key of a bouncer permanently; repeating it has no effect",
  });
  added.create(
    {
      summary: "Creates the key of a CrowdSec bouncer; the response is the only one that contains it",
      body: CreateBouncerBody,
      bodyExample: { deployment_id: EXAMPLE_ID, label: "edge firewall" },
      secret: {
        name: "CreatedBouncer",
        of: "bouncer",
        members: { text: Type.String({ description: "its key; it is not shown again" }) },
      },
    },
    async ({ body: { hosts_only: hostsOnly = false, ...body }, by }) => {
      const label = readLine("label", body.label);
      const { id: deploymentId } = deploymentIn(body, by.organisationId, services);
      const { text, ...key } = makeBouncerKey();
      const about = { ...by, credential: "bouncer", deploymentId, label, ...key, hostsOnly } as const;
      return { row: (await store.write({ kind: "create-credential", ...about })).credential, text };
    },
  );

  const edge = new ResourceRoutes(app, services, edgeComponents);
  addListAndRevocation(edge, "edge", services, {
    list: "The edge components that enforce the organisation's deployments",
    revoke:
      "Revokes the bootstrap token of an edge component and the credentials obtained with it; the component keeps its current list",
  });
  edge.create(
    {
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
    async ({ body, by }) => {
      const label = readLine("label", body.label);
      const type = readLine("component_type", body.component_type);
      const deployment = deploymentIn(body, by.organisationId, services);
      const { text, digest } = makeBootstrapToken(edgeTokens, deployment, {
        baseUrl: settings.baseUrl,
        type,
        at: by.at,
      });
      const about = { ...by, credential: "edge", label, digest, start: type, hostsOnly: false } as const;
      const write = { kind: "create-credential", ...about, deploymentId: deployment.id } as const;
      return { row: (await store.write(write)).credential, bootstrap_token: text };
    },
  );
}

function addListAndRevocation<Document extends TSchema>(
  routes: ResourceRoutes<DeploymentCredential, Document>,
  kind: DeploymentCredential["kind"],
  { memory, store }: Services,
  summaries: Readonly<Record<"list" | "revoke", string>>,
): void {
  routes.list({ summary: summaries.list, order: NEWEST_FIRST }, ({ caller }) =>
    memory
      .deploymentCredentials(caller.organisationId)
      .filter((each) => each.kind === kind)
      .reverse(),
  );
  routes.revoke(
    { summary: summaries.revoke },
    async ({ id: credentialId }, { by }) =>
      (await store.write({ kind: "revoke-credential", ...by, credentialId })).credential,
  );
}

/** @throws ServiceError "invalid" */
function deploymentIn({ deployment_id: id }: { readonly deployment_id: string }, of: string, { memory }: Services) {
  const deployment = memory.deployment(of, id.toLowerCase());
  if (deployment === undefined) throw invalid({ deployment_id: [`unknown deployment ${id}`] });
  return deployment;
}
