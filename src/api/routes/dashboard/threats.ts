import { Type } from "typebox";
import type { CtiDataset } from "../../../cti/dataset.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import { readLine } from "../../../service/access/read-user.ts";
import { datasetRejection } from "../../../service/datasets/dataset-access.ts";
import type { FeedImport } from "../../../service/datasets/feed-imports.ts";
import { newest } from "../../../service/processes/newest.ts";
import type { Services } from "../../../service/services.ts";
import { invalid } from "../../../service/service-error.ts";
import type { App } from "../../app-type.ts";
import { ArrivingBody } from "../../http/arriving-body.ts";
import { BY_ADMINS, READ_CTI } from "../../operation.ts";
import { withBodies } from "../../plugins/bodies.ts";
import { Problem } from "../../problem.ts";
import { FeedImportSchema, ImportFeedQuery, ThreatsSchema } from "../../schemas/threats.ts";

const PATH = "/threats/import";
const tags = ["Threat intelligence"];
/** The declared media types; the first bytes of the body determine what it is. */
const FEED_TYPES = [
  "application/octet-stream",
  "text/plain",
  "text/csv",
  "application/x-ndjson",
  "application/gzip",
  "application/x-gzip",
  "application/zstd",
];
const DAY = 86_400_000;
/** Feeds change daily: within a week, an address may have changed owners. */
const OLD_AFTER_DAYS = 7;

/** The threat intelligence of the server: what it is, and how admins replace it with a feed. */
export function addThreatRoutes(app: App, services: Services): void {
  addAbout(app, services);
  addImportState(app, services);
  withBodies(app, { types: FEED_TYPES, isStream: true, areOnly: true }, (within) => addImport(within, services));
}

function addAbout(app: App, { data: { threats }, now }: Services): void {
  const schema = {
    operationId: "getThreatDataset",
    summary: "The feeds of the threat intelligence and their age",
    tags,
    response: { 200: ThreatsSchema },
  };
  app.get("/threats", { config: READ_CTI, schema }, () => ({
    dataset: threats.generation === 0 ? null : datasetDocument(threats.view().dataset, now()),
  }));
}

function datasetDocument({ metadata, table, documentCount }: CtiDataset, now: number) {
  const { title, createdAt, sources } = metadata;
  const ageDays = Math.max(0, Math.floor((now - Date.parse(createdAt)) / DAY));
  return {
    title,
    created_at: createdAt,
    age_days: ageDays,
    is_old: ageDays > OLD_AFTER_DAYS,
    ipv4_prefixes: table.prefixCount(4),
    ipv6_prefixes: table.prefixCount(6),
    documents: documentCount,
    sources: sources.map(({ name, entries }) => ({ name, entries })),
  };
}

function addImportState(app: App, services: Services): void {
  const { peers } = services;
  const { feedImports } = services.data;
  const read = {
    operationId: "getFeedImport",
    summary: "Whether feeds can be imported here, and the state of the current or last import",
    tags,
    response: { 200: FeedImportSchema },
  };
  app.get(PATH, { config: BY_ADMINS, schema: read }, async ({ caller }) =>
    stateDocument(services, caller.organisationId),
  );

  const cancel = {
    operationId: "cancelFeedImport",
    summary: "Cancels the running import; the previous dataset stays in use",
    tags,
    problems: [409],
    response: { 204: Type.Null() },
  };
  app.delete(PATH, { config: BY_ADMINS, schema: cancel }, async ({ caller }, reply) => {
    checkAccess(services, caller.organisationId);
    const areCancelled = [await feedImports.cancel(), ...(await peers.ask("cancelFeedImport", null))];
    if (!areCancelled.includes(true)) throw new Problem("conflict", "no feed is being imported");
    return reply.code(204).send();
  });
}

function addImport(app: App, services: Services): void {
  const { feedImports } = services.data;
  const schema = {
    operationId: "importFeed",
    summary: "Replaces the threat intelligence with a feed; responds when it is in use",
    description:
      "The body is the feed, plain or compressed by gzip or zstd: a list with one address or prefix per line, CSV with a header, or NDJSON. Lines that cannot be read are reported, and reject the feed unless skip_invalid is true. If a feed is rejected or fails, the previous dataset stays in use; getFeedImport reports its progress. One runs at a time.",
    tags,
    problems: [400, "conflict", "dataset-shrinks", 413, 415, 429, 503] as const,
    querystring: ImportFeedQuery,
    body: { content: Object.fromEntries(FEED_TYPES.map((type) => [type, { schema: Type.Any() }])) },
    response: { 200: FeedImportSchema },
  };
  app.post(PATH, { config: BY_ADMINS, schema }, async (request) => {
    const { organisationId, id } = request.caller;
    checkAccess(services, organisationId);
    const {
      name = "feed",
      format,
      classification,
      tags: tagList = "",
      max_shrink: maxShrink,
      skip_invalid: skipInvalid,
    } = request.query;
    const body: unknown = request.body;
    if (!(body instanceof ArrivingBody))
      throw invalid({ body: ["is missing; send the feed as application/octet-stream"] });
    const length = request.headers["content-length"];
    await feedImports.run({
      organisationId,
      startedBy: id,
      source: readLine("name", name),
      size: length === undefined ? null : Number(length),
      body,
      format,
      classification,
      tags: readTags(tagList),
      maxShrink,
      skipInvalid,
    });
    return stateDocument(services, organisationId);
  });
}

function readTags(text: string): string[] {
  const line = text === "" ? "" : readLine("tags", text);
  return line
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

const WHAT = "the threat intelligence";

/** @throws Problem (403) */
function checkAccess(services: Services, organisationId: string): void {
  const rejection = datasetRejection(services, organisationId, WHAT);
  if (rejection !== undefined) throw new Problem("permission-denied", rejection);
}

async function stateDocument(services: Services, organisationId: string) {
  const { peers, memory, settings } = services;
  const { feedImports } = services.data;
  const rejection = datasetRejection(services, organisationId, WHAT);
  const unusable = feedImports.isPossible
    ? undefined
    : "this server uses the dataset given by --cti, which imports do not change; start it without --cti to import feeds here";
  const last =
    rejection === undefined ? newest([feedImports.last, ...(await peers.ask("feedImport", null))]) : undefined;
  const startedBy = last === undefined ? null : (memory.user(organisationId, last.startedBy)?.name ?? null);
  return {
    can_import: rejection === undefined && unusable === undefined,
    reason: rejection ?? unusable ?? null,
    max_bytes: settings.feedBytes,
    last: last === undefined ? null : lastDocument(last, startedBy),
  };
}

function lastDocument(last: FeedImport, startedBy: string | null) {
  const { source, endedAt, startedAt, error, phase, size, received, compiled, lines, digest, report } = last;
  const [feed] = report?.feeds ?? [];
  const { dataset = null, replaced = null, refusal = null } = report ?? {};
  return {
    name: source,
    state: endedAt === null ? ("running" as const) : error === null ? ("done" as const) : ("failed" as const),
    phase,
    started_by: startedBy,
    started_at: formatTimestamp(startedAt),
    ended_at: endedAt === null ? null : formatTimestamp(endedAt),
    size,
    received,
    compiled,
    lines: feed?.lines ?? lines,
    sha256: digest,
    error,
    result: feed === undefined ? null : resultDocument(feed),
    dataset: dataset && {
      created_at: dataset.createdAt,
      ipv4_prefixes: dataset.ipv4,
      ipv6_prefixes: dataset.ipv6,
      documents: dataset.documents,
    },
    changes: replaced && {
      total_prefixes: replaced.prefixes,
      added: replaced.added,
      removed: replaced.removed,
      kept: replaced.kept,
    },
    refused_percent: refusal?.removedPercent ?? null,
  };
}

function resultDocument({
  lines,
  entries,
  skipped,
  skippedLines,
  warnings,
}: NonNullable<FeedImport["report"]>["feeds"][0]) {
  return {
    lines,
    entries,
    skipped,
    skipped_lines: skippedLines.map(({ line, column, message }) => ({ line, column, message })),
    warnings: warnings.map(({ message, count, line }) => ({ message, count, first_line: line })),
  };
}
