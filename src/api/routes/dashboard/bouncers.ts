import { readLine } from "../../../service/access/read-user.ts";
import { makeBouncerKey } from "../../../service/bouncers/bouncer-key.ts";
import { invalid } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS, BY_USERS } from "../../operation.ts";
import { notFound } from "../../problem.ts";
import { EXAMPLE_ID } from "../../schemas/rule.ts";
import {
  bouncerDocument,
  BouncerList,
  BouncerParameters,
  BouncerSchema,
  CreateBouncerBody,
  CreatedBouncer,
} from "../../schemas/bouncer.ts";

const tags = ["Deployments"];

/** The keys of the bouncers that enforce deployments. */
export function addBouncerKeyRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const list = {
    operationId: "listBouncers",
    summary: "The CrowdSec bouncers that enforce the organisation's deployments",
    tags,
    response: { 200: BouncerList },
  };
  app.get("/bouncers", { config: BY_USERS, schema: list }, async ({ caller }) => {
    const own = memory.deploymentCredentials(caller.organisationId).filter(({ kind }) => kind === "bouncer");
    const states = await store.read("bouncerStates", caller.organisationId);
    const stateOf = new Map(states.map((state) => [state.credentialId, state]));
    const items = own.reverse().map((bouncer) => bouncerDocument(bouncer, stateOf.get(bouncer.id)));
    return { items, count: items.length };
  });

  const create = {
    operationId: "createBouncer",
    summary: "Creates the key of a CrowdSec bouncer; the response is the only one that contains it",
    tags,
    problems: [400, 409, 413, 415],
    body: CreateBouncerBody,
    response: { 201: CreatedBouncer },
    bodyExample: { deployment_id: EXAMPLE_ID, label: "edge firewall" },
  };
  app.post("/bouncers", { config: { ...BY_ADMINS, hasSecret: true }, schema: create }, async (request, reply) => {
    const { deployment_id: id, hosts_only: hostsOnly = false } = request.body;
    const label = readLine("label", request.body.label);
    const deployment = memory.deployment(request.caller.organisationId, id.toLowerCase());
    if (deployment === undefined) throw invalid({ deployment_id: [`unknown deployment ${id}`] });
    const { text, digest, start } = makeBouncerKey();
    const { credential } = await store.write({
      kind: "create-credential",
      ...signature(request),
      deploymentId: deployment.id,
      credential: "bouncer",
      label,
      digest,
      start,
      hostsOnly,
    });
    return reply.code(201).send({ bouncer: bouncerDocument(credential, undefined) as never, text });
  });

  const revoke = {
    operationId: "revokeBouncer",
    summary: "Revokes the key of a bouncer permanently; repeating it has no effect",
    tags,
    problems: [404],
    params: BouncerParameters,
    response: { 200: BouncerSchema },
  };
  app.delete("/bouncers/:bouncer_id", { config: BY_ADMINS, schema: revoke }, async (request) => {
    const id = request.params.bouncer_id.toLowerCase();
    const known = memory.deploymentCredentials(request.caller.organisationId).find((each) => each.id === id);
    if (known?.kind !== "bouncer") throw notFound("unknown bouncer; listBouncers lists yours");
    const { credential } = await store.write({ kind: "revoke-credential", ...signature(request), credentialId: id });
    return bouncerDocument(credential, undefined);
  });
}
