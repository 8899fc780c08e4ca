import type { FastifyRequest } from "fastify";
import { CONFLICT_MODES } from "../../../rulesets/write-rule.ts";
import type { App } from "../../app-type.ts";
import { joined } from "../../../service/encoded.ts";
import { rulesetTag } from "../../../service/rules/tags.ts";
import { listBody, listIn, withListBodies } from "../../http/list-bodies.ts";
import { READ_EDL } from "../../operation.ts";
import {
  type Preview as RulesPreview,
  type PreviewedList,
  type PreviewLine,
  previewRules,
  readListToEnd,
  readRulesToEnd,
} from "../../../service/rules/preview-rules.ts";
import { readDefaults, type RuleMembers } from "../../../service/rules/read-rule.ts";
import { streamJson } from "../../http/reply.ts";
import { findRuleset, noRuleset } from "../public/find-ruleset.ts";
import { Preview, PreviewBody } from "../../schemas/row.ts";
import { PreviewQuery, RulesetParameters } from "../../schemas/rule.ts";
import { ruleDocument } from "../../../formats/rule-document.ts";
import type { Services } from "../../../service/services.ts";

/** What an import would do, before anything is written. */
export function addPreviewRoutes(app: App, services: Services): void {
  withListBodies(app, (context) => addPreview(context, services));
}

function addPreview(app: App, services: Services): void {
  const { settings, memory } = services;
  const schema = {
    operationId: "previewRules",
    summary: "What importing a list would do to each line; nothing is written",
    description:
      "Every line with an error is reported. Send the ETag as If-Match with importRules to apply exactly this; the response is 412 if the ruleset has changed.",
    tags: ["IP rulesets"],
    problems: [400, 404, 413, 415],
    params: RulesetParameters,
    querystring: PreviewQuery,
    body: listBody(PreviewBody(settings.rulesPerRuleset)),
    response: { 200: Preview },
    responseHeaders: { ETag: "of the rules the preview is based on" },
    bodyExample: { rules: [{ ip: "203.0.113.0/24", name: "office" }] },
  };
  app.post(
    "/edl/ip-rulesets/:ruleset_id/rules::preview",
    { config: { ...READ_EDL, bodyBytes: settings.bulkBodyBytes }, schema },
    async (request, reply) => {
      const { id, organisationId } = findRuleset(request, services).about;
      const current = () => memory.ruleset(organisationId, id);
      const list = await readToEnd(request, services);
      const mode = request.query.conflict_resolution ?? CONFLICT_MODES[0];
      const preview = await previewRules(current, list, {
        mode,
        now: request.now,
        maxRules: settings.rulesPerRuleset,
      });
      const ruleset = current();
      if (preview === undefined || ruleset === undefined) throw noRuleset(request);
      reply.header(
        "etag",
        rulesetTag({ about: { ...ruleset.about, version: preview.version }, rules: ruleset.rules }, request.now),
      );
      return streamJson(reply, joined(previewTexts(preview)));
    },
  );
}

/** The response as JSON, by the schema `Preview`. */
function* previewTexts({ lines, ...counts }: RulesPreview): Generator<string> {
  yield `${JSON.stringify(counts).slice(0, -1)},"lines":[`;
  for (const [at, line] of lines.entries()) yield `${at === 0 ? "" : ","}${JSON.stringify(lineDocument(line))}`;
  yield "]}";
}

async function readToEnd(request: FastifyRequest, { settings }: Services): Promise<PreviewedList> {
  const { now } = request;
  const { specialPurpose: allowSpecialPurpose, rulesPerRuleset: maxRules } = settings;
  const defaults = readDefaults(request.query as Omit<RuleMembers, "ip">, now);
  const list = listIn(request);
  if ("members" in list) return readRulesToEnd(list.members, { now, allowSpecialPurpose, defaults });
  return readListToEnd(list.text, list.format, { allowSpecialPurpose, maxRules, defaults });
}

function lineDocument({ before, after, ...line }: PreviewLine): object {
  return { ...line, ...(before && { before: ruleDocument(before) }), ...(after && { after: ruleDocument(after) }) };
}
