import { comparePrefixes } from "../../../address/prefix.ts";
import type { Rule } from "../../../rulesets/rule.ts";
import { prefixesIn } from "../../../rulesets/rule-columns.ts";
import { type ListedColumns, RuleList } from "../../../rulesets/rule-list.ts";
import type { RuleFilter } from "../../../rulesets/index/rule-search.ts";
import type { App } from "../../app-type.ts";
import { signed } from "../../http/signed-request.ts";
import { type IfMatch, MATCHES_NOTHING } from "../../../store/if-match.ts";
import { type Ruleset, stateOf } from "../../../store/state.ts";
import { StoreError } from "../../../store/store-error.ts";
import { ifMatch } from "../../http/entity-tags.ts";
import { inSlices, turn } from "../../../turns/in-slices.ts";
import { WRITE_EDL } from "../../operation.ts";
import { Problem } from "../../problem.ts";
import { invalid } from "../../../service/service-error.ts";
import { warningsIn } from "../../../service/guards/collateral-documents.ts";
import { guardPrefixes } from "../../../service/guards/guard-writes.ts";
import { withoutLines } from "../../../service/rules/desired-rules.ts";
import { readPrefix } from "../../../service/rules/read-address.ts";
import { readTime } from "../../http/read-time.ts";
import { findRuleset } from "../../resources/find-ruleset.ts";
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
    problems: [400, 404, "collateral" as const, 412, 413, 415, 422],
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
    const { about: ruleset } = findRuleset(request, services);
    const filter = filterOf(request.query);
    const pages = (chosen: RuleFilter): Pages => readPages(ruleset, services, chosen, request.now);
    const { columns, matched } = await (action === "set_expiry"
      ? withExpiry(pages(filter), expiresAt)
      : without(pages({}), pages(filter)));
    const by = signed(request);
    const others = (): Problem =>
      new Problem(
        "precondition-failed",
        `${matched === 1 ? "1 rule matches" : `${matched} rules match`} the filter now, not ${count}; review them again`,
      );
    // A repeated request no longer matches what it has changed: the store knows its answer.
    if (matched !== count && by.idempotency === undefined) throw others();
    const own: IfMatch = matched === count ? { versions: [stateOf(ruleset)], rules: [], lists: [] } : MATCHES_NOTHING;
    const asked = matched === count ? ifMatch(request) : undefined;
    const about = { ...by, rulesetId: ruleset.id, ifMatch: asked ?? own, isOwnMatch: asked === undefined };
    const rules = columns.map(withoutLines);
    // A rule that had expired blocks again.
    const blocked =
      action === "set_expiry" ? await guardPrefixes(ruleset, prefixesIn(rules), services.publishing.sources) : [];
    const written = services.store.write(
      action === "set_expiry"
        ? { kind: "import-rules", ...about, rules, mode: "override" }
        : { kind: "replace-rules", ...about, rules, shrink: COUNTED },
    );
    await written.catch((error: unknown) => {
      throw matched !== count && error instanceof StoreError && error.code === "version-mismatch" ? others() : error;
    });
    return { count, ...warningsIn(blocked) };
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

type Pages = AsyncGenerator<readonly Rule[], void, undefined>;

/** All matching rules, in the order of prefixes, as of one version, each page in another turn. @throws Problem (404, 412) */
async function* readPages(
  ruleset: Ruleset,
  { memory, rules: { rows } }: Services,
  filter: RuleFilter,
  now: number,
): Pages {
  const { organisationId, id } = ruleset;
  for (let offset = 0; ; offset += AT_ONCE) {
    const page = await rows.get(() => memory.ruleset(organisationId, id), { filter, offset, limit: AT_ONCE }, now);
    if (page === undefined || stateOf(page.ruleset.about) !== stateOf(ruleset))
      throw new Problem("precondition-failed", "the rules have changed in the meantime; review them again");
    yield page.rules;
    if (page.rules.length < AT_ONCE) return;
    await turn();
  }
}

/** What is to be written, and how many rules match. */
interface Changed {
  readonly columns: readonly ListedColumns[];
  readonly matched: number;
}

/** The rules with another expiry. Columns from the start: a million objects would be copied in one turn. */
async function withExpiry(pages: Pages, expiresAt: number | null): Promise<Changed> {
  const list = new RuleList();
  let matched = 0;
  for await (const page of pages) for (const { prefix, name } of page) list.add({ prefix, name, expiresAt }, matched++);
  return { columns: await inSlices(list.inOrder(() => {})), matched };
}

/** The rules except those that match. Both are in the order of prefixes. */
async function without(all: Pages, matching: Pages): Promise<Changed> {
  const list = new RuleList();
  const removed = new Ahead(matching);
  await removed.read();
  for await (const page of all) {
    for (const rule of page) {
      if (!removed.isNext(rule)) list.add(rule, list.count);
      else if (removed.take()) await removed.read();
    }
  }
  return { columns: await inSlices(list.inOrder(() => {})), matched: removed.taken };
}

/** Rules in the order of prefixes, taken one by one. */
class Ahead {
  readonly #pages: Pages;
  #page: readonly Rule[] = [];
  #at = 0;
  taken = 0;

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  /** Reads the next page. */
  async read(): Promise<void> {
    const { value } = await this.#pages.next();
    [this.#page, this.#at] = [value ?? [], 0];
  }

  isNext({ prefix }: Rule): boolean {
    const next = this.#page[this.#at];
    return next !== undefined && comparePrefixes(prefix, next.prefix) === 0;
  }

  /** Takes the next one; true if that was the last one that has been read. */
  take(): boolean {
    this.taken++;
    return ++this.#at === this.#page.length;
  }
}
