import type { FastifyRequest } from "fastify";
import { ruleDocument } from "../../../../formats/rule-document.ts";
import { type PlannedCompaction, planCompaction } from "../../../../service/rules/compact-rules.ts";
import { redundantDocument } from "../../../../service/rules/redundant-document.ts";
import { rulesetTag } from "../../../../service/rules/tags.ts";
import { ServiceError } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import { type IfMatch, MATCHES_NOTHING } from "../../../../store/if-match.ts";
import { StoreError } from "../../../../store/store-error.ts";
import type { App } from "../../../app-type.ts";
import { ifMatch } from "../../../http/entity-tags.ts";
import { signed } from "../../../http/signed-request.ts";
import { IDEMPOTENT, matching } from "../../../openapi/documented-headers.ts";
import { WRITE_EDL } from "../../../operation.ts";
import { Problem } from "../../../problem.ts";
import { CompactQuery, CompactResponse, RulesetParameters } from "../../../schemas/rule.ts";
import { findRuleset, noRuleset, rulesetId } from "../../../resources/find-ruleset.ts";

/** A ruleset that others change while it is compacted is planned again this many times. */
const MAX_TRIES = 5;
/** No address loses its cover, so it does not matter how many rules go. */
const ANY_SHRINK = { allowEmpty: undefined, maxShrink: 100 };

/** Fewer rules for the same addresses, as one change. */
export function addCompactRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "compactRules",
    summary: "Removes redundant rules and unites adjacent ones, as one change",
    description:
      "The same addresses stay covered at every moment. A rule is removed if an active rule that covers it expires no earlier, whatever their names. Two adjacent halves of a prefix become one rule if they expire at the same moment and have the same name; this is repeated as often as possible. Which rule decides about an address can change, and with it the name. " +
      "Expired rules are kept unless an active one covers them. With dry_run the response lists what would change, and until when each redundant rule is redundant, and nothing is written. It is recorded as a replacement of the rules (replace-rules), and undone like one. It runs again if the rules change meanwhile; after several such attempts the response is 503, and the request can be repeated.",
    tags: ["IP rulesets"],
    problems: [400, 404, 409, 412, 422],
    params: RulesetParameters,
    querystring: CompactQuery,
    response: { 200: CompactResponse },
    requestHeaders: { ...IDEMPOTENT, ...matching("the rules") },
    responseHeaders: { ETag: { sometimes: "of the rules afterwards; absent after a dry run" } },
  };
  app.post(
    "/edl/ip-rulesets/:ruleset_id/rules::compact",
    { config: WRITE_EDL, schema },
    async (request, reply): Promise<object> => {
      const { dry_run: isDry = false, ignore_names: ignoreNames = false } = request.query;
      const by = signed(request);
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const planned = await plannedFor(request, services, ignoreNames);
        const isAsked = ifMatch(request)?.versions.includes(planned.state) ?? true;
        // A repeated request requires what it changed the first time: the store knows its answer.
        if (!isAsked && (isDry || by.idempotency === undefined)) throw changedSince();
        if (isDry) return planDocument(planned);
        try {
          const counts = await writePlanned(by, rulesetId(request), services, planned, isAsked);
          reply.header("etag", rulesetTag(findRuleset(request, services), request.now));
          return counts;
        } catch (error) {
          const isOutdated = error instanceof StoreError && error.code === "version-mismatch";
          if (!isOutdated) throw error;
          if (ifMatch(request) !== undefined) throw changedSince();
        }
      }
      throw new ServiceError("unavailable", "others change the rules all the time; try again in 1 s", {
        retryAfter: 1,
      });
    },
  );
}

/** @throws Problem (404) */
async function plannedFor(
  request: FastifyRequest,
  services: Services,
  ignoreNames: boolean,
): Promise<PlannedCompaction> {
  const { about } = findRuleset(request, services);
  const current = () => services.memory.ruleset(about.organisationId, about.id);
  const planned = await planCompaction(current, request.now, { ignoreNames });
  if (planned === undefined) throw noRuleset(request);
  return planned;
}

function changedSince(): Problem {
  return new Problem("precondition-failed", "the rules have changed since; fetch them again and send their ETag");
}

async function writePlanned(
  by: ReturnType<typeof signed>,
  id: string,
  { store }: Services,
  { state, rules, compaction }: PlannedCompaction,
  isAsked: boolean,
): Promise<object> {
  const onlyThen: IfMatch = { versions: [state], rules: [], lists: [] };
  const { isKept, about, ...counts } = await store.write({
    kind: "replace-rules",
    ...by,
    rulesetId: id,
    rules,
    shrink: ANY_SHRINK,
    ifMatch: isAsked ? onlyThen : MATCHES_NOTHING,
    isOwnMatch: true,
    about: foundIn(compaction),
  });
  return { ...counts, ...about, can_undo: isKept, dry_run: false };
}

function planDocument({ compaction, plan }: PlannedCompaction): object {
  const { counts, added, updated, removed, truncated, canUndo } = plan;
  return {
    ...counts,
    ...foundIn(compaction),
    can_undo: canUndo,
    dry_run: true,
    plan: {
      added: added.map(ruleDocument),
      updated: updated.map(({ before, after }) => ({ before: ruleDocument(before), after: ruleDocument(after) })),
      removed: removed.map(ruleDocument),
      redundant: compaction.redundant.map(redundantDocument),
      truncated: truncated || compaction.superfluous + compaction.superfluousForNow > compaction.redundant.length,
    },
  };
}

function foundIn({ superfluous, superfluousForNow, united }: PlannedCompaction["compaction"]): Record<string, number> {
  return { superfluous, superfluous_for_now: superfluousForNow, united };
}
