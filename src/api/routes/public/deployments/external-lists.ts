import { Type } from "typebox";
import type { FastifyRequest } from "fastify";
import { CONFLICT_MODES } from "../../../../rulesets/write-rule.ts";
import { readNewList, readListChanges } from "../../../../service/lists/read-list-definition.ts";
import { warningsIn } from "../../../../service/guards/collateral-documents.ts";
import { readDesiredList } from "../../../../service/rules/desired-rules.ts";
import { guardList } from "../../../../service/guards/guard-writes.ts";
import { checkRulesetText, readDefaults } from "../../../../service/rules/read-rule.ts";
import { invalid as invalidFields, ServiceError } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import type { ExternalList, ExternalListDefinition } from "../../../../store/records/external-list.ts";
import { RULES_SETTING } from "../../../../store/records/limit-settings.ts";
import type { App } from "../../../app-type.ts";
import { pageOfCreated } from "../../../http/page.ts";
import { signed } from "../../../http/signed-request.ts";
import { IDEMPOTENT } from "../../../openapi/documented-headers.ts";
import { READ_EDL, WRITE_EDL } from "../../../operation.ts";
import { notFound } from "../../../problem.ts";
import {
  CreateListBody,
  externalListDocument,
  ExternalListPage,
  ExternalListSchema,
  ListParameters,
  ListsQuery,
  RefreshListBody,
  UpdateListBody,
  WriteListBody,
  WrittenList,
} from "../../../schemas/external-list.ts";
import { EXAMPLE_ID } from "../../../schemas/rule.ts";

const tags = ["External lists"];
const PATH = "/edl/lists";
/** A colon separates the id from a verb. */
const ONE = `${PATH}/:list_id(^[^:]+)`;
const params = ListParameters;
const EXAMPLE = { name: "Example blocklist", url: "https://feeds.example.net/drop.txt", schedule: "60m" };

export function addExternalListRoutes(app: App, services: Services): void {
  addReads(app, services);
  addWrites(app, services);
  addRefresh(app, services);
  addWriting(app, services);
}

function addReads(app: App, services: Services): void {
  const { memory, settings } = services;
  const list = {
    operationId: "listExternalLists",
    summary: "The external lists of the organisation: lists that others publish at URLs",
    tags,
    problems: [400],
    querystring: ListsQuery,
    response: { 200: ExternalListPage },
  };
  app.get(`${PATH}/`, { config: READ_EDL, schema: list }, async (request) => {
    const all = memory.externalLists(request.caller.organisationId);
    const documentOf = await documentsOf(request, services);
    return pageOfCreated(request, settings, all, {
      aboutOf: (each) => each,
      documentsOf: async (some) => some.map(documentOf),
    });
  });

  const get = {
    operationId: "getExternalList",
    summary: "An external list: its state, the latest problem, and how it changed last",
    tags,
    problems: [404],
    params,
    response: { 200: ExternalListSchema },
  };
  app.get(ONE, { config: READ_EDL, schema: get }, async (request) => {
    const found = findExternalList(request, services);
    return (await documentsOf(request, services))(found);
  });
}

function addWrites(app: App, services: Services): void {
  const { store } = services;
  const create = {
    operationId: "createExternalList",
    summary: "Creates an external list; it is fetched within seconds",
    tags,
    problems: [400, 409, 413, 415, 422],
    body: CreateListBody,
    response: { 201: ExternalListSchema },
    requestHeaders: IDEMPOTENT,
    responseHeaders: { Location: "the path of the list" },
    bodyExample: EXAMPLE,
  };
  app.post(`${PATH}/`, { config: WRITE_EDL, schema: create }, async (request, reply) => {
    const { name, ...fields } = request.body;
    checkRulesetText({ name, description: fields.description });
    const definition = readNewList(fields as ExternalListDefinition);
    await services.externalLists.checkHost(definition.url);
    const { list } = await store.write({ kind: "create-list", ...signed(request), name, definition });
    return reply
      .code(201)
      .header("location", `${app.prefix}${PATH}/${list.id}`)
      .send(externalListDocument(list, { listId: list.id, checkedAt: null, dueAt: list.createdAt }) as never);
  });

  const update = {
    operationId: "updateExternalList",
    summary: "Changes the given properties of an external list, which is then fetched again",
    description: "With a URL on another host, protocol or port, the list loses its credentials.",
    tags,
    problems: [400, 404, 413, 415, 422],
    params,
    body: UpdateListBody,
    response: { 200: ExternalListSchema },
    requestHeaders: IDEMPOTENT,
    bodyExample: { schedule: "6h" },
  };
  app.patch(ONE, { config: WRITE_EDL, schema: update }, async (request) => {
    const { id: listId } = findExternalList(request, services);
    const { name, ...fields } = request.body;
    checkRulesetText({ name, description: fields.description });
    const definition = readListChanges(fields as Partial<ExternalListDefinition>);
    if (definition.url !== undefined) await services.externalLists.checkHost(definition.url);
    const { list } = await store.write({ kind: "update-list", ...signed(request), listId, name, definition });
    return (await documentsOf(request, services))(list);
  });

  const remove = {
    operationId: "deleteExternalList",
    summary: "Deletes an external list; deployments that use it keep what they have published",
    tags,
    problems: [404, 422],
    params,
    response: { 204: Type.Null() },
    requestHeaders: IDEMPOTENT,
  };
  app.delete(ONE, { config: WRITE_EDL, schema: remove }, async (request, reply) => {
    // It need not be in memory: for a repeated request it is already gone, and the first response is returned.
    await store.write({ kind: "delete-list", ...signed(request), listId: idIn(request) });
    return reply.code(204).send();
  });
}

function addRefresh(app: App, services: Services): void {
  const schema = {
    operationId: "refreshExternalList",
    summary: "Fetches the list now; the response reports the outcome",
    description: "It takes as long as the host needs to respond, at most a minute.",
    tags,
    problems: [400, 404, 409, 413, 415],
    params,
    body: RefreshListBody,
    response: { 200: ExternalListSchema },
    bodyExample: { accept: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" },
  };
  app.post(`${ONE}::refresh`, { config: WRITE_EDL, schema }, async (request) => {
    const found = findExternalList(request, services);
    const list = await services.externalLists.refresh(found, request.body.accept ?? null);
    return (await documentsOf(request, services))(list);
  });
}

function addWriting(app: App, services: Services): void {
  const { store, memory } = services;
  const schema = {
    operationId: "writeExternalList",
    summary:
      "Writes the last good content of the list into a ruleset, as rules that expire and are named after the list",
    tags,
    problems: [400, 404, 409, 413, 415, 422],
    params,
    body: WriteListBody,
    response: { 200: WrittenList },
    requestHeaders: IDEMPOTENT,
    bodyExample: { ruleset_id: EXAMPLE_ID, expires_in_days: 7 },
  };
  app.post(`${ONE}::write`, { config: WRITE_EDL, schema }, async (request) => {
    const list = findExternalList(request, services);
    const { ruleset_id: id, expires_in_days, conflict_resolution: mode = CONFLICT_MODES[0] } = request.body;
    const rulesetId = id.toLowerCase();
    const ruleset = memory.ruleset(request.caller.organisationId, rulesetId);
    if (ruleset === undefined) throw invalidFields({ ruleset_id: [`unknown ruleset ${rulesetId}`] });
    const read = await rulesOf(list, { name: list.name, expires_in_days }, request, services);
    const { rules, warnings } = await guardList(ruleset.about, read.rules, services);
    const digest = Buffer.from(list.content!.digest, "base64url").toString("hex");
    const about = { ...signed(request), rulesetId, rules, mode: mode as (typeof CONFLICT_MODES)[number], digest };
    const { isKept, ...counts } = await store.write({ kind: "import-rules", ...about });
    return { ...counts, invalid: read.invalid, can_undo: isKept, ...warningsIn(warnings) };
  });
}

/** Rejects with ServiceError "conflict" for a list without content. */
async function rulesOf(
  list: ExternalList,
  members: { readonly name: string; readonly expires_in_days: number },
  { now }: FastifyRequest,
  { externalLists, settings }: Services,
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

/** The list in the path, if it is the organisation's. @throws Problem (404) */
export function findExternalList(request: FastifyRequest, { memory }: Services): ExternalList {
  const list = memory.externalList(request.caller.organisationId, idIn(request));
  if (list !== undefined) return list;
  throw notFound(`unknown external list; ${request.server.prefix}${PATH}/ lists yours`);
}

function idIn(request: FastifyRequest): string {
  return (request.params as { list_id: string }).list_id.toLowerCase();
}

/** Makes documents of the organisation's lists, with when they were fetched. O(its lists). */
export async function documentsOf(
  request: FastifyRequest,
  { store }: Services,
): Promise<(list: ExternalList) => Record<string, unknown>> {
  const checks = await store.read("listChecks", request.caller.organisationId);
  const byId = new Map(checks.map((check) => [check.listId, check]));
  return (list) => externalListDocument(list, byId.get(list.id));
}
