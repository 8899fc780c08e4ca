import { Type } from "typebox";
import type { App } from "../../../app-type.ts";
import { classesInOrder } from "../../../../collateral/node-classes.ts";
import { RuleIndex } from "../../../../rulesets/index/rule-index.ts";
import { signed } from "../../../http/signed-request.ts";
import { ifMatch, isKnown } from "../../../http/entity-tags.ts";
import { listTag, rulesetTag } from "../../../../service/rules/tags.ts";
import { READ_EDL, WRITE_EDL } from "../../../operation.ts";
import { pageOfCreated } from "../../../http/page.ts";
import {
  CreateRulesetBody,
  rulesetDocument,
  RulesetPage,
  RulesetSchema,
  RulesetsQuery,
  UpdateRulesetBody,
} from "../../../schemas/ruleset.ts";
import { RulesetParameters } from "../../../schemas/rule.ts";
import { invalid } from "../../../../service/service-error.ts";
import type { Purpose } from "../../../../rulesets/ruleset.ts";
import { checkRulesetText } from "../../../../service/rules/read-rule.ts";
import type { Services } from "../../../../service/services.ts";
import { CONDITIONAL, IDEMPOTENT, matching, TAGGED } from "../../../openapi/documented-headers.ts";
import { findRuleset, rulesetId } from "./find-ruleset.ts";

const tags = ["IP rulesets"];
const PATH = "/edl/ip-rulesets";
const MATCHED = matching("the ruleset");

export function addRulesetRoutes(app: App, services: Services): void {
  addReads(app, services);
  addWrites(app, services);
}

function addReads(app: App, services: Services): void {
  const { memory, settings } = services;
  const list = {
    operationId: "listRulesets",
    summary: "The rulesets of the organisation",
    tags,
    problems: [400],
    querystring: RulesetsQuery,
    response: { 200: RulesetPage, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: TAGGED,
  };
  app.get(`${PATH}/`, { config: READ_EDL, schema: list }, (request, reply) => {
    const rulesets = memory.rulesets(request.caller.organisationId, request.query.purpose);
    if (isKnown(request, reply, listTag(rulesets, request.now))) return reply.code(304).send();
    return pageOfCreated(request, settings, rulesets, {
      aboutOf: ({ about }) => about,
      documentsOf: async (some) => some.map((ruleset) => rulesetDocument(ruleset, request.now)),
    });
  });

  const get = {
    operationId: "getRuleset",
    summary: "A ruleset and how many rules it has",
    tags,
    problems: [400, 404],
    params: RulesetParameters,
    response: { 200: RulesetSchema, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: TAGGED,
  };
  app.get(`${PATH}/:ruleset_id`, { config: READ_EDL, schema: get }, (request, reply) => {
    const ruleset = findRuleset(request, services);
    if (isKnown(request, reply, rulesetTag(ruleset, request.now))) return reply.code(304).send();
    return rulesetDocument(ruleset, request.now);
  });
}

function addWrites(app: App, services: Services): void {
  const { store, memory } = services;
  const create = {
    operationId: "createRuleset",
    summary: "Creates a ruleset",
    tags,
    problems: [400, 409, 412, 413, 415, 422],
    body: CreateRulesetBody,
    response: { 201: RulesetSchema },
    requestHeaders: { ...IDEMPOTENT, ...matching("the list of rulesets") },
    responseHeaders: { Location: "the path of the ruleset" },
    bodyExample: { name: "Offices", purpose: "allowlist" },
  };
  app.post(`${PATH}/`, { config: WRITE_EDL, schema: create }, async (request, reply) => {
    const { name, purpose, description = "", guard, guard_classes: classes, never_block: neverBlock } = request.body;
    checkRulesetText(request.body);
    checkNeverBlock(neverBlock, purpose);
    const { ruleset } = await store.write({
      kind: "create-ruleset",
      ...signed(request),
      ifMatch: ifMatch(request),
      name,
      purpose,
      description,
      guard,
      guardClasses: classes && classesInOrder(classes),
      neverBlock,
    });
    // A repeated request may arrive after it has been deleted again.
    const rules = memory.ruleset(ruleset.organisationId, ruleset.id)?.rules ?? new RuleIndex();
    return reply
      .code(201)
      .header("location", `${app.prefix}${PATH}/${ruleset.id}`)
      .send(rulesetDocument({ about: ruleset, rules }, request.now));
  });

  const update = {
    operationId: "updateRuleset",
    summary: "Changes the given properties of a ruleset; the purpose cannot be changed",
    tags,
    problems: [400, 404, 412, 413, 415, 422],
    params: RulesetParameters,
    body: UpdateRulesetBody,
    response: { 200: RulesetSchema },
    requestHeaders: { ...IDEMPOTENT, ...MATCHED },
    bodyExample: { name: "Branch offices" },
  };
  app.patch(`${PATH}/:ruleset_id`, { config: WRITE_EDL, schema: update }, async (request) => {
    const found = findRuleset(request, services);
    checkRulesetText(request.body);
    const { guard_classes: classes, never_block: neverBlock, ...changes } = request.body;
    checkNeverBlock(neverBlock, found.about.purpose);
    const { ruleset } = await store.write({
      kind: "update-ruleset",
      ...signed(request),
      rulesetId: found.about.id,
      ifMatch: ifMatch(request),
      ...changes,
      guardClasses: classes && classesInOrder(classes),
      neverBlock,
    });
    return rulesetDocument({ ...findRuleset(request, services), about: ruleset }, request.now);
  });

  const remove = {
    operationId: "deleteRuleset",
    summary: "Deletes a ruleset with its rules",
    tags,
    problems: [400, 404, 412, 422],
    params: RulesetParameters,
    response: { 204: Type.Null() },
    requestHeaders: { ...IDEMPOTENT, ...MATCHED },
  };
  app.delete(`${PATH}/:ruleset_id`, { config: WRITE_EDL, schema: remove }, async (request, reply) => {
    const id = rulesetId(request);
    // It need not be in memory: for a repeated request it is already gone, and the first response is returned.
    await store.write({ kind: "delete-ruleset", ...signed(request), rulesetId: id, ifMatch: ifMatch(request) });
    return reply.code(204).send();
  });
}

/** @throws ServiceError "invalid" */
function checkNeverBlock(neverBlock: boolean | undefined, purpose: Purpose): void {
  if (neverBlock === true && purpose !== "allowlist")
    throw invalid({ never_block: ["a blocklist blocks what it lists; mark an allowlist with the own networks"] });
}
