import type { FastifyRequest } from "fastify";
import type { RuleFilter } from "../../../../rulesets/index/rule-search.ts";
import { readPrefix } from "../../../../service/rules/read-address.ts";
import type { LiveRuleset } from "../../../../service/store/service-memory.ts";
import { invalid } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import type { App } from "../../../app-type.ts";
import { READ_EDL } from "../../../operation.ts";
import { DEFAULT_ROWS, FoundRules, rowDocument, SearchBody, within } from "../../../schemas/row.ts";

const PATH = "/edl/ip-rulesets::search";

/** Where the rules are that have a name or are about an address, in all rulesets. */
export function addSearchRoutes(app: App, services: Services): void {
  const { memory } = services;
  const { rows } = services.rules;
  const schema = {
    operationId: "searchRules",
    summary: "Searches the rules of all rulesets by name, address or state",
    description: "Without any condition, every rule matches.",
    tags: ["IP rulesets"],
    problems: [400, 413, 415],
    body: SearchBody,
    response: { 200: FoundRules },
    bodyExample: { ip: "203.0.113.7", state: "active" },
  };
  app.post(PATH, { config: READ_EDL, schema }, async (request) => {
    const { now, body } = request;
    const { limit = DEFAULT_ROWS } = body;
    const filter = filterOf(body);
    const rulesets: object[] = [];
    const items: object[] = [];
    let count = 0;
    for (const { about } of chosenRulesets(request, services)) {
      const left = limit - items.length;
      const current = () => memory.ruleset(about.organisationId, about.id);
      const found = await rows.get(current, { filter, offset: 0, limit: left }, now);
      if (found === undefined || found.count === 0) continue;
      count += found.count;
      const { id, name, purpose } = found.ruleset.about;
      rulesets.push({ id, name, purpose, count: found.count });
      for (const rule of found.rules) items.push({ ruleset_id: id, ...rowDocument(rule, now, within(body)) });
    }
    return { count, rulesets, items };
  });
}

interface Conditions {
  readonly state?: RuleFilter["state"];
  readonly expiring_within_days?: number | undefined;
  readonly name?: string | undefined;
  readonly ip?: string | undefined;
}

function filterOf(conditions: Conditions): RuleFilter {
  const { state, name, ip } = conditions;
  return {
    state,
    within: within(conditions),
    name,
    related: ip === undefined || ip === "" ? undefined : readPrefix(ip),
  };
}

/** @throws ServiceError "invalid" for a ruleset that the organisation does not have */
function chosenRulesets(request: FastifyRequest, { memory }: Services): readonly LiveRuleset[] {
  const { organisationId } = request.caller;
  const { rulesets: ids } = request.body as { readonly rulesets?: readonly string[] };
  if (ids === undefined) return [...memory.rulesets(organisationId)];
  return [...new Set(ids.map((id) => id.toLowerCase()))].map((id, at) => {
    const found = memory.ruleset(organisationId, id);
    if (found === undefined) throw invalid({ [`rulesets[${at}]`]: [`unknown ruleset ${id}`] });
    return found;
  });
}
