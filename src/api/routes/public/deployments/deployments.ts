import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import type { FastifyRequest } from "fastify";
import type { App } from "../../../app-type.ts";
import {
  changedDefinition,
  type DefinitionChanges,
  type Deployment,
  type DeploymentDefinition,
} from "../../../../store/records/deployment.ts";
import { StoreError } from "../../../../store/store-error.ts";
import { checkRulesetText } from "../../../../service/rules/read-rule.ts";
import {
  type FeedFile,
  fileName,
  filesOf,
  partsOf,
  unprocessableOf,
} from "../../../../service/deployments/feed-files.ts";
import { doubtfulSources } from "../../../../service/deployments/doubtful-sources.ts";
import { hasTimes } from "../../../../service/deployments/feed-times.ts";
import { formatNamed } from "../../../../service/deployments/deployment-formats.ts";
import type { CompiledDeployment } from "../../../../service/deployments/compile-deployment.ts";
import { SourceError } from "../../../../service/sources/gather-source.ts";
import { listDifference } from "../../../../service/deployments/list-difference.ts";
import {
  dependsOnOthers,
  readDefinition,
  readDefinitionChanges,
} from "../../../../service/deployments/read-deployment.ts";
import { tagOfDeployment } from "../../../../service/rules/tags.ts";
import { invalid } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import { ifMatch, isKnown } from "../../../http/entity-tags.ts";
import { baseOf, pageOfCreated } from "../../../http/page.ts";
import { signed } from "../../../http/signed-request.ts";
import { CONDITIONAL, IDEMPOTENT, matching } from "../../../openapi/documented-headers.ts";
import { READ_EDL, WRITE_EDL } from "../../../operation.ts";
import { notFound, Problem } from "../../../problem.ts";
import { blockedDocument, BlockedList } from "../../../schemas/blocked.ts";
import {
  CreateDeploymentBody,
  deploymentDocument,
  DeploymentPage,
  DeploymentParameters,
  DeploymentPreview,
  DeploymentSchema,
  DeploymentsQuery,
  type DeploymentState,
  DeploymentUrls,
  PreviewDeploymentBody,
  previewDocument,
  PreviewNewDeploymentBody,
  PublishDeploymentBody,
  PullList,
  pullsDocument,
  UpdateDeploymentBody,
  urlsDocument,
} from "../../../schemas/deployment.ts";

const tags = ["Deployments"];
const PATH = "/edl/deployments";
/** A colon separates the id from a verb. */
const ONE = `${PATH}/:deployment_id(^[^:]+)`;
const params = DeploymentParameters;
const SOURCES = [{ prefixes: ["203.0.113.0/24", "198.51.100.7"] }];

export function addDeploymentRoutes(app: App, services: Services): void {
  addReads(app, services);
  addUrls(app, services);
  addReports(app, services);
  addWrites(app, services);
  addPreview(app, services);
  addRelease(app, services);
}

function addReads(app: App, services: Services): void {
  const { memory, settings } = services;
  const list = {
    operationId: "listDeployments",
    summary: "The deployments of the organisation: lists at URLs, for devices that pull them",
    tags,
    problems: [400],
    querystring: DeploymentsQuery,
    response: { 200: DeploymentPage },
  };
  app.get(`${PATH}/`, { config: READ_EDL, schema: list }, (request) => {
    const all = memory.deployments(request.caller.organisationId);
    const documentOf = (deployment: Deployment) =>
      deploymentDocument(deployment, stateOf(deployment, request, services));
    return pageOfCreated(request, settings, all, {
      aboutOf: (each) => each,
      documentsOf: async (some) => some.map(documentOf),
    });
  });

  const get = {
    operationId: "getDeployment",
    summary: "A deployment, and the state of its list",
    tags,
    problems: [404],
    params,
    response: { 200: DeploymentSchema, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: { ETag: "changes with the response; only what users decide counts for If-Match" },
  };
  app.get(ONE, { config: READ_EDL, schema: get }, (request, reply) => {
    const deployment = findDeployment(request, services);
    const document = deploymentDocument(deployment, stateOf(deployment, request, services));
    return isKnown(request, reply, tagOfDeployment(deployment, document)) ? reply.code(304).send() : document;
  });
}

function addUrls(app: App, services: Services): void {
  const { memory } = services;
  const urls = {
    operationId: "getDeploymentUrls",
    summary: "The URLs that devices pull; anyone who has one can read the list",
    tags,
    problems: [403, 404, 409, 410],
    params,
    response: { 200: DeploymentUrls },
  };
  app.get(`${ONE}/urls/`, { config: { ...READ_EDL, hasSecret: true }, schema: urls }, async (request) => {
    const { organisationId } = request.caller;
    const known = memory.deploymentById(idIn(request));
    if (known?.organisationId === organisationId && known.deletedAt !== null)
      throw new Problem("gone", "the deployment has been deleted");
    const deployment = findDeployment(request, services);
    if (!deployment.definition.active) throw new Problem("permission-denied", "the deployment is not active");
    const found = await urlsOf(deployment, request, services);
    const { kind, id } = request.caller;
    if (kind === "key") await services.urlReaders.add(id, deployment, request.now);
    return urlsDocument(deployment, stateOf(deployment, request, services), found);
  });
}

/** What is reported about a deployment: by those who fetch its list, and by those who block with it. */
function addReports(app: App, services: Services): void {
  const { pulls, store } = services;
  const log = {
    operationId: "listPulls",
    summary: "Who has fetched files of the deployment",
    tags,
    problems: [404],
    params,
    response: { 200: PullList },
  };
  app.get(`${ONE}/pulls/`, { config: READ_EDL, schema: log }, async (request) =>
    pullsDocument(await pulls.logOf(findDeployment(request, services).id)),
  );

  const blocked = {
    operationId: "listBlocked",
    summary: "What bouncers and edge components report that they blocked because of the deployment",
    tags,
    problems: [404],
    params,
    response: { 200: BlockedList },
  };
  app.get(`${ONE}/blocked/`, { config: READ_EDL, schema: blocked }, async (request) => {
    const { id } = findDeployment(request, services);
    return blockedDocument(await store.read("blocked", id, request.now));
  });
}

function addWrites(app: App, services: Services): void {
  const { store } = services;
  const create = {
    operationId: "createDeployment",
    summary: "Creates a deployment; its list is made within seconds",
    tags,
    problems: [400, 409, 413, 415, 422],
    body: CreateDeploymentBody,
    response: { 201: DeploymentSchema },
    requestHeaders: IDEMPOTENT,
    responseHeaders: { Location: "the path of the deployment" },
    bodyExample: { name: "Edge firewall", include: SOURCES, exclude: [{ prefixes: ["203.0.113.128/25"] }] },
  };
  app.post(`${PATH}/`, { config: WRITE_EDL, schema: create }, async (request, reply) => {
    const { name, ...fields } = request.body;
    checkRulesetText({ name, description: fields.description });
    const definition = await readDefinition(fields as Partial<DeploymentDefinition>, contextOf(request, services));
    const { deployment } = await store.write({ kind: "create-deployment", ...signed(request), name, definition });
    return reply
      .code(201)
      .header("location", `${app.prefix}${PATH}/${deployment.id}`)
      .send(deploymentDocument(deployment, stateOf(deployment, request, services)) as never);
  });

  const update = {
    operationId: "updateDeployment",
    summary: "Changes the given properties of a deployment, and the given ones of its options",
    tags,
    problems: [400, 404, 412, 413, 415, 422],
    params,
    body: UpdateDeploymentBody,
    response: { 200: DeploymentSchema },
    requestHeaders: { ...IDEMPOTENT, ...matching("the deployment") },
    bodyExample: { update_frequency: "5m", exclude: [{ prefixes: ["203.0.113.0/26"] }] },
  };
  app.patch(ONE, { config: WRITE_EDL, schema: update }, async (request) => {
    const deployment = await changed(request, services);
    return deploymentDocument(deployment, stateOf(deployment, request, services));
  });

  const remove = {
    operationId: "deleteDeployment",
    summary: "Deletes a deployment: devices that ask for its list get 410",
    tags,
    problems: [404, 412, 422],
    params,
    response: { 204: Type.Null() },
    requestHeaders: { ...IDEMPOTENT, ...matching("the deployment") },
  };
  app.delete(ONE, { config: WRITE_EDL, schema: remove }, async (request, reply) => {
    // It need not be in memory: for a repeated request it is already gone, and the first response is returned.
    const about = { deploymentId: idIn(request), ifMatch: ifMatch(request) };
    await store.write({ kind: "delete-deployment", ...signed(request), ...about });
    return reply.code(204).send();
  });
}

function addPreview(app: App, services: Services): void {
  const newSchema = {
    operationId: "previewNewDeployment",
    summary: "The list that a deployment like this would have now; nothing is written",
    tags,
    problems: [400, 413, 415],
    body: PreviewNewDeploymentBody,
    response: { 200: DeploymentPreview },
    bodyExample: { include: SOURCES, exclude: [{ prefixes: ["203.0.113.128/25"] }] },
  };
  app.post(`${PATH}::preview`, { config: READ_EDL, schema: newSchema }, async (request) => {
    const { name = "preview", ...fields } = request.body;
    checkRulesetText({ name, description: fields.description });
    const definition = await readDefinition(fields as Partial<DeploymentDefinition>, contextOf(request, services));
    const { organisationId } = request.caller;
    return previewOf({ organisationId, name, definition, published: null }, services);
  });

  const schema = {
    operationId: "previewDeployment",
    summary: "The list as it would be now, with these changes; nothing is written",
    tags,
    problems: [400, 404, 413, 415],
    params,
    body: PreviewDeploymentBody,
    response: { 200: DeploymentPreview },
    bodyExample: { exclude: [{ prefixes: ["203.0.113.0/26"] }] },
  };
  app.post(`${ONE}::preview`, { config: READ_EDL, schema }, async (request) => {
    const found = findDeployment(request, services);
    const { name = found.name, ...fields } = request.body;
    const changes = await changesIn({ name, ...fields } as DeploymentChanges, found, request, services);
    return previewOf({ ...found, name, definition: changedDefinition(found.definition, changes) }, services, found);
  });
}

/** Rejects with ServiceError "invalid" for a source that cannot be read. O(sources), in slices. */
async function previewOf(
  deployment: Parameters<Services["lists"]["preview"]>[0],
  services: Services,
  before?: Deployment,
): Promise<Record<string, unknown>> {
  const { definition, organisationId } = deployment;
  try {
    const compiled = await services.lists.preview(deployment);
    return previewDocument(definition, compiled, {
      unprocessable: await unprocessableOf(deployment, compiled.text),
      doubtfulSources: doubtfulSources(definition, organisationId, services.memory),
      difference: before && (await differenceFrom(before, definition, compiled, services)),
    });
  } catch (error) {
    throw error instanceof SourceError ? invalid({ include: [error.message] }) : error;
  }
}

/** How a compiled list differs from what devices have: by the definition `before`. */
async function differenceFrom(
  { id, definition: before }: Deployment,
  { firewall_format: format }: DeploymentDefinition,
  { text }: CompiledDeployment,
  { lists }: Services,
) {
  const served = lists.served(id);
  const none = Buffer.alloc(0);
  const entries = served?.published.entries ?? { 4: 0, 6: 0 };
  const now = { text: served?.text ?? { 4: none, 6: none }, expression: formatNamed(before.firewall_format) };
  return { entries, ...(await listDifference(now, { text, expression: formatNamed(format) })) };
}

function addRelease(app: App, services: Services): void {
  const schema = {
    operationId: "publishDeployment",
    summary: "Publishes a list that was refused because it shrinks or grows too much, or because of its guard",
    tags,
    problems: [400, 404, 409, 413, 415, 422],
    params,
    body: PublishDeploymentBody,
    response: { 200: DeploymentSchema },
    requestHeaders: IDEMPOTENT,
    bodyExample: { generation: 1 },
  };
  app.post(`${ONE}::publish`, { config: WRITE_EDL, schema }, async (request) => {
    const { id } = findDeployment(request, services);
    const { generation: number } = request.body;
    await services.store.write({ kind: "release-list", ...signed(request), deploymentId: id, number });
    const deployment = findDeployment(request, services);
    return deploymentDocument(deployment, stateOf(deployment, request, services));
  });
}

type DeploymentChanges = DefinitionChanges & { readonly name?: string };

/**
 * Writes what the request changes, and nothing else: what others change at the same time stays. If that was checked with
 * members that are others now, it is checked again. Rejects with StoreError "definition-changed" if they change all the
 * time.
 */
async function changed(request: FastifyRequest, services: Services): Promise<Deployment> {
  const body = request.body as DeploymentChanges;
  for (let attempt = 1; ; attempt++) {
    const found = findDeployment(request, services);
    const definition = await changesIn(body, found, request, services);
    try {
      const { deployment } = await services.store.write({
        kind: "update-deployment",
        ...signed(request),
        deploymentId: found.id,
        ifMatch: ifMatch(request),
        name: body.name,
        definition,
        checkedWith: dependsOnOthers(definition) ? found.definition : undefined,
      });
      return deployment;
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "definition-changed") || attempt === ATTEMPTS) throw error;
      // Until the other change has been read.
      await sleep(AGAIN_AFTER * attempt);
    }
  }
}

/** Together, several seconds. */
const ATTEMPTS = 20;
/** Milliseconds after the first attempt. */
const AGAIN_AFTER = 10;

function changesIn(
  { name, ...fields }: DeploymentChanges,
  { definition }: Deployment,
  request: FastifyRequest,
  services: Services,
): Promise<DefinitionChanges> {
  checkRulesetText({ name, description: fields.description });
  return readDefinitionChanges(fields, definition, contextOf(request, services));
}

function contextOf({ caller: { organisationId }, now }: FastifyRequest, services: Services) {
  return { organisationId, now, services };
}

/** The deployment in the path, if it is the organisation's. @throws Problem (404) */
export function findDeployment(request: FastifyRequest, { memory }: Services): Deployment {
  const deployment = memory.deployment(request.caller.organisationId, idIn(request));
  if (deployment !== undefined) return deployment;
  throw notFound(`unknown deployment; ${request.server.prefix}${PATH}/ lists yours`);
}

function idIn(request: FastifyRequest): string {
  return (request.params as { deployment_id: string }).deployment_id.toLowerCase();
}

function stateOf(deployment: Deployment, { now }: FastifyRequest, { memory, pulls }: Services): DeploymentState {
  const { id, definition, organisationId } = deployment;
  return {
    lastAccessed: pulls.lastOf(id),
    isNotPulled: pulls.isNotPulled(deployment, now),
    now,
    doubtfulSources: doubtfulSources(definition, organisationId, memory),
  };
}

/** Complete URLs of all files. Rejects with ServiceError "conflict" where the server has no key for them. */
export async function urlsOf(
  deployment: Deployment,
  request: FastifyRequest,
  { feedTokens, lists, settings }: Services,
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
