import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type FeedFile, fileName, filesOf, partsOf, unprocessableOf } from "../../service/deployments/feed-files.ts";
import { hasTimes } from "../../service/deployments/feed-times.ts";
import type { Services } from "../../service/services.ts";
import type { Deployment, PullLog } from "../../store/records/deployment.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { baseOf } from "../http/page.ts";
import { READ_EDL } from "../operation.ts";
import { Problem } from "../problem.ts";
import { blockedDocument, BlockedList } from "../schemas/blocked.ts";
import { Count, type DocumentOf, Id, named, NullableTimestamp, Timestamp } from "../schemas/common.ts";
import { deployments, fields, Frequency, listMembers } from "./deployments.ts";
import { findIn, idIn } from "./resource.ts";

const Urls = Type.Array(Type.String({ format: "uri" }));
const DeploymentUrls = named(
  "DeploymentUrls",
  Type.Object({
    deployment: Type.Object({
      id: Id,
      name: Type.String(),
      purpose: fields.purpose,
      firewall_format: fields.firewall_format,
      update_frequency: fields.update_frequency,
      update_frequency_seconds: Frequency,
      ipv4_entries_count: Count,
      ipv6_entries_count: Count,
      last_generated: NullableTimestamp,
      last_accessed: NullableTimestamp,
    }),
    urls: Type.Object({ combined: Urls, ipv4: Urls, ipv6: Urls, checksums: Urls, unprocessable: Urls }),
  }),
);

const PullSchema = named(
  "Pull",
  Type.Object({
    at: Timestamp,
    file: Type.String(),
    address: Type.String(),
    user_agent: Type.String(),
    status: Type.Integer(),
    bytes: Count,
  }),
);
const PullList = named(
  "PullList",
  Type.Object({
    items: Type.Array(PullSchema, { description: "the last 100, newest first" }),
    days: Type.Array(Type.Object({ day: Type.String({ format: "date" }), pulls: Count, bytes: Count }), {
      description: "of the last 31 days, UTC; days without pulls are left out",
    }),
  }),
);

/** The URLs of deployments, and what those report who fetch their lists and who block with them. */
export function addDeploymentUrlRoutes(app: App, services: Services): void {
  const { memory, store } = services;
  const { pulls } = services.publishing;
  const get = {
    operationId: "getDeploymentUrls",
    summary: "The URLs that devices pull; anyone who has one can read the list",
    tags: deployments.tags,
    problems: [403, 404, 409, 410],
    params: deployments.params,
    response: { 200: DeploymentUrls },
  };
  app.get(`${deployments.one}/urls/`, { config: { ...READ_EDL, hasSecret: true }, schema: get }, async (request) => {
    const { organisationId } = request.caller;
    const known = memory.deploymentById(idIn(request, deployments));
    if (known?.organisationId === organisationId && known.deletedAt !== null)
      throw new Problem("gone", "the deployment has been deleted");
    const deployment = findIn(deployments, request, services);
    if (!deployment.definition.active) throw new Problem("permission-denied", "the deployment is not active");
    const urls = await urlsOf(deployment, request, services);
    const { caller, now } = request;
    if (caller.kind === "key") await services.publishing.urlReaders.add(caller.id, deployment, now);
    const { id, name, definition } = deployment;
    const { purpose, firewall_format, update_frequency } = definition;
    const about = { id, name, purpose, firewall_format, update_frequency, ...listMembers(deployment, services) };
    return { deployment: about, urls };
  });

  const log = {
    operationId: "listPulls",
    summary: "Who has fetched files of the deployment",
    tags: deployments.tags,
    problems: [404],
    params: deployments.params,
    response: { 200: PullList },
  };
  app.get(`${deployments.one}/pulls/`, { config: READ_EDL, schema: log }, async (request) =>
    pullsDocument(await pulls.logOf(findIn(deployments, request, services).id)),
  );

  const blocked = {
    operationId: "listBlocked",
    summary: "What bouncers and edge components report that they blocked because of the deployment",
    tags: deployments.tags,
    problems: [404],
    params: deployments.params,
    response: { 200: BlockedList },
  };
  app.get(`${deployments.one}/blocked/`, { config: READ_EDL, schema: blocked }, async (request) => {
    const { id } = findIn(deployments, request, services);
    return blockedDocument(await store.read("blocked", id, request.now));
  });
}

/** Complete URLs of all files. Rejects with ServiceError "conflict" where the server has no key for them. */
export async function urlsOf(
  deployment: Deployment,
  request: FastifyRequest,
  { publishing: { feedTokens, lists }, settings }: Services,
): Promise<Readonly<Record<"combined" | "ipv4" | "ipv6" | "checksums" | "unprocessable", readonly string[]>>> {
  const { definition } = deployment;
  const base = `${baseOf(request, settings)}/feeds/${feedTokens.tokenOf(deployment)}`;
  const list = lists.served(deployment.id);
  const parts = partsOf(definition);
  const filesIn = (...wanted: typeof parts): FeedFile[] =>
    parts.filter((part) => wanted.includes(part)).flatMap((part) => filesOf(part, list?.published.chunks ?? 1));
  const urls = (files: readonly FeedFile[]): string[] => files.map((file) => `${base}/${fileName(file, deployment)}`);
  const whole = filesIn("manifest", "hashes", "combined");
  const isComplete = list === undefined || (await unprocessableOf(deployment, list.text)).length === 0;
  return {
    combined: urls(whole),
    ipv4: urls(filesIn("ipv4")),
    ipv6: urls(filesIn("ipv6")),
    checksums: hasTimes(definition)
      ? []
      : urls((whole.length > 0 ? whole : filesIn("ipv4", "ipv6")).map((file) => ({ ...file, checksum: "sha256" }))),
    unprocessable: isComplete ? [] : urls([{ part: "unprocessable", chunk: null, checksum: null }]),
  };
}

function pullsDocument({ pulls, days }: PullLog): DocumentOf<typeof PullList> {
  return {
    items: pulls.map(({ at, file, address, agent, status, bytes }) => ({
      at: formatTimestamp(at),
      file,
      address,
      user_agent: agent,
      status,
      bytes,
    })),
    days: days.map(({ day, pulls: count, bytes }) => ({ day: formatTimestamp(day).slice(0, 10), pulls: count, bytes })),
  };
}
