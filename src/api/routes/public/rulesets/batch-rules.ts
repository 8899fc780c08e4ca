import { formatPrefix } from "../../../../address/prefix.ts";
import type { BatchItem, BatchResult } from "../../../../store/command.ts";
import { StoreError } from "../../../../store/store-error.ts";
import type { App } from "../../../app-type.ts";
import { signed } from "../../../http/signed-request.ts";
import { joined } from "../../../../service/encoded.ts";
import { ifMatch } from "../../../http/entity-tags.ts";
import { inSlices, Slice } from "../../../../turns/in-slices.ts";
import type { AddRequest } from "../../../../rulesets/write-rule.ts";
import type { Ruleset } from "../../../../store/state.ts";
import { type CollateralDocument, warningsIn } from "../../../../service/guards/collateral-documents.ts";
import { guardPrefixes } from "../../../../service/guards/guard-writes.ts";
import { rulesBytes, WRITE_EDL } from "../../../operation.ts";
import type { BodyList } from "../../../plugins/validation.ts";
import { Problem } from "../../../problem.ts";
import { type FieldErrors, invalid, ServiceError } from "../../../../service/service-error.ts";
import { readPrefix } from "../../../../service/rules/read-address.ts";
import { readRule, type RuleMembers } from "../../../../service/rules/read-rule.ts";
import { MAX_AT_ONCE, streamJson } from "../../../http/reply.ts";
import { BatchBody, BatchResponse, RulesetParameters } from "../../../schemas/rule.ts";
import { ruleDocument } from "../../../../formats/rule-document.ts";
import type { Services } from "../../../../service/services.ts";
import { IDEMPOTENT, matching } from "../../../openapi/documented-headers.ts";
import { findRuleset } from "../../../resources/find-ruleset.ts";

export function addBatchRoutes(app: App, services: Services): void {
  const { store, settings } = services;
  const batch = {
    operationId: "batchRules",
    summary: "Adds and deletes many rules, in their order",
    description:
      "All or nothing unless `atomic` is false. An item fails if its rule exists and it says `fail`, if there is no rule to delete and it says `fail`, or if the ruleset is full. If one fails, the response is 409: its `results` give the reason for each failed item and show that " +
      "the others were not applied. Malformed items are a 400. With `atomic: false` the response is 200, even if items failed or are malformed.",
    tags: ["IP rulesets"],
    problems: [400, 404, 409, "collateral" as const, 412, 413, 415, 422],
    params: RulesetParameters,
    body: BatchBody(settings.bulkAddresses),
    response: { 200: BatchResponse },
    requestHeaders: { ...IDEMPOTENT, ...matching("the rules") },
    bodyExample: {
      items: [
        { op: "add", ip: "203.0.113.0/24", name: "office" },
        { op: "delete", ip: "198.51.100.7" },
      ],
    },
  };
  app.post(
    "/edl/ip-rulesets/:ruleset_id/rules::batch",
    { config: { ...WRITE_EDL, bodyBytes: rulesBytes(settings) }, schema: batch },
    async (request, reply) => {
      const { about } = findRuleset(request, services);
      const { atomic = true } = request.body;
      const read = await inSlices(
        readItems(request.body.items, request.route.config.list!, {
          now: request.now,
          allowSpecialPurpose: settings.specialPurpose,
        }),
      );
      if (atomic) checkItems(read);
      const { items, warnings } = await guardItems(about, read, atomic, services);
      try {
        const { results } = await store.write({
          kind: "batch-rules",
          ...signed(request),
          rulesetId: about.id,
          items: items.filter(isReadable),
          atomic,
          ifMatch: ifMatch(request),
        });
        const documents = resultDocuments(items, results);
        return items.length <= MAX_AT_ONCE
          ? { results: [...documents], ...warningsIn(warnings) }
          : streamJson(reply, joined(resultTexts(documents, warnings)));
      } catch (error) {
        if (!(error instanceof StoreError) || error.results === undefined) throw error;
        const results = error.results.values().map(resultDocument);
        const isShort = error.results.length <= MAX_AT_ONCE;
        throw new Problem(
          "conflict",
          error.message,
          isShort ? { extensions: { results: [...results] } } : { list: { name: "results", items: results } },
        );
      }
    },
  );
}

/** An item that cannot be read: what it has as its address, and the errors by property. */
interface MalformedItem {
  readonly ip: string;
  readonly errors: FieldErrors;
}

type ReadItem = BatchItem | MalformedItem;
type ItemMembers =
  | { readonly op: "delete"; readonly ip: string; readonly missing?: "ignore" | "fail" }
  | ({ readonly op: "add" } & RuleMembers);

function isReadable(item: ReadItem): item is BatchItem {
  return !("errors" in item);
}

/** Items read before others may have their turn: some hundred microseconds. */
const READ_AT_ONCE = 200;

function* readItems(
  items: readonly unknown[],
  list: BodyList,
  options: { readonly now: number; readonly allowSpecialPurpose: boolean },
): Generator<undefined, ReadItem[], undefined> {
  const read: ReadItem[] = [];
  for (const item of items) {
    if (read.length % READ_AT_ONCE === READ_AT_ONCE - 1) yield;
    const errors = list.errorsOf([item], 0, "");
    read.push(
      errors === undefined ? readItem(item as ItemMembers, options) : { ip: ipOf(item), errors: withoutIndex(errors) },
    );
  }
  return read;
}

function readItem(
  item: ItemMembers,
  options: { readonly now: number; readonly allowSpecialPurpose: boolean },
): ReadItem {
  try {
    return item.op === "delete"
      ? { delete: readPrefix(item.ip), mustExist: item.missing === "fail" }
      : { add: readRule(item, options) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ip: ipOf(item), errors: error.fields! };
  }
}

/**
 * Rejects a batch that would block something protected, if the guard of the ruleset does; of a batch that is not atomic
 * only the items that would.
 */
async function guardItems(
  about: Ruleset,
  items: readonly ReadItem[],
  atomic: boolean,
  services: Services,
): Promise<{ readonly items: readonly ReadItem[]; readonly warnings: readonly CollateralDocument[] }> {
  const added = items.flatMap((item) => (isReadable(item) && "add" in item ? [item.add.prefix] : []));
  try {
    return { items, warnings: await guardPrefixes(about, added, services.publishing.sources) };
  } catch (error) {
    if (atomic || !isCollateral(error)) throw error;
  }
  const slice = new Slice();
  const guarded: ReadItem[] = [];
  for (const item of items) {
    await slice.pause();
    guarded.push(isReadable(item) && "add" in item ? await guardItem(about, item, services) : item);
  }
  return { items: guarded, warnings: [] };
}

async function guardItem(
  about: Ruleset,
  item: BatchItem & { readonly add: AddRequest },
  services: Services,
): Promise<ReadItem> {
  try {
    await guardPrefixes(about, [item.add.prefix], services.publishing.sources);
    return item;
  } catch (error) {
    if (!isCollateral(error)) throw error;
    return { ip: formatPrefix(item.add.prefix), errors: { ip: [error.message] } };
  }
}

function isCollateral(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === "collateral";
}

/** What a malformed item has as its address, cut to the maximum length of one. */
function ipOf(item: unknown): string {
  const { ip } = (item ?? {}) as { ip?: unknown };
  return typeof ip === "string" ? ip.slice(0, MAX_ADDRESS) : "";
}

const MAX_ADDRESS = 100;

/** `[0].ip` as `ip`, and `[0]` as `item`. */
function withoutIndex(errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [field.replace(/^\[0\]\.?/, "") || "item", messages]),
  );
}

/** Maximum malformed items that are named. */
const MAX_NAMED = 200;

/** @throws Problem (400) that names the first malformed items, and how many there are */
function checkItems(items: readonly ReadItem[]): void {
  const malformed = [...items.entries()].flatMap(([index, item]) => (isReadable(item) ? [] : [{ index, ...item }]));
  if (malformed.length === 0) return;
  const errors = malformed
    .slice(0, MAX_NAMED)
    .flatMap(({ index, errors }) =>
      Object.entries(errors).map(([field, messages]) => [
        field === "item" ? `items[${index}]` : `items[${index}].${field}`,
        messages,
      ]),
    );
  if (malformed.length > MAX_NAMED)
    errors.push(["items", [`${malformed.length} items are malformed; the first ${MAX_NAMED} are named`]]);
  throw invalid(Object.fromEntries(errors));
}

/** The documents of all items, by the schema `BatchResponse`; `results` are those of the readable ones. */
function* resultDocuments(items: readonly ReadItem[], results: readonly BatchResult[]): Generator<object> {
  let at = 0;
  for (const item of items) yield isReadable(item) ? resultDocument(results[at++]!) : malformedDocument(item);
}

function* resultTexts(documents: Iterable<object>, warnings: readonly CollateralDocument[]): Generator<string> {
  let start = '{"results":[';
  for (const document of documents) {
    yield start + JSON.stringify(document);
    start = ",";
  }
  yield warnings.length === 0 ? "]}" : `],"warnings":${JSON.stringify(warnings)}}`;
}

function malformedDocument({ ip, errors }: MalformedItem): object {
  return { action: "invalid", ip, error: invalid(errors).message, validation_errors: errors };
}

function resultDocument(result: BatchResult): object {
  const error = result.error === undefined ? {} : { error: result.error };
  if ("rule" in result)
    return { action: result.action, ip: formatPrefix(result.rule.prefix), rule: ruleDocument(result.rule), ...error };
  return { action: result.action, ip: formatPrefix(result.prefix), ...error };
}
