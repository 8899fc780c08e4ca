import { Type } from "typebox";
import type { Prefix } from "../../../../address/address.ts";
import { formatPrefix } from "../../../../address/prefix.ts";
import { isActive, type Rule } from "../../../../rulesets/rule.ts";
import type { RuleIndex } from "../../../../rulesets/index/rule-index.ts";
import type { App } from "../../../app-type.ts";
import { signed } from "../../../http/signed-request.ts";
import { ifMatch, isKnown, rulesNotMatched } from "../../../http/entity-tags.ts";
import { rulesetTag, tagOfRule } from "../../../../service/rules/tags.ts";
import { READ_EDL, WRITE_EDL } from "../../../operation.ts";
import { cursorPageOf, extentOf, pageOf, type Part, prefixOfCursor, rejectCursor } from "../../../http/page.ts";
import { notFound, type Problem } from "../../../problem.ts";
import { chooseType } from "../../../http/media-types.ts";
import { readPrefix } from "../../../../service/rules/read-address.ts";
import { guardPrefixes } from "../../../../service/guards/guard-writes.ts";
import { warningsIn } from "../../../../service/guards/collateral-documents.ts";
import { preparedRules } from "../../../../service/rules/prepared-rules.ts";
import { checkKept, readChanges, readRule, type RuleMembers } from "../../../../service/rules/read-rule.ts";
import {
  AddRuleBody,
  AddRuleResponse,
  RulePage,
  RuleQuery,
  RuleSchema,
  RulesetParameters,
  RulesQuery,
  UpdateRuleBody,
  UpdateRuleResponse,
} from "../../../schemas/rule.ts";
import { type RuleDocument, ruleDocument } from "../../../../formats/rule-document.ts";
import type { Services } from "../../../../service/services.ts";
import { CONDITIONAL, IDEMPOTENT, matching, TAGGED } from "../../../openapi/documented-headers.ts";
import { LIST_TYPES } from "../../../../service/rules/desired-rules.ts";
import { addCheckRoutes } from "./check-rules.ts";
import { findRuleset } from "../../../resources/find-ruleset.ts";
import { sendExport } from "./whole-rulesets.ts";

const tags = ["IP rulesets"];
const PATH = "/edl/ip-rulesets/:ruleset_id";
const params = RulesetParameters;
const MATCHED = matching("the rule, of its ruleset or of a list of its rules");
const RULE_TAGGED = { ETag: "changes with the rule" };

/** Rules are read from memory and written through the store, which updates the memory before it confirms a write. */
export function addRuleRoutes(app: App, services: Services): void {
  addList(app, services);
  addAddition(app, services);
  addRead(app, services);
  addUpdate(app, services);
  addDeletion(app, services);
  addCheckRoutes(app, services);
}

function addList(app: App, services: Services): void {
  const list = {
    operationId: "listRules",
    summary: "The rules of a ruleset, by address",
    description:
      "Text, CSV and NDJSON (Accept) contain all active rules at once; with active_only=false also expired ones.",
    otherTypes: Object.keys(LIST_TYPES),
    tags,
    problems: [400, 404, 406],
    params,
    querystring: RulesQuery,
    response: { 200: RulePage, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: TAGGED,
  };
  app.get(`${PATH}/rules`, { config: READ_EDL, schema: list }, async (request, reply) => {
    const type = chooseType(request, reply, ["application/json", "text/plain", "text/csv", "application/x-ndjson"]);
    const format = LIST_TYPES[type];
    if (format !== undefined) rejectCursor(request);
    if (format !== undefined)
      return sendExport(request, reply, services, { format, activeOnly: request.query.active_only ?? true });
    const {
      now,
      query: { active_only: activeOnly = false },
    } = request;
    if (activeOnly) await preparedRules(() => findRuleset(request, services), now);
    const ruleset = findRuleset(request, services);
    if (isKnown(request, reply, rulesetTag(ruleset, now, activeOnly ? "active" : ""))) return reply.code(304).send();
    const { rules } = ruleset;
    const count = activeOnly ? rules.activeCount(now) : rules.count;
    if (request.query.cursor !== undefined)
      return cursorPageOf(request, services.settings, count, (after, limit) =>
        rulesAfter(rules, after, limit, (rule) => !activeOnly || isActive(rule, now)),
      );
    const items = rules.page({ ...extentOf(request.query), activeOnly }, now).map(ruleDocument);
    return pageOf(request, services.settings, items, count);
  });
}

/** Rules examined for one page: some milliseconds, if all of them have expired. */
const MAX_EXAMINED = 10_000;

/** Up to `limit` of the matching rules after a prefix; fewer if many do not match. */
function rulesAfter(
  rules: RuleIndex,
  after: string | undefined,
  limit: number,
  isWanted: (rule: Rule) => boolean,
): Part<RuleDocument> {
  const items: RuleDocument[] = [];
  let looked = 0;
  let last = "";
  for (const rule of rules.rules(after === undefined ? undefined : prefixOfCursor(after))) {
    if (items.length === limit || looked++ === MAX_EXAMINED) return { items, last };
    last = formatPrefix(rule.prefix);
    if (isWanted(rule)) items.push(ruleDocument(rule));
  }
  return { items, last: null };
}

function addAddition(app: App, services: Services): void {
  const add = {
    operationId: "addRule",
    summary: "Adds a rule, or resolves the conflict with an existing one",
    tags,
    problems: [400, 404, 409, "collateral" as const, 412, 413, 415, 422],
    params,
    body: AddRuleBody,
    response: { 200: AddRuleResponse, 201: AddRuleResponse },
    requestHeaders: {
      ...IDEMPOTENT,
      ...matching("the rules, or of the existing rule"),
      "If-None-Match": "`*`, or the ETag of a rule: if such a rule exists for the prefix, the response is 412",
    },
    bodyExample: { ip: "203.0.113.0/24", name: "office", expires_in_days: 30 },
  };
  app.post(`${PATH}/rules`, { config: WRITE_EDL, schema: add }, async (request, reply) => {
    const { about } = findRuleset(request, services);
    const rule = readRule(request.body as RuleMembers, {
      now: request.now,
      allowSpecialPurpose: services.settings.specialPurpose,
    });
    const warnings = await guardPrefixes(about, [rule.prefix], services.publishing.sources);
    const addition = await services.store.write({
      kind: "add-rule",
      ...signed(request),
      rulesetId: about.id,
      request: rule,
      ifMatch: ifMatch(request),
      ifNoneMatch: rulesNotMatched(request),
    });
    return reply
      .code(addition.action === "created" ? 201 : 200)
      .send({ action: addition.action as "created", rule: ruleDocument(addition.rule), ...warningsIn(warnings) });
  });
}

/** What the operations on one existing rule have in common. */
const one = { tags, problems: [400, 404], params, querystring: RuleQuery };

function addRead(app: App, services: Services): void {
  const get = {
    ...one,
    operationId: "getRule",
    summary: "One rule",
    response: { 200: RuleSchema, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: RULE_TAGGED,
  };
  app.get(`${PATH}/rules/rule`, { config: READ_EDL, schema: get }, (request, reply) => {
    const ruleset = findRuleset(request, services);
    const prefix = readPrefix(request.query.ip);
    const rule = ruleset.rules.get(prefix);
    if (rule === undefined) throw noRule(prefix);
    if (isKnown(request, reply, tagOfRule(rule))) return reply.code(304).send();
    return ruleDocument(rule);
  });
}

function addUpdate(app: App, services: Services): void {
  const update = {
    ...one,
    operationId: "updateRule",
    summary: "Changes the name or expiry of a rule",
    problems: [400, 404, "collateral" as const, 412, 413, 415, 422],
    body: UpdateRuleBody,
    response: { 200: UpdateRuleResponse },
    requestHeaders: { ...IDEMPOTENT, ...MATCHED },
    responseHeaders: RULE_TAGGED,
    bodyExample: { name: "office", expires_at: null },
  };
  app.put(`${PATH}/rules/rule`, { config: WRITE_EDL, schema: update }, async (request, reply) => {
    const { about, rules } = findRuleset(request, services);
    const prefix = readPrefix(request.query.ip);
    const rule = rules.get(prefix);
    if (rule !== undefined) checkKept(request.body, rule);
    const changes = readChanges(request.body, request.now);
    const warnings = await guardPrefixes(about, [prefix], services.publishing.sources);
    const updated = await services.store.write({
      kind: "update-rule",
      ...signed(request),
      rulesetId: about.id,
      prefix,
      changes,
      ifMatch: ifMatch(request),
    });
    reply.header("etag", tagOfRule(updated.rule));
    return { ...ruleDocument(updated.rule), ...warningsIn(warnings) };
  });
}

function addDeletion(app: App, services: Services): void {
  const remove = {
    ...one,
    operationId: "deleteRule",
    summary: "Deletes a rule",
    problems: [400, 404, 412, 422],
    response: { 204: Type.Null() },
    requestHeaders: { ...IDEMPOTENT, ...MATCHED },
  };
  app.delete(`${PATH}/rules/rule`, { config: WRITE_EDL, schema: remove }, async (request, reply) => {
    const { about } = findRuleset(request, services);
    await services.store.write({
      kind: "delete-rule",
      ...signed(request),
      rulesetId: about.id,
      prefix: readPrefix(request.query.ip),
      ifMatch: ifMatch(request),
    });
    return reply.code(204).send();
  });
}

function noRule(prefix: Prefix): Problem {
  return notFound(`the ruleset has no rule for ${formatPrefix(prefix)}`);
}
