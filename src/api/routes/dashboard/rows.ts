import type { App } from "../../app-type.ts";
import { rulesetTag } from "../../../service/rules/tags.ts";
import { READ_EDL } from "../../operation.ts";
import { readPrefix } from "../../../service/rules/read-address.ts";
import { findRuleset, noRuleset } from "../../resources/find-ruleset.ts";
import { DEFAULT_ROWS, rowDocument, Rows, RowsQuery, within } from "../../schemas/row.ts";
import { RulesetParameters } from "../../schemas/rule.ts";
import type { Services } from "../../../service/services.ts";

/** The table of a ruleset's rules, starting at any row. */
export function addRowRoutes(app: App, services: Services): void {
  const { memory } = services;
  const { rows } = services.rules;
  const list = {
    operationId: "listRows",
    summary: "Rows of the table of a ruleset's rules, by address, at any offset",
    tags: ["IP rulesets"],
    problems: [400, 404],
    params: RulesetParameters,
    querystring: RowsQuery,
    response: { 200: Rows },
    responseHeaders: { ETag: "of the rules as they are, for If-Match" },
  };
  app.get("/edl/ip-rulesets/:ruleset_id/rows", { config: READ_EDL, schema: list }, async (request, reply) => {
    const {
      now,
      query: { offset = 0, limit = DEFAULT_ROWS, state, name, ip },
    } = request;
    const { id, organisationId } = findRuleset(request, services).about;
    const related = ip === undefined || ip === "" ? undefined : readPrefix(ip);
    const found = await rows.get(
      () => memory.ruleset(organisationId, id),
      { filter: { state, within: within(request.query), name, related }, offset, limit },
      now,
    );
    if (found === undefined) throw noRuleset(request);
    const {
      ruleset: { about, rules },
      rules: items,
      count,
    } = found;
    reply.header("etag", rulesetTag({ about, rules }, now));
    return {
      version: about.version,
      total: rules.count,
      active: rules.activeCount(now),
      count,
      items: items.map((rule) => rowDocument(rule, now, within(request.query))),
    };
  });
}
