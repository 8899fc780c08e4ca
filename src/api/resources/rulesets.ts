import { type Static, Type } from "typebox";
import { classesInOrder } from "../../collateral/node-classes.ts";
import { RuleIndex } from "../../rulesets/index/rule-index.ts";
import { checkRulesetText } from "../../service/rules/read-rule.ts";
import { RULESET_FIELDS } from "../../service/rules/ruleset-fields.ts";
import type { LiveRuleset } from "../../service/store/service-memory.ts";
import { listTag, rulesetTag } from "../../service/rules/tags.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { matching, TAGGED } from "../openapi/documented-headers.ts";
import { READ_EDL, WRITE_EDL } from "../operation.ts";
import { rulesetId } from "./find-ruleset.ts";
import { Count, Id, named, NameText, optional, strict, Timestamp } from "../schemas/common.ts";
import { OwnGuardClasses } from "../schemas/guard.ts";
import { Purpose, RulesetParameters } from "../schemas/rule.ts";
import { schemasOf } from "./field-schemas.ts";
import { type Resource, ResourceRoutes } from "./resource.ts";

const fields = { ...schemasOf(RULESET_FIELDS), guard_classes: OwnGuardClasses };

const RulesetSchema = named(
  "Ruleset",
  Type.Object({
    id: Id,
    name: Type.String(),
    purpose: Purpose,
    ...fields,
    total_rules: Count,
    active_rules: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
const CreateBody = named(
  "CreateRulesetRequest",
  Type.Object({ name: NameText, purpose: Purpose, ...optional(fields) }, strict),
);
const UpdateBody = named(
  "UpdateRulesetRequest",
  Type.Object(optional({ name: NameText, ...fields }), { ...strict, minProperties: 1 }),
);

const rulesets: Resource<LiveRuleset, typeof RulesetSchema> = {
  name: "Ruleset",
  tags: ["IP rulesets"],
  path: "/edl/ip-rulesets",
  one: "/edl/ip-rulesets/:ruleset_id",
  params: RulesetParameters,
  read: READ_EDL,
  write: WRITE_EDL,
  called: "the ruleset",
  isMatched: true,
  document: RulesetSchema,
  documents: (some, { now }) =>
    some.map(({ about, rules }) => ({
      id: about.id,
      name: about.name,
      purpose: about.purpose,
      description: about.description,
      guard: about.guard,
      guard_classes: about.guardClasses ?? null,
      never_block: about.neverBlock,
      total_rules: rules.count,
      active_rules: rules.activeCount(now),
      created_at: formatTimestamp(about.createdAt),
      updated_at: formatTimestamp(about.updatedAt),
    })),
  row: ({ memory }, organisationId, id) => memory.ruleset(organisationId, id),
  unknown: (home) => `unknown ruleset; ${home} lists yours`,
};

export function addRulesetRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const routes = new ResourceRoutes(app, services, rulesets);
  routes.pages(
    {
      summary: "The rulesets of the organisation",
      query: { purpose: Type.Optional(Purpose) },
      responseHeaders: TAGGED,
    },
    ({ caller }, { purpose }) => memory.rulesets(caller.organisationId, purpose),
    ({ about }) => about,
    listTag,
  );
  routes.get({ summary: "A ruleset and how many rules it has", responseHeaders: TAGGED }, (ruleset, _document, now) =>
    rulesetTag(ruleset, now),
  );
  routes.create(
    {
      summary: "Creates a ruleset",
      requestHeaders: matching("the list of rulesets"),
      body: CreateBody,
      bodyExample: { name: "Offices", purpose: "allowlist" },
    },
    async ({ body, by }) => {
      const { name, purpose, description = "" } = body;
      const decided = decidedIn(body, purpose);
      const { ruleset } = await store.write({ kind: "create-ruleset", ...by, name, purpose, ...decided, description });
      // A repeated request may arrive after it has been deleted again.
      const { rules } = memory.ruleset(ruleset.organisationId, ruleset.id) ?? { rules: new RuleIndex() };
      return { row: { about: ruleset, rules } };
    },
  );
  routes.update(
    {
      summary: "Changes the given properties of a ruleset; the purpose cannot be changed",
      body: UpdateBody,
      bodyExample: { name: "Branch offices" },
    },
    async ({ about }, { request, body, by }) => {
      const decided = decidedIn(body, about.purpose);
      const { name } = body;
      const { ruleset } = await store.write({ kind: "update-ruleset", ...by, rulesetId: about.id, name, ...decided });
      return { ...routes.find(request), about: ruleset };
    },
  );
  routes.remove({ summary: "Deletes a ruleset with its rules" }, (_id, { request, by }) =>
    store.write({ kind: "delete-ruleset", ...by, rulesetId: rulesetId(request) }),
  );
}

/** What a body decides, as the store calls it. @throws ServiceError "invalid" */
function decidedIn(body: Static<typeof UpdateBody>, purpose: Static<typeof Purpose>) {
  checkRulesetText(body);
  const { description, guard, guard_classes: classes, never_block: neverBlock } = body;
  if (neverBlock === true && purpose !== "allowlist")
    throw invalid({ never_block: ["a blocklist blocks what it lists; mark an allowlist with the own networks"] });
  return { description, guard, guardClasses: classes && classesInOrder(classes), neverBlock };
}
