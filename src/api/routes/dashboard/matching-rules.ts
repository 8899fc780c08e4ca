import type { FastifyRequest } from "fastify";
import { comparePrefixes } from "../../../address/prefix.ts";
import type { Rule } from "../../../rulesets/rule.ts";
import type { RuleColumns } from "../../../rulesets/rule-columns.ts";
import { RuleList } from "../../../rulesets/rule-list.ts";
import type { RuleFilter } from "../../../rulesets/rule-search.ts";
import type { App } from "../../app-type.ts";
import { signed } from "../../http/signed-request.ts";
import { ifMatch } from "../../http/entity-tags.ts";
import { inSlices, turn } from "../../../turns/in-slices.ts";
import { WRITE_EDL } from "../../operation.ts";
import { Problem } from "../../problem.ts";
import { invalid } from "../../../service/service-error.ts";
import { withoutLines } from "../../../service/rules/desired-rules.ts";
import { readPrefix } from "../../../service/rules/read-address.ts";
import { readTime } from "../../http/read-time.ts";
import { findRuleset } from "../public/find-ruleset.ts";
import { ChangeMatchingBody, ChangeMatchingResponse, MatchingQuery, within } from "../../schemas/row.ts";
import { RulesetParameters } from "../../schemas/rule.ts";
import type { Services } from "../../../service/services.ts";
import { IDEMPOTENT, matching } from "../../openapi/documented-headers.ts";

/** Rules read in one turn: some milliseconds. */
const AT_ONCE = 2048;

/** The user who deletes has confirmed the number of rules, so any number may be deleted. */
const COUNTED = { allowEmpty: true, maxShrink: 100 };

/** Changes all rules that match the table's filter, however many. */
export function addMatchingRuleRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "changeMatchingRules",
    summary: "Deletes all rules that match a filter, or sets their expiry, all or nothing",
    tags: ["IP rulesets"],
    problems: [400, 404, 412, 413, 415, 422],
    description:
      "The filter is that of listRows. `count` is the number of rules you expect to change: if it differs, or the rules have changed, the response is 412 and nothing is written.",
    params: RulesetParameters,
    querystring: MatchingQuery,
    body: ChangeMatchingBody,
    response: { 200: ChangeMatchingResponse },
    requestHeaders: { ...IDEMPOTENT, ...matching("the rules") },
    bodyExample: { action: "set_expiry", count: 2, expires_at: "2027-06-30T00:00:00Z" },
  };
  app.post("/edl/ip-rulesets/:ruleset_id/rows::change", { config: WRITE_EDL, schema }, async (request) => {
    const { action, count, expires_at: expiry } = request.body;
    if ((action === "set_expiry") !== (expiry !== undefined))
      throw invalid({ expires_at: ["allowed only with set_expiry, and required there; null means never"] });
    const expiresAt = expiry === null ? null : (readTime("expires_at", expiry) ?? null);
    const ruleset = findRuleset(request, services);
    const matched = await readAll(request, services, filterOf(request.query));
    if (matched.length !== count)
      throw new Problem(
        "precondition-failed",
        `${matched.length} rules match the filter now, not ${count}; review them again`,
      );
    const about = {
      ...signed(request),
      rulesetId: ruleset.about.id,
      ifMatch: ifMatch(request) ?? { versions: [ruleset.about.version], rules: [], lists: [] },
    };
    if (action === "set_expiry") {
      const rules = await columnsInSlices(matched.map((rule) => ({ ...rule, expiresAt })));
      await services.store.write({ kind: "import-rules", ...about, rules, mode: "override" });
    } else {
      const rules = await columnsInSlices(await without(await readAll(request, services, {}), matched));
      await services.store.write({ kind: "replace-rules", ...about, rules, shrink: COUNTED });
    }
    return { count };
  });
}

type FilterQuery = Readonly<Record<"name" | "ip", string | undefined>> & {
  readonly state?: RuleFilter["state"];
  readonly expiring_within_days?: number | undefined;
};

function filterOf(query: Partial<FilterQuery>): RuleFilter {
  return {
    state: query.state,
    within: within(query),
    name: query.name,
    related: query.ip === undefined || query.ip === "" ? undefined : readPrefix(query.ip),
  };
}

/** All matching rules, in the order of prefixes, as of one version. @throws Problem (404, 412) */
async function readAll(request: FastifyRequest, { memory, rows }: Services, filter: RuleFilter): Promise<Rule[]> {
  const { organisationId, id, version } = findRuleset(request, { memory } as Services).about;
  const all: Rule[] = [];
  for (let offset = 0; ; offset += AT_ONCE) {
    const page = await rows.get(
      () => memory.ruleset(organisationId, id),
      { filter, offset, limit: AT_ONCE },
      request.now,
    );
    if (page?.ruleset.about.version !== version)
      throw new Problem("precondition-failed", "the rules have changed in the meantime; review them again");
    all.push(...page.rules);
    if (page.rules.length < AT_ONCE) return all;
    await turn();
  }
}

/** Both are in the order of prefixes. */
async function without(rules: readonly Rule[], removed: readonly Rule[]): Promise<Rule[]> {
  const left: Rule[] = [];
  let next = 0;
  for (const [index, rule] of rules.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await turn();
    if (next < removed.length && comparePrefixes(rule.prefix, removed[next]!.prefix) === 0) next++;
    else left.push(rule);
  }
  return left;
}

async function columnsInSlices(rules: readonly Rule[]): Promise<readonly RuleColumns[]> {
  const list = new RuleList();
  for (const [index, rule] of rules.entries()) {
    list.add(rule, index);
    if (index % AT_ONCE === AT_ONCE - 1) await turn();
  }
  const parts = await inSlices(list.inOrder(() => {}));
  return parts.map(withoutLines);
}
