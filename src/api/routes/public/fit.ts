import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import type { Prefix } from "../../../address/address.ts";
import type { AddressSet } from "../../../sets/address-set.ts";
import type { Fit } from "../../../sets/fit.ts";
import { joined } from "../../../service/encoded.ts";
import { type CollateralDocument, warningsIn } from "../../../service/guards/collateral-documents.ts";
import { listCollateral } from "../../../service/guards/guard-writes.ts";
import { invalid } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import { fitSets } from "../../../service/sets/fit-sets.ts";
import { inSlices } from "../../../turns/in-slices.ts";
import type { App } from "../../app-type.ts";
import { clientGone } from "../../http/client-gone.ts";
import { streamJson } from "../../http/reply.ts";
import { addressesBytes, READ_EDL } from "../../operation.ts";
import { FitBody, FittedSet } from "../../schemas/fit.ts";
import { prefixText, setsIn, setTexts } from "./sets.ts";

type Body = Static<ReturnType<typeof FitBody>>;

/** Properties of the request that apply only with `loss`. */
const OF_LOSSES = ["never", "seen", "min_prefix_v4", "min_prefix_v6"] as const;

/** Lists for devices that have room for few entries. */
export function addFitRoutes(app: App, services: Services): void {
  const { settings } = services;
  const schema = {
    operationId: "fitSets",
    summary: "The best list with a limited number of prefixes for lists, rulesets and services",
    description:
      "Exact if the list fits as it is. Otherwise, with loss add or remove, the list that adds or leaves out the least: as few addresses as possible, or those that were seen least. The response has what was added and removed, and what the added addresses would block that a blocklist should not. Fits run one at a time, and end when the client closes its connection.",
    tags: ["Sets"],
    problems: [400, 413, 415, 503],
    body: FitBody(settings.bulkAddresses),
    response: { 200: FittedSet },
    bodyExample: {
      sets: [{ prefixes: ["203.0.113.0/26", "203.0.113.128/26", "203.0.113.224/27"] }],
      entries: 2,
      loss: "add",
    },
  };
  const config = { ...READ_EDL, bodyBytes: addressesBytes(settings) };
  app.post("/edl/ip-rulesets::fit", { config, schema }, async (request, reply) => {
    checkLoss(request.body);
    const { organisationId } = request.caller;
    const signal = clientGone(reply);
    const { fit, warnings } = await services.rules.fits.run({ who: organisationId, isKnown: true }, async () => {
      signal.throwIfAborted();
      const found = await fitted(request, signal, services);
      const added = await inSlices(collected(found.added), signal);
      return { fit: found, warnings: await listCollateral(organisationId, added, services.publishing.sources) };
    });
    return send(reply, fit, warnings);
  });
}

/** @throws ServiceError "invalid" */
function checkLoss(body: Body): void {
  const useless = OF_LOSSES.filter((member) => body[member] !== undefined);
  if ((body.loss ?? "none") === "none" && useless.length > 0)
    throw invalid(Object.fromEntries(useless.map((member) => [member, ["needs loss add or remove"]])));
}

async function fitted(request: FastifyRequest, signal: AbortSignal, services: Services): Promise<Fit> {
  const {
    sets,
    never = [],
    entries,
    loss = "none",
    seen,
    min_prefix_v4 = 8,
    min_prefix_v6 = 19,
  } = request.body as Body;
  return fitSets(
    {
      sets: await setsIn(request, sets, services),
      never: await setsIn(request, never, services, "never"),
      entries,
      loss,
      seen,
      shortest: { 4: min_prefix_v4, 6: min_prefix_v6 },
    },
    signal,
  );
}

/** Prefixes made between two interruptions. */
const AT_ONCE = 4096;

function* collected(set: AddressSet): Generator<undefined, Prefix[], undefined> {
  const prefixes: Prefix[] = [];
  for (const prefix of set.prefixes()) if (prefixes.push(prefix) % AT_ONCE === 0) yield;
  return prefixes;
}

function send(reply: FastifyReply, fit: Fit, warnings: readonly CollateralDocument[]): FastifyReply {
  return streamJson(reply, joined(texts(fit, warnings)));
}

/** The response as JSON, by the schema `FittedSet`. */
function* texts(
  { prefixes, exactCount, added, removed, cost, bound }: Fit,
  warnings: readonly CollateralDocument[],
): Generator<string> {
  yield `{"count":${prefixes.length},"exact_count":${exactCount},"prefixes":[`;
  for (const [index, prefix] of prefixes.entries()) yield prefixText(prefix, index);
  yield `],"added":`;
  yield* setTexts(added, undefined);
  yield `,"removed":`;
  yield* setTexts(removed, undefined);
  const costs = { cost: wholeText(cost), bound: wholeText(bound), is_best: cost - bound < 1 };
  yield `,${JSON.stringify({ ...costs, ...warningsIn(warnings) }).slice(1)}`;
}

function wholeText(number: number): string {
  return String(BigInt(Math.floor(number)));
}
