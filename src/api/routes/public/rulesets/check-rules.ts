import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { finished } from "../../../../turns/finished.ts";
import type { AddressBatch } from "../../../../service/address-batch.ts";
import { writeDocuments } from "../../../../service/address-documents.ts";
import { atOneVersion } from "../../../../service/rules/at-one-version.ts";
import { checkBatch, checkDocument, checkText } from "../../../../service/rules/check-rules.ts";
import { readAddresses, readPrefix } from "../../../../service/rules/read-address.ts";
import type { LiveRuleset } from "../../../../service/store/service-memory.ts";
import type { Services } from "../../../../service/services.ts";
import { turn } from "../../../../turns/in-slices.ts";
import type { App } from "../../../app-type.ts";
import { ArrivingBody } from "../../../http/arriving-body.ts";
import {
  describeLines,
  lineBody,
  LINES,
  LINE_TYPES,
  answerBatch,
  requireBody,
  sendDocuments,
  sendLookups,
  withLineBodies,
} from "../../../plugins/line-bodies.ts";
import { chooseType } from "../../../http/media-types.ts";
import { MAX_AT_ONCE, sendJson, sendText } from "../../../http/reply.ts";
import { addressesBytes, READ_EDL } from "../../../operation.ts";
import { AddressesBody, CheckResult, CheckResults, RulesetParameters } from "../../../schemas/rule.ts";
import { findRuleset } from "../../../resources/find-ruleset.ts";

const PATH = "/edl/ip-rulesets/:ruleset_id/rules::check";
/**
 * Addresses that are checked in one turn, where they are decided by tables: 10 ms, if half of them have a rule of their
 * own (its text takes most of that). In slices, writes could come between, and all would have to be checked again.
 */
const MAX_IN_TURN = 10_000;

/** Which rules cover addresses and prefixes: of one, of many at one moment, or of a stream. */
export function addCheckRoutes(app: App, services: Services): void {
  withLineBodies(app, (context) => addCheck(context, services));
}

function addCheck(app: App, services: Services): void {
  const { settings } = services;
  const most = settings.bulkAddresses;
  const schema = {
    operationId: "checkRules",
    summary: "Which active rules cover addresses or prefixes",
    description: `With \`ip\` one result, with \`ips\` a map from each address, as it was sent, to its result. ${describeLines(most, "each result by the rules as they are then")}`,
    tags: ["IP rulesets"],
    problems: [400, 404, 406, 413, 415],
    params: RulesetParameters,
    body: lineBody(AddressesBody("Check", most)),
    documentedBody: AddressesBody("Check", most),
    response: { 200: Type.Union([CheckResult, CheckResults]) },
    otherTypes: [LINES],
    otherBodies: LINE_TYPES,
    bodyExample: { ip: "203.0.113.7" },
  };
  app.post(PATH, { config: { ...READ_EDL, bodyBytes: addressesBytes(settings) }, schema }, (request, reply) => {
    const ruleset = findRuleset(request, services);
    const body: unknown = request.body;
    requireBody(body);
    if (body instanceof ArrivingBody)
      return sendLookups(request, reply, body, (texts) => {
        const { rules } = findRuleset(request, services);
        return answerBatch(texts, (batch) => {
          const checks = finished(checkBatch(rules, batch, services.now()));
          return batch.texts.map((text, index) => checkDocument(text, checks[index]!));
        });
      });
    const isMap = chooseType(request, reply, ["application/json", LINES]) === "application/json";
    const { ip, ips = [] } = body as { readonly ip?: string; readonly ips?: readonly string[] };
    if (ip === undefined) return sendChecks(ips, isMap, ruleset, request, reply);
    const text = checkText(ruleset.rules, ip, readPrefix(ip), request.now);
    void (isMap ? sendJson(reply, text) : sendText(reply, LINES, `${text}\n`));
    // Synchronous, so that the framework has no promise to wait for.
    return undefined;
  });

  async function sendChecks(
    ips: readonly string[],
    isMap: boolean,
    ruleset: LiveRuleset,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const batch = readAddresses(ips, { isDistinct: isMap });
    const checks = await checked(ruleset, batch, request.now, services);
    const form = isMap ? "map" : "lines";
    const parts = writeDocuments(batch.texts, form, (index) => checkDocument(batch.texts[index]!, checks[index]!));
    return sendDocuments(reply, parts, { form, isShort: batch.count <= MAX_AT_ONCE });
  }
}

/** All of them are checked at the same moment. */
async function checked(
  ruleset: LiveRuleset,
  batch: AddressBatch,
  now: number,
  { memory }: Services,
): Promise<string[]> {
  const check = ({ rules }: LiveRuleset) => checkBatch(rules, batch, now);
  if (batch.count <= MAX_AT_ONCE) return finished(check(ruleset));
  // Only one piece of all long work runs per turn.
  await turn();
  const { id, organisationId } = ruleset.about;
  const latest = (): LiveRuleset => memory.ruleset(organisationId, id) ?? ruleset;
  if (batch.count <= MAX_IN_TURN && latest().rules.isFrozen) return finished(check(latest()));
  return (await atOneVersion(latest, check))!.result;
}
