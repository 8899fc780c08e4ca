import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { MAX_EXPIRY_DAYS } from "../../rulesets/validate-rule.ts";
import { CONFLICT_MODES } from "../../rulesets/write-rule.ts";
import { warningsIn } from "../../service/guards/collateral-documents.ts";
import { readDesiredList } from "../../service/rules/desired-rules.ts";
import { guardList } from "../../service/guards/guard-writes.ts";
import { readDefaults } from "../../service/rules/read-rule.ts";
import { invalid, ServiceError } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import type { ExternalList } from "../../store/records/external-list.ts";
import { RULES_SETTING } from "../../store/records/limit-settings.ts";
import type { App } from "../app-type.ts";
import { signed } from "../http/signed-request.ts";
import { IDEMPOTENT } from "../openapi/documented-headers.ts";
import { WRITE_EDL } from "../operation.ts";
import { warnings } from "../schemas/collateral.ts";
import { Count, named, strict } from "../schemas/common.ts";
import { EXAMPLE_ID } from "../schemas/rule.ts";
import { externalLists } from "./external-lists.ts";
import { findIn } from "./resource.ts";

const WriteListBody = named(
  "WriteExternalListRequest",
  Type.Object(
    {
      ruleset_id: Type.String({ format: "uuid", description: "where to write its entries as rules" }),
      expires_in_days: Type.Integer({
        minimum: 1,
        maximum: MAX_EXPIRY_DAYS,
        description: "when the rules expire, unless they are written again",
      }),
      conflict_resolution: Type.Optional(
        Type.Enum([...CONFLICT_MODES], {
          default: CONFLICT_MODES[0],
          description: "what to do if a rule for the prefix already exists",
        }),
      ),
    },
    strict,
  ),
);
const WrittenList = named(
  "WrittenExternalList",
  Type.Object({
    created: Count,
    updated: Count,
    skipped: Type.Integer({ minimum: 0, description: "rules that are unchanged" }),
    invalid: Type.Integer({ minimum: 0, description: "entries that no rule may have: special-purpose addresses" }),
    can_undo: Type.Boolean(),
    ...warnings,
  }),
);

/** Writing lists into rulesets. */
export function addListWritingRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const schema = {
    operationId: "writeExternalList",
    summary:
      "Writes the last good content of the list into a ruleset, as rules that expire and are named after the list",
    tags: externalLists.tags,
    problems: [400, 404, 409, 413, 415, 422],
    params: externalLists.params,
    body: WriteListBody,
    response: { 200: WrittenList },
    requestHeaders: IDEMPOTENT,
    bodyExample: { ruleset_id: EXAMPLE_ID, expires_in_days: 7 },
  };
  app.post(`${externalLists.one}::write`, { config: WRITE_EDL, schema }, async (request) => {
    const list = findIn(externalLists, request, services);
    const { ruleset_id: id, expires_in_days, conflict_resolution: mode = CONFLICT_MODES[0] } = request.body;
    const rulesetId = id.toLowerCase();
    const ruleset = memory.ruleset(request.caller.organisationId, rulesetId);
    if (ruleset === undefined) throw invalid({ ruleset_id: [`unknown ruleset ${rulesetId}`] });
    const read = await rulesOf(list, { name: list.name, expires_in_days }, request, services);
    const { rules, warnings } = await guardList(ruleset.about, read.rules, services.publishing.sources);
    const digest = Buffer.from(list.content!.digest, "base64url").toString("hex");
    const about = { ...signed(request), rulesetId, rules, mode, digest };
    const { isKept, ...counts } = await store.write({ kind: "import-rules", ...about });
    return { ...counts, invalid: read.invalid, can_undo: isKept, ...warningsIn(warnings) };
  });
}

/** Rejects with ServiceError "conflict" for a list without content. */
async function rulesOf(
  list: ExternalList,
  members: { readonly name: string; readonly expires_in_days: number },
  { now }: FastifyRequest,
  { data: { externalLists }, settings }: Services,
) {
  const text = await externalLists.contentOf(list);
  if (text === null) throw new ServiceError("conflict", "the list has never been fetched; its `problem` says why");
  const lines = async function* (): AsyncGenerator<string> {
    yield text[4].toString("latin1");
    yield text[6].toString("latin1");
  };
  return readDesiredList(
    { format: "text", text: lines() },
    {
      now,
      allowSpecialPurpose: settings.specialPurpose,
      maxRules: settings.rulesPerRuleset,
      setting: RULES_SETTING,
      skipInvalid: true,
      defaults: readDefaults(members, now),
    },
  );
}
