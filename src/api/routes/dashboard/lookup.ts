import type { Prefix } from "../../../address/address.ts";
import { identify } from "../../../cbs/identify.ts";
import { type ExtendedCtiDocument, extendedDocumentOf } from "../../../cti/documents.ts";
import { isActive } from "../../../rulesets/rule.ts";
import type { Area, Purpose } from "../../../store/state.ts";
import type { App } from "../../app-type.ts";
import { decisionOf } from "../../../service/rules/decision.ts";
import { BY_USERS } from "../../operation.ts";
import { isActivePlan } from "../../../service/access/plans.ts";
import { readPrefix } from "../../../service/rules/read-address.ts";
import { Lookup, LookupQuery } from "../../schemas/lookup.ts";
import { rowDocument } from "../../schemas/row.ts";
import type { LiveRuleset } from "../../../service/store/service-memory.ts";
import type { Services } from "../../../service/services.ts";

/** Everything known about an address or prefix, in one response. */
export function addLookupRoutes(app: App, services: Services): void {
  const { memory, metrics } = services;
  const schema = {
    operationId: "lookup",
    summary: "What the catalogue, the organisation's rulesets and threat intelligence say about an address or prefix",
    description:
      "Areas without an active plan are empty: `cbs` and `cti` are null, `rulesets` is empty. `cti` is also null if no dataset is loaded.",
    tags: ["Lookup"],
    problems: [400],
    querystring: LookupQuery,
    response: { 200: Lookup },
  };
  app.get("/lookup", { config: BY_USERS, schema }, async (request) => {
    const {
      now,
      caller: { organisationId },
      query: { ip },
    } = request;
    const has = (area: Area): boolean => isActivePlan(memory.plan(organisationId, area), now);
    const prefix = readPrefix(ip);
    const cbs = has("cbs") ? await servicesOf(services, prefix, ip) : null;
    if (cbs !== null) metrics.countLookups("cbs", 1, cbs.found ? 1 : 0);
    const cti = has("cti") ? threatOf(services, prefix, ip) : null;
    const rulesets = has("edl")
      ? memory.rulesets(organisationId).map((ruleset) => rulesetLookup(ruleset, prefix, now))
      : [];
    const deciding = new Set(rulesets.filter(({ rule }) => rule !== null).map(({ purpose }) => purpose));
    return { ip, cbs, rulesets, decision: decisionOf(deciding), cti };
  });
}

async function servicesOf({ data: { catalogue, networks } }: Services, prefix: Prefix, ip: string) {
  await networks.open();
  const { catalogue: current } = catalogue.view();
  return { ...identify(current, prefix, ip), network: networks.view()?.networks.networkOf(prefix) ?? null };
}

interface RulesetLookup {
  readonly id: string;
  readonly name: string;
  readonly purpose: Purpose;
  readonly rule: object | null;
  readonly covering: readonly object[];
}

function rulesetLookup(
  { about: { id, name, purpose }, rules }: LiveRuleset,
  prefix: Prefix,
  now: number,
): RulesetLookup {
  const covering = rules.covering(prefix);
  const rule = covering.find((each) => isActive(each, now));
  return {
    id,
    name,
    purpose,
    rule: rule === undefined ? null : rowDocument(rule, now),
    covering: covering.map((each) => rowDocument(each, now)),
  };
}

/** What feeds say about the address, or about all of the prefix. */
function threatOf({ data: { threats }, metrics }: Services, prefix: Prefix, ip: string): ExtendedCtiDocument | null {
  if (threats.generation === 0) return null;
  const { dataset } = threats.view();
  const match = dataset.table.lookupPrefix(prefix);
  metrics.countLookups("cti", 1, match === 0 ? 0 : 1);
  return extendedDocumentOf(ip, match !== 0, dataset.recordOf(match));
}
