import type { FastifyRequest } from "fastify";
import type { Family, Prefix } from "../../../address/address.ts";
import { formatPrefix } from "../../../address/prefix.ts";
import type { AddressSet } from "../../../sets/address-set.ts";
import { relating } from "../../../sets/relate.ts";
import { joined } from "../../../service/encoded.ts";
import type { Services } from "../../../service/services.ts";
import { checkComputation, computeSet } from "../../../service/sets/compute-set.ts";
import { gatherSets } from "../../../service/sets/gather-sets.ts";
import type { DeploymentSource } from "../../../store/records/deployment.ts";
import { inSlices } from "../../../turns/in-slices.ts";
import type { App } from "../../app-type.ts";
import { clientGone } from "../../http/client-gone.ts";
import { streamJson } from "../../http/reply.ts";
import { addressesBytes, READ_EDL } from "../../operation.ts";
import {
  ComputeBody,
  ComputedSet,
  exactCounts,
  RelateBody,
  relationsDocument,
  RelationsSchema,
} from "../../schemas/sets.ts";

const tags = ["Sets"];

/** Sets of addresses, wherever they come from: how they relate, and what they are together. */
export function addSetRoutes(app: App, services: Services): void {
  addRelate(app, services);
  addCompute(app, services);
}

function addRelate(app: App, services: Services): void {
  const { settings } = services;
  const schema = {
    operationId: "relateSets",
    summary: "How lists relate, pair by pair, and what each has that no other does",
    description:
      "A list that adds nothing to the others can be dropped. Sources other than rulesets and prefixes need a plan for their area.",
    tags,
    problems: [400, 413, 415],
    body: RelateBody(settings.bulkAddresses),
    response: { 200: RelationsSchema },
    bodyExample: { sets: [{ prefixes: ["203.0.113.0/24", "198.51.100.7"] }, { prefixes: ["203.0.113.0/25"] }] },
  };
  const config = { ...READ_EDL, bodyBytes: addressesBytes(settings) };
  app.post("/edl/ip-rulesets::relate", { config, schema }, async (request, reply) => {
    const signal = clientGone(reply);
    const sets = await setsIn(request, request.body.sets, services);
    return relationsDocument(await inSlices(relating(sets), signal));
  });
}

function addCompute(app: App, services: Services): void {
  const { settings } = services;
  const schema = {
    operationId: "computeSet",
    summary: "Unites, intersects or subtracts lists, exactly, or finds what K of them agree on",
    description:
      "For example a blocklist without an allowlist and a service: one address out of a /8 leaves 24 prefixes. Nothing is written.",
    tags,
    problems: [400, 413, 415],
    body: ComputeBody(settings.bulkAddresses),
    response: { 200: ComputedSet },
    bodyExample: {
      operation: "subtract",
      sets: [{ prefixes: ["203.0.113.0/24"] }, { prefixes: ["203.0.113.128/26", "203.0.113.7"] }],
    },
  };
  const config = { ...READ_EDL, bodyBytes: addressesBytes(settings) };
  app.post("/sets::compute", { config, schema }, async (request, reply) => {
    const { operation, at_least: atLeast, weights, sets, family } = request.body;
    const computation = { operation, atLeast, weights };
    checkComputation(computation, sets.length);
    const signal = clientGone(reply);
    const result = await computeSet(computation, await setsIn(request, sets, services), signal);
    return streamJson(reply, joined(setTexts(result, family)));
  });
}

/** The addresses of the sources in a member of a body. Rejects with ServiceError "invalid", "no-plan". */
export function setsIn(
  { caller: { organisationId }, now }: FastifyRequest,
  sources: readonly object[],
  services: Services,
  field = "sets",
): Promise<AddressSet[]> {
  return gatherSets(
    sources as readonly DeploymentSource[],
    field,
    { organisationId, now },
    services.publishing.sources,
  );
}

/** As JSON, by the schema `ComputedSet`. */
export function* setTexts(set: AddressSet, family: Family | undefined): Generator<string> {
  const sizeOf = (each: Family): bigint => (family === undefined || family === each ? set.size(each) : 0n);
  yield `{"addresses":${JSON.stringify(exactCounts({ 4: sizeOf(4), 6: sizeOf(6) }))},"prefixes":[`;
  let count = 0;
  for (const prefix of set.prefixes(family)) yield prefixText(prefix, count++);
  yield `],"count":${count}}`;
}

/** With a comma before all but the first. No prefix has a character that JSON escapes. */
export function prefixText(prefix: Prefix, index: number): string {
  return `${index === 0 ? "" : ","}"${formatPrefix(prefix)}"`;
}
