import { createHash } from "node:crypto";
import { Type } from "typebox";
import { contentTypeOf } from "../../../../formats/formats.ts";
import { ShrinkGuard, type ShrinkLimits } from "../../../../rulesets/shrink-guard.ts";
import { CONFLICT_MODES } from "../../../../rulesets/write-rule.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../../../app-type.ts";
import { signedList } from "../../../http/signed-request.ts";
import { ifMatch, isKnown } from "../../../http/entity-tags.ts";
import { rulesetTag } from "../../../../service/rules/tags.ts";
import {
  earlierFile,
  exportFile,
  type ExportRequest,
  representationOf,
  VersionNotKeptError,
} from "../../../../service/rules/export-file.ts";
import { listBody, listIn, withListBodies } from "../../../plugins/list-bodies.ts";
import { READ_EDL, WRITE_EDL } from "../../../operation.ts";
import { type CountedPlan, planCounted } from "../../../../service/rules/plan-replacement.ts";
import { notFound, Problem } from "../../../problem.ts";
import { readDefaults, type RuleMembers } from "../../../../service/rules/read-rule.ts";
import { safePath } from "../../../http/redact.ts";
import {
  ImportQuery,
  ImportResponse,
  ReplaceBody,
  ReplaceQuery,
  ReplaceResponse,
  RulesetParameters,
} from "../../../schemas/rule.ts";
import { WholeNumber } from "../../../schemas/common.ts";
import { ExportFormat, MEDIA_TYPES, SetName } from "../../../schemas/export.ts";
import { refuseUnexportable, setNameFor } from "../export-format.ts";
import { ruleDocument } from "../../../../formats/rule-document.ts";
import type { LiveRuleset } from "../../../../service/store/service-memory.ts";
import { stateOf } from "../../../../store/state.ts";
import type { IfMatch } from "../../../../store/if-match.ts";
import { RULES_SETTING } from "../../../../store/records/limit-settings.ts";
import { guardList } from "../../../../service/guards/guard-writes.ts";
import { warningsIn } from "../../../../service/guards/collateral-documents.ts";
import type { Services } from "../../../../service/services.ts";
import { sendShared } from "../../../http/shared-file.ts";
import { shrinkProblem } from "../../../shrink-problem.ts";
import { IDEMPOTENT, matching } from "../../../openapi/documented-headers.ts";
import { readDesiredList, type DesiredList } from "../../../../service/rules/desired-rules.ts";
import { findRuleset, noRuleset, rulesetId } from "../../../resources/find-ruleset.ts";

const tags = ["IP rulesets"];
const PATH = "/edl/ip-rulesets/:ruleset_id";
const params = RulesetParameters;

/** Whole rulesets: exported, replaced, and extended from lists. */
export function addWholeRulesetRoutes(app: App, services: Services): void {
  addExport(app, services);
  withListBodies(app, (context) => {
    addReplacement(context, services);
    addImport(context, services);
  });
}

const ExportQuery = Type.Object({
  format: ExportFormat,
  active_only: Type.Optional(Type.Boolean({ default: true, description: "only rules that have not expired" })),
  set_name: SetName("the ruleset's name and id"),
  version: Type.Optional(
    WholeNumber({
      minimum: 1,
      description:
        "an earlier version of the rules, of those that listRulesetVersions lists; by default the current one",
    }),
  ),
});

function addExport(app: App, services: Services): void {
  const schema = {
    operationId: "exportRules",
    summary: "The whole ruleset as a file",
    description:
      "The file blocks what a blocklist has and lets in what an allowlist has. The ipset and nftables files replace their sets atomically, and elements are removed when their rules expire. ipset supports timeouts of at most 24 days: load the list again before then. crowdsec-csv has no allowlists.",
    tags,
    problems: [400, 404],
    params,
    querystring: ExportQuery,
    response: { 200: Type.String(), 304: Type.Null() },
    otherTypes: MEDIA_TYPES,
    requestHeaders: { "If-None-Match": "a known ETag: the response is 304 if nothing has changed" },
    responseHeaders: {
      ETag: { sometimes: "changes with the response, also when rules expire; absent with `version`" },
    },
  };
  app.get(`${PATH}/rules::export`, { config: READ_EDL, schema }, (request, reply) => {
    const { format = "text", active_only: activeOnly = true, set_name: setName, version } = request.query;
    const desired = { format, activeOnly, setName: setNameFor(format, setName) };
    return version === undefined
      ? sendExport(request, reply, services, desired)
      : sendEarlier(request, reply, services, { ...desired, version });
  });
}

function sendEarlier(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  desired: ExportRequest & { readonly version: number },
): Promise<FastifyReply> {
  const ruleset = findRuleset(request, services);
  const { key, make } = earlierFile(services.store, ruleset, request.now, desired);
  const notKept = (error: unknown): never => {
    if (!(error instanceof VersionNotKeptError)) return refuseUnexportable(error);
    throw notFound(
      `version ${desired.version} of the ruleset is not kept; ${request.server.prefix}${PATH.replace(":ruleset_id", ruleset.about.id)}/versions lists those that are`,
    );
  };
  return sendShared(request, reply, services.data.files, {
    key,
    make: () => make().catch(notKept),
    type: contentTypeOf(desired.format),
    effort: "once",
  });
}

export async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  desired: ExportRequest,
): Promise<FastifyReply> {
  const ruleset = findRuleset(request, services);
  if (isKnown(request, reply, rulesetTag(ruleset, request.now, representationOf(ruleset, request.now, desired))))
    return reply.code(304).send();
  const { id, organisationId } = ruleset.about;
  const file = exportFile(() => services.memory.ruleset(organisationId, id), ruleset, request.now, desired);
  return sendShared(request, reply, services.data.files, {
    ...file,
    make: () => file.make().catch(refuseUnexportable),
    type: contentTypeOf(desired.format),
    effort: "once",
  });
}

function addReplacement(app: App, services: Services): void {
  const { store, memory, settings } = services;
  const schema = {
    operationId: "replaceRules",
    summary: "Replaces the rules of the ruleset with a list, all or nothing",
    description:
      "The list is JSON, or a file of the type given by Content-Type. With dry_run the response describes what would change, and nothing is written. A list that would remove all rules, or over half of 20 or more, is refused " +
      "(409, `/problems/shrinks-too-much`, with the numbers: see ShrinksTooMuchProblem), unless allow_empty or max_shrink permits it.",
    tags,
    problems: [400, 404, 409, "shrinks-too-much" as const, "collateral" as const, 412, 413, 415, 422],
    params,
    querystring: ReplaceQuery,
    body: listBody(ReplaceBody(settings.rulesPerRuleset)),
    response: { 200: ReplaceResponse },
    requestHeaders: { ...IDEMPOTENT, ...matching("the rules") },
    responseHeaders: { ETag: { sometimes: "of the rules after the replacement; absent after a dry run" } },
    bodyExample: { rules: [{ ip: "203.0.113.0/24", name: "office" }] },
  };
  app.put(
    `${PATH}/rules`,
    { config: { ...WRITE_EDL, bodyBytes: settings.bulkBodyBytes }, schema },
    async (request, reply) => {
      findRuleset(request, services);
      const list = listOf(request, services);
      const desired = await list.read();
      // Other requests have run while the list was being read.
      const ruleset = findRuleset(request, services);
      const { rules, warnings } = await guardList(ruleset.about, desired.rules, services.publishing.sources);
      const { dry_run: isDry, allow_empty: allowEmpty, max_shrink: maxShrink } = request.query;
      const shrink = { allowEmpty, maxShrink };
      if (isDry === true)
        return {
          ...(await planRules(request, rules, services, { state: ifMatch(request), shrink })),
          ...list.leftOut(desired),
          ...warningsIn(warnings),
        };
      const { id, organisationId } = ruleset.about;
      const { isKept, ...counts } = await store.write({
        kind: "replace-rules",
        ...list.signed(),
        rulesetId: id,
        rules,
        shrink,
        ifMatch: ifMatch(request),
      });
      const after: LiveRuleset = memory.ruleset(organisationId, id) ?? ruleset;
      reply.header("etag", rulesetTag(after, request.now));
      return { ...counts, ...list.leftOut(desired), can_undo: isKept, dry_run: false, ...warningsIn(warnings) };
    },
  );
}

async function planRules(
  request: FastifyRequest,
  rules: DesiredList["rules"],
  { memory }: Services,
  { state, shrink }: { readonly state: IfMatch | undefined; readonly shrink: ShrinkLimits },
): Promise<object> {
  const { caller, now } = request;
  const id = rulesetId(request);
  const plan = await planCounted(() => memory.ruleset(caller.organisationId, id), rules, now);
  if (plan === undefined) throw noRuleset(request);
  if (state === undefined || state.versions.includes(stateOf(plan.ruleset.about)))
    return planDocument(request, plan.result, shrink);
  throw new Problem("precondition-failed", "the rules have changed since; fetch them again and send their ETag");
}

function planDocument(
  request: FastifyRequest,
  { counts, added, updated, removed, truncated, canUndo }: CountedPlan,
  shrink: ShrinkLimits,
): object {
  const [before, after] = [
    counts.removed + counts.updated + counts.unchanged,
    counts.added + counts.updated + counts.unchanged,
  ];
  const rejection = new ShrinkGuard(before, after, shrink).rejectionOf(counts);
  const plan = {
    added: added.map(ruleDocument),
    updated: updated.map(({ before, after }) => ({ before: ruleDocument(before), after: ruleDocument(after) })),
    removed: removed.map(ruleDocument),
    truncated,
  };
  return {
    ...counts,
    can_undo: canUndo,
    dry_run: true,
    refusal: rejection === undefined ? null : shrinkProblem(rejection).document(safePath(request.url), request.id),
    plan,
  };
}

function addImport(app: App, services: Services): void {
  const { store, settings } = services;
  const schema = {
    operationId: "importRules",
    summary: "Adds the rules of a list, all or nothing",
    tags,
    problems: [400, 404, 409, "collateral" as const, 412, 413, 415, 422],
    params,
    querystring: ImportQuery,
    body: listBody(ReplaceBody(settings.rulesPerRuleset)),
    response: { 200: ImportResponse },
    requestHeaders: { ...IDEMPOTENT, ...matching("the rules") },
    bodyExample: { rules: [{ ip: "203.0.113.0/24", name: "office" }] },
  };
  app.post(
    `${PATH}/rules::import`,
    { config: { ...WRITE_EDL, bodyBytes: settings.bulkBodyBytes }, schema },
    async (request) => {
      const ruleset = findRuleset(request, services);
      const mode = request.query.conflict_resolution ?? CONFLICT_MODES[0];
      const list = listOf(request, services);
      const desired = await list.read();
      const { rules, warnings } = await guardList(ruleset.about, desired.rules, services.publishing.sources);
      const { isKept, ...counts } = await store.write({
        kind: "import-rules",
        ...list.signed(),
        rulesetId: ruleset.about.id,
        rules,
        mode,
        ifMatch: ifMatch(request),
      });
      return { ...counts, ...list.leftOut(desired), can_undo: isKept, ...warningsIn(warnings) };
    },
  );
}

interface ListQuery extends Omit<RuleMembers, "ip"> {
  readonly skip_invalid?: boolean;
}

/** The list in a request, read according to its query. @throws Problem (400) */
function listOf(request: FastifyRequest, { settings }: Services) {
  const { now } = request;
  const query = request.query as ListQuery;
  const { skip_invalid: skipInvalid = false } = query;
  const options = {
    now,
    allowSpecialPurpose: settings.specialPurpose,
    maxRules: settings.rulesPerRuleset,
    setting: RULES_SETTING,
    skipInvalid,
    defaults: readDefaults(query, now),
  };
  const hash = createHash("sha256");
  const { body, signed } = signedList(request, listIn(request, { skipInvalid, hash }));
  return {
    /** Once the list has been read. */
    signed: () => ({ ...signed(), digest: hash.digest("hex") }),
    read: () => readDesiredList(body, options),
    /** What the response says about lines that were left out, and that count once. */
    leftOut: ({ invalid, invalidLines, repeated }: DesiredList): object => ({
      ...(repeated > 0 && { repeated }),
      ...(skipInvalid && { invalid, invalid_lines: invalidLines }),
    }),
  };
}
