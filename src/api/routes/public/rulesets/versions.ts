import type { FastifyRequest } from "fastify";
import { readableVersions } from "../../../../service/rules/earlier-rules.ts";
import type { Services } from "../../../../service/services.ts";
import type { RulesetVersion } from "../../../../store/records/versions.ts";
import { formatTimestamp } from "../../../../time/format-timestamp.ts";
import type { App } from "../../../app-type.ts";
import { extentOf, pageOf } from "../../../http/page.ts";
import { READ_EDL } from "../../../operation.ts";
import { RulesetParameters } from "../../../schemas/rule.ts";
import { VersionPage, VersionsQuery } from "../../../schemas/version.ts";
import { findRuleset } from "../../../resources/find-ruleset.ts";

/** The versions of a ruleset; `rules:export` gives the rules of one. */
export function addVersionRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "listRulesetVersions",
    summary: "The versions of a ruleset whose rules are kept, newest first",
    description:
      "The first version is the ruleset as it is. rules:export with `version` returns the rules of a version; to restore it, send them to replaceRules. A version is kept as long as the rules changed by every later change are kept: for 30 days, unless a change affected several hundred thousand rules. At most 1,000 versions are listed, made by the newest 10,000 changes of the organisation.",
    tags: ["IP rulesets"],
    problems: [400, 404],
    params: RulesetParameters,
    querystring: VersionsQuery,
    response: { 200: VersionPage },
  };
  app.get("/edl/ip-rulesets/:ruleset_id/versions", { config: READ_EDL, schema }, async (request: FastifyRequest) => {
    const versions = await readableVersions(services.store, findRuleset(request, services));
    const { offset, limit } = extentOf(request.query as { page?: number; page_size?: number });
    return pageOf(
      request,
      services.settings,
      versions.slice(offset, offset + limit).map(versionDocument),
      versions.length,
    );
  });
}

function versionDocument({ version, at, command, changedRules }: RulesetVersion): object {
  return { version, created_at: formatTimestamp(at), change: command, changed_rules: changedRules };
}
