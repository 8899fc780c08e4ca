import type { FastifyReply, FastifyRequest } from "fastify";
import { CONFLICT_MODES, type ConflictMode } from "../../../rulesets/write-rule.ts";
import type { App } from "../../app-type.ts";
import { joined } from "../../../service/encoded.ts";
import { rulesetTag } from "../../../service/rules/tags.ts";
import { listBody, listIn, withListBodies } from "../../plugins/list-bodies.ts";
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
import type { LiveRuleset } from "../../../service/store/service-memory.ts";
import { streamJson } from "../../http/reply.ts";
import { findRuleset, noRuleset, rulesetWithId } from "../../resources/find-ruleset.ts";
import { Preview, PreviewBody } from "../../schemas/row.ts";
import { KeyPreviewQuery, PreviewQuery, RulesetParameters } from "../../schemas/rule.ts";
import { ruleDocument } from "../../../formats/rule-document.ts";
import type { Services } from "../../../service/services.ts";

/** What an import would do, before anything is written; the ruleset is in the path. */
export function addPreviewRoutes(app: App, services: Services): void {
  const schema = { ...previewSchema(services), params: RulesetParameters, querystring: PreviewQuery };
  withListBodies(app, (context) => {
    context.post(
      "/edl/ip-rulesets/:ruleset_id/rules::preview",
      { config: configOf(services), schema },
      async (request, reply) => answerPreview(findRuleset(request, services), { request, reply, services }),
    );
  });
}

/** The same for keys; the ruleset is a parameter of the query. */
export function addKeyPreviewRoutes(app: App, services: Services): void {
  const schema = { ...previewSchema(services), querystring: KeyPreviewQuery };
  withListBodies(app, (context) => {
    context.post("/edl/ip-rulesets::preview", { config: configOf(services), schema }, async (request, reply) => {
      const ruleset = rulesetWithId(request.query.ruleset_id.toLowerCase(), request, services);
      return answerPreview(ruleset, { request, reply, services });
    });
  });
}

const configOf = ({ settings }: Services) => ({ ...READ_EDL, bodyBytes: settings.bulkBodyBytes });

const previewSchema = ({ settings }: Services) => ({
  operationId: "previewRules",
  summary: "What importing a list would do to each line; nothing is written",
  description:
    "Every line with an error is reported. Send the ETag as If-Match with importRules to apply exactly this; the response is 412 if the ruleset has changed.",
  tags: ["IP rulesets"],
  problems: [400, 404, 413, 415],
  body: listBody(PreviewBody(settings.rulesPerRuleset)),
  response: { 200: Preview },
  responseHeaders: { ETag: "of the rules the preview is based on" },
  bodyExample: { rules: [{ ip: "203.0.113.0/24", name: "office" }] },
});

interface PreviewRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly services: Services;
}

async function answerPreview(
  { about }: LiveRuleset,
  { request, reply, services }: PreviewRequest,
): Promise<FastifyReply> {
  const { memory, settings } = services;
  const { conflict_resolution: mode = CONFLICT_MODES[0] } = request.query as { conflict_resolution?: ConflictMode };
  const current = () => memory.ruleset(about.organisationId, about.id);
  const list = await readToEnd(request, services);
  const preview = await previewRules(current, list, { mode, now: request.now, maxRules: settings.rulesPerRuleset });
  const ruleset = current();
  if (preview === undefined || ruleset === undefined) throw noRuleset(request);
  const based = { about: { ...ruleset.about, version: preview.version }, rules: ruleset.rules };
  reply.header("etag", rulesetTag(based, request.now));
  return streamJson(reply, joined(previewTexts(preview)));
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
