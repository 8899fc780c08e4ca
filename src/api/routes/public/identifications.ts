import { randomUUID } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { Type } from "typebox";
import type { FastifyRequest } from "fastify";
import type { App } from "../../app-type.ts";
import { ArrivingBody } from "../../http/arriving-body.ts";
import {
  findIdentification,
  listIdentifications,
  removeIdentification,
} from "../../../service/processes/find-identification.ts";
import { type IdentificationState, stateOf } from "../../../service/logs/identification-state.ts";
import { ID_EXISTS } from "../../../service/logs/identifications.ts";
import { READ_CBS } from "../../operation.ts";
import { withBodies } from "../../plugins/bodies.ts";
import { notFound, Problem } from "../../problem.ts";
import { invalid } from "../../../service/service-error.ts";
import { isActivePlan } from "../../../service/access/plans.ts";
import { chooseRulesets } from "../../../service/logs/chosen-rulesets.ts";
import { readLine } from "../../../service/access/read-user.ts";
import {
  identificationDocument,
  IdentificationList,
  IdentificationParameters,
  IdentificationSchema,
  IdentifyQuery,
} from "../../schemas/identification.ts";
import type { Services } from "../../../service/services.ts";

const tags = ["Logs"];
const PATH = "/identifications";
const params = IdentificationParameters;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The declared media types; the first bytes of the body determine what it is. */
const LOG_TYPES = [
  "application/octet-stream",
  "text/plain",
  "application/gzip",
  "application/x-gzip",
  "application/zstd",
];

const FORGOTTEN = "the identification does not exist or has been deleted; upload the log again";

/** Logs that are uploaded to identify the services of their addresses. */
export function addIdentificationRoutes(app: App, services: Services): void {
  withBodies(app, { types: LOG_TYPES, isStream: true, areOnly: true }, (within) => addUpload(within, services));
  addReads(app, services);
}

function addUpload(app: App, services: Services): void {
  const { peers, memory, metrics } = services;
  const { identifications } = services.logs;
  const { catalogue } = services.data;
  const schema = {
    operationId: "identifyLog",
    summary: "Identifies the lines of a log during the upload; responds when all are done",
    description:
      "The body is the log, plain or compressed by gzip or zstd, of any length. A log that fails during the upload, such as a corrupt gzip file, gets 200 with the state failed, as does a slow upload that has to give way to another organisation's.",
    tags,
    problems: [400, 409, 415, 429, 503],
    querystring: IdentifyQuery,
    body: logBody(),
    response: { 200: IdentificationSchema },
  };
  app.post(PATH, { config: READ_CBS, schema }, async (request) => {
    const { id = randomUUID(), name = "log", format = "tsv", field, input, rulesets = "all" } = request.query;
    const body: unknown = request.body;
    if (!(body instanceof ArrivingBody))
      throw invalid({ body: ["is missing; send the log as application/octet-stream"] });
    const length = request.headers["content-length"];
    const owned = { organisationId: request.caller.organisationId, id: readId(id) };
    if ((await peers.ask("identification", owned)).some((found) => found !== null))
      throw new Problem("conflict", ID_EXISTS);
    const done = await identifications.run({
      ...owned,
      name: readLine("name", name),
      format,
      size: length === undefined ? null : Number(length),
      body,
      catalogue: catalogue.view(),
      networks: services.data.networks,
      field: field === undefined ? undefined : readLine("field", field),
      input,
      rulesets: chooseRulesets(rulesets, request.caller.organisationId, memory, request.now),
    });
    const { lines, no_address, matched } = done.log.summary();
    metrics.countLookups("cbs", lines - no_address, matched);
    if (done.log.outputError !== null)
      request.log.error({ request_id: request.id, err: done.log.outputError }, "the result of a log cannot be written");
    return documentOf(stateOf(done, identifications), services);
  });
}

/** A body of any of the types, which no schema describes. */
function logBody(): object {
  return { content: Object.fromEntries(LOG_TYPES.map((type) => [type, { schema: Type.Any() }])) };
}

function addReads(app: App, services: Services): void {
  const list = {
    operationId: "listIdentifications",
    summary: "The organisation's current and recent log identifications",
    tags,
    response: { 200: IdentificationList },
  };
  app.get(PATH, { config: READ_CBS, schema: list }, async ({ caller }) => {
    const found = await listIdentifications(caller.organisationId, services);
    const items = found.map((each) => documentOf(each, services));
    return { items, count: items.length };
  });

  const get = {
    operationId: "getIdentification",
    summary: "The progress and result of a log identification",
    tags,
    problems: [404],
    params,
    response: { 200: IdentificationSchema },
  };
  app.get(`${PATH}/:id`, { config: READ_CBS, schema: get }, async (request) =>
    documentOf(await find(request, services), services),
  );

  const result = {
    operationId: "getIdentificationResult",
    summary: "The result with a row for every line of the log, gzipped",
    tags,
    problems: [404, 409],
    params,
    response: { 200: Type.String() },
    otherTypes: ["application/gzip"],
    responseHeaders: { "Content-Disposition": "the name of a file" },
  };
  app.get(`${PATH}/:id/result`, { config: READ_CBS, schema: result }, async (request, reply) => {
    const { state, resultBytes, name, format, path } = await find(request, services);
    if (resultBytes === null)
      throw new Problem(
        "conflict",
        state === "running"
          ? "the log is still being identified"
          : "the log could not be identified, so there is no result",
      );
    const file = await openResult(path);
    reply.headers({
      "content-length": resultBytes,
      "content-disposition": `attachment; filename="${fileName(name, format)}"`,
    });
    return reply.type("application/gzip").send(file.createReadStream());
  });

  const remove = {
    operationId: "deleteIdentification",
    summary: "Cancels the identification of a log if it is running, and deletes it with its result",
    tags,
    problems: [404],
    params,
    response: { 204: Type.Null() },
  };
  app.delete(`${PATH}/:id`, { config: READ_CBS, schema: remove }, async (request, reply) => {
    await removeIdentification(await find(request, services), services);
    return reply.code(204).send();
  });
}

/** As it is shown now: a plan may have ended since. */
function documentOf(identification: IdentificationState, { memory, now }: Services) {
  const plan = memory.plan(identification.organisationId, "edl");
  return identificationDocument(identification, isActivePlan(plan, now()));
}

/** @throws Problem (404) if the file has been removed, by this server or by whatever clears the temporary folder */
async function openResult(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOENT" ? notFound(FORGOTTEN) : error;
  }
}

/** Rejects with Problem (404). */
async function find(request: FastifyRequest, services: Services): Promise<IdentificationState> {
  const { id } = request.params as { id: string };
  const { organisationId } = request.caller;
  const found = await findIdentification({ organisationId, id: id.toLowerCase() }, services);
  if (found !== undefined) return found;
  throw notFound(FORGOTTEN);
}

/** @throws Problem (400) */
function readId(text: string): string {
  const id = text.toLowerCase();
  if (UUID.test(id)) return id;
  throw invalid({ id: [`${JSON.stringify(text)} is not a UUID`] });
}

/** A name without special meaning for any file system, without the extensions of the uploaded file. */
function fileName(name: string, format: string): string {
  const stem = name
    .replace(/\.(gz|zst)$/i, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 100);
  return `${stem === "" ? "log" : stem}.identified.${format === "append" ? "log" : format}.gz`;
}
