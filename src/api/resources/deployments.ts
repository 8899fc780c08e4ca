import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { type TSchema, Type } from "typebox";
import { makeToken } from "../../service/access/secret-token.ts";
import { DEPLOYMENT_FIELDS, OPTION_FIELDS } from "../../service/deployments/deployment-fields.ts";
import { doubtfulSources } from "../../service/deployments/doubtful-sources.ts";
import { dependsOnOthers, readDefinition, readDefinitionChanges } from "../../service/deployments/read-deployment.ts";
import { initialOf } from "../../service/fields.ts";
import { checkRulesetText } from "../../service/rules/read-rule.ts";
import { tagOfDeployment } from "../../service/rules/tags.ts";
import type { Services } from "../../service/services.ts";
import {
  type DefinitionChanges,
  type Deployment,
  DEPLOYMENT_STATUSES,
  type DeploymentSource,
  statusOf,
  UPDATE_FREQUENCIES,
} from "../../store/records/deployment.ts";
import { lastEnd } from "../../store/records/previous-secret.ts";
import { StoreError } from "../../store/store-error.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { signature } from "../http/signed-request.ts";
import { IDEMPOTENT } from "../openapi/documented-headers.ts";
import { BY_ADMINS, READ_EDL, WRITE_EDL } from "../operation.ts";
import {
  Count,
  type DocumentOf,
  Id,
  named,
  NameText,
  NullableText,
  NullableTimestamp,
  optional,
  strict,
  timeOrNull,
  Timestamp,
} from "../schemas/common.ts";
import { DeploymentSourceSchema } from "../schemas/deployment-source.ts";
import { OwnGuardClasses } from "../schemas/guard.ts";
import { graceEnd, GraceHours, previousDocuments, PreviousSecrets } from "../schemas/previous-secrets.ts";
import { schemasOf } from "./field-schemas.ts";
import { type By, findIn, type Resource, ResourceRoutes } from "./resource.ts";

const MAX_SOURCES = 100;
const MAX_GRACE_HOURS = 720;

const Sources = (description: string, minItems: number) =>
  Type.Unsafe<readonly DeploymentSource[]>(
    Type.Array(DeploymentSourceSchema, { minItems, maxItems: MAX_SOURCES, description }),
  );

// With a name of its own, as some generators do not compile an enum of integers inside of a list.
const AddressFamily = named("AddressFamily", Type.Unsafe<4 | 6>({ type: "integer", enum: [4, 6] }));

const options = {
  families: Type.Array(AddressFamily, {
    minItems: 1,
    maxItems: 2,
    uniqueItems: true,
    description: "both by default",
  }),
  ...schemasOf(OPTION_FIELDS),
};
const Options = named("DeploymentOptions", Type.Object(optional(options), strict));

/** RFC 7396: null removes a member. */
const OptionChanges = named(
  "DeploymentOptionChanges",
  Type.Unsafe<NonNullable<DefinitionChanges["options"]>>(
    Type.Object(optional(Object.fromEntries(Object.entries(options).map(([name, schema]) => [name, orNull(schema)]))), {
      ...strict,
      description: "only the given options change; null gives one its default again",
    }),
  ),
);

/** As one type, which generators of clients understand better than a union. */
function orNull(schema: TSchema): TSchema {
  const { type = "string", enum: values, ...others } = schema as TSchema & { type?: string; enum?: unknown[] };
  return Type.Unsafe({ ...others, type: [type, "null"], ...(values !== undefined && { enum: [...values, null] }) });
}

/** What users decide, besides the name and the sources. */
export const fields = { ...schemasOf(DEPLOYMENT_FIELDS), guard_classes: OwnGuardClasses, options: Options };
const Include = Sources("addresses that are listed", 1);
const Exclude = Sources("addresses that are not listed, whatever includes them", 0);
const optionalFields = optional({ ...fields, exclude: Exclude });
const changes = optional({ name: NameText, include: Include, ...fields, exclude: Exclude, options: OptionChanges });

const CreateBody = named(
  "CreateDeploymentRequest",
  Type.Object({ name: NameText, include: Include, ...optionalFields }, strict),
);
const UpdateBody = named("UpdateDeploymentRequest", Type.Object(changes, { ...strict, minProperties: 1 }));
export const PreviewBody = named("PreviewDeploymentRequest", Type.Object(changes, strict));
export const PreviewNewBody = named(
  "PreviewNewDeploymentRequest",
  Type.Object({ name: Type.Optional(NameText), include: Include, ...optionalFields }, strict),
);
const PublishBody = named(
  "PublishDeploymentRequest",
  Type.Object(
    { generation: Type.Integer({ minimum: 1, description: "`refused_generation` of the deployment" }) },
    strict,
  ),
);
const RotateBody = named(
  "RotateDeploymentRequest",
  Type.Object(
    {
      credential: Type.Enum(["url", "password"], { description: "what to replace" }),
      grace_hours: GraceHours(
        MAX_GRACE_HOURS,
        "how long the replaced URLs still work; those before them work until their own ends. 0: from now on, only the new URLs work",
      ),
    },
    strict,
  ),
);

const PreviousUrls = PreviousSecrets("replaced URLs that still work, oldest first");
const Rotated = named(
  "RotatedDeployment",
  Type.Object({
    password: NullableText({
      description: "the new password, which is not shown again; null if the URLs were replaced",
    }),
    previous_valid_until: NullableText({
      format: "date-time",
      description: "when the last of the replaced URLs stops working; null if the password was replaced",
    }),
    previous_urls: PreviousUrls,
  }),
);

export const Frequency = Type.Integer({ description: "in seconds" });
export const Reason = named("RefusalReason", Type.Object({ code: Type.String(), message: Type.String() }));
export const DoubtfulSources = Type.Array(Type.String(), {
  description: "includes that contradict the purpose, such as an allowlist in a blocklist: one sentence each",
});

const DeploymentSchema = named(
  "Deployment",
  Type.Object({
    id: Id,
    name: Type.String(),
    ...fields,
    update_frequency_seconds: Frequency,
    include: Type.Unsafe<readonly DeploymentSource[]>(Type.Array(DeploymentSourceSchema)),
    exclude: Type.Unsafe<readonly DeploymentSource[]>(Type.Array(DeploymentSourceSchema)),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_generated: NullableTimestamp,
    last_accessed: NullableTimestamp,
    generation: Type.Integer({ minimum: 0, description: "of the list that devices get; 0 if there is none yet" }),
    ipv4_entries_count: Count,
    ipv6_entries_count: Count,
    unprocessable_count: Type.Integer({
      minimum: 0,
      description:
        "prefixes that the list of devices lacks because its format cannot express them (option unprocessable: omit)",
    }),
    status: Type.Enum([...DEPLOYMENT_STATUSES], {
      description:
        "stale: there is no list yet; refused: the latest list was not published, the previous one is served",
    }),
    reasons: Type.Array(Reason, {
      description: "why the latest list was refused",
    }),
    refused_generation: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "the number of the refused list; null if there is none",
    }),
    not_pulled: Type.Boolean({ description: "whether no device has fetched the list for three intervals" }),
    previous_urls: PreviousUrls,
    doubtful_sources: DoubtfulSources,
  }),
);
/** Of members that a deployment is older than. */
const INITIAL = initialOf(DEPLOYMENT_FIELDS);

function documentOf(
  deployment: Deployment,
  request: FastifyRequest,
  services: Services,
): DocumentOf<typeof DeploymentSchema> {
  const { id, name, definition, organisationId, createdAt, updatedAt, published, refused } = deployment;
  return {
    id,
    name,
    ...INITIAL,
    ...definition,
    guard_classes: definition.guard_classes ?? null,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
    ...listMembers(deployment, services),
    generation: published?.generation ?? 0,
    unprocessable_count: published?.unprocessable ?? 0,
    status: statusOf(deployment),
    reasons: refused?.reasons ?? [],
    refused_generation: refused?.number ?? null,
    not_pulled: services.publishing.pulls.isNotPulled(deployment, request.now),
    previous_urls: previousDocuments(deployment.previous, request.now),
    doubtful_sources: doubtfulSources(definition, organisationId, services.memory),
  };
}

/** What is known of the list that devices have. */
export function listMembers({ id, definition, published }: Deployment, { publishing: { pulls } }: Services) {
  return {
    update_frequency_seconds: UPDATE_FREQUENCIES[definition.update_frequency],
    ipv4_entries_count: published?.entries[4] ?? 0,
    ipv6_entries_count: published?.entries[6] ?? 0,
    last_generated: timeOrNull(published?.at),
    last_accessed: timeOrNull(pulls.lastOf(id)),
  };
}

/** Lists at URLs, for devices that pull them. */
export const deployments: Resource<Deployment, typeof DeploymentSchema> = {
  name: "Deployment",
  tags: ["Deployments"],
  path: "/edl/deployments",
  // A colon separates the id from a verb.
  one: "/edl/deployments/:deployment_id(^[^:]+)",
  params: Type.Object({
    deployment_id: Type.String({ format: "uuid", description: "the id of a deployment of the organisation" }),
  }),
  read: READ_EDL,
  write: WRITE_EDL,
  called: "the deployment",
  isMatched: true,
  document: DeploymentSchema,
  documents: (some, request, services) => some.map((each) => documentOf(each, request, services)),
  row: ({ memory }, organisationId, id) => memory.deployment(organisationId, id),
  unknown: (home) => `unknown deployment; ${home} lists yours`,
};

/** Sources, as examples show them. */
export const SOURCES = [{ prefixes: ["203.0.113.0/24", "198.51.100.7"] }];

export function addDeploymentRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const routes = new ResourceRoutes(app, services, deployments);
  routes.pages(
    { summary: "The deployments of the organisation: lists at URLs, for devices that pull them" },
    ({ caller }) => memory.deployments(caller.organisationId),
    (each) => each,
  );
  routes.get(
    {
      summary: "A deployment, and the state of its list",
      responseHeaders: { ETag: "changes with the response; only what users decide counts for If-Match" },
    },
    tagOfDeployment,
  );
  routes.create(
    {
      summary: "Creates a deployment; its list is made within seconds",
      body: CreateBody,
      bodyExample: { name: "Edge firewall", include: SOURCES, exclude: [{ prefixes: ["203.0.113.128/25"] }] },
    },
    async ({ request, body: { name, ...given }, by }) => {
      checkRulesetText({ name, description: given.description });
      const definition = await readDefinition(given, contextOf(request, services));
      return { row: (await store.write({ kind: "create-deployment", ...by, name, definition })).deployment };
    },
  );
  routes.update(
    {
      summary: "Changes the given properties of a deployment, and the given ones of its options",
      body: UpdateBody,
      bodyExample: { update_frequency: "5m", exclude: [{ prefixes: ["203.0.113.0/26"] }] },
    },
    (_found, { request, body, by }) => changed(body, by, request, services),
  );
  routes.remove({ summary: "Deletes a deployment: devices that ask for its list get 410" }, (deploymentId, { by }) =>
    store.write({ kind: "delete-deployment", ...by, deploymentId }),
  );
  routes.act(
    "::publish",
    {
      operationId: "publishDeployment",
      summary: "Publishes a list that was refused because it shrinks or grows too much, or because of its guard",
      problems: [409],
      requestHeaders: IDEMPOTENT,
      body: PublishBody,
      bodyExample: { generation: 1 },
    },
    async ({ id: deploymentId }, { request, body: { generation: number }, by }) => {
      await store.write({ kind: "release-list", ...by, deploymentId, number });
      return { row: routes.find(request) };
    },
  );
}

export type DeploymentChanges = DefinitionChanges & { readonly name?: string };

/**
 * Writes what the request changes, and nothing else: what others change at the same time stays. If that was checked with
 * members that are others now, it is checked again. Rejects with StoreError "definition-changed" if they change all the
 * time.
 */
async function changed(
  body: DeploymentChanges,
  by: By,
  request: FastifyRequest,
  services: Services,
): Promise<Deployment> {
  for (let attempt = 1; ; attempt++) {
    const found = findIn(deployments, request, services);
    const definition = await changesIn(body, found, request, services);
    const checkedWith = dependsOnOthers(definition) ? found.definition : undefined;
    const about = { ...by, deploymentId: found.id, name: body.name, definition, checkedWith };
    try {
      return (await services.store.write({ kind: "update-deployment", ...about })).deployment;
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

export function changesIn(
  { name, ...fields }: DeploymentChanges,
  { definition }: Deployment,
  request: FastifyRequest,
  services: Services,
): Promise<DefinitionChanges> {
  checkRulesetText({ name, description: fields.description });
  return readDefinitionChanges(fields, definition, contextOf(request, services));
}

export function contextOf({ caller: { organisationId }, now }: FastifyRequest, { publishing }: Services) {
  return { organisationId, now, services: publishing.sources };
}

/** New credentials of deployments, which only admins may give. */
export function addDeploymentCredentialRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "rotateDeployment",
    summary: "Replaces the URLs of a deployment, or its password, which only this response contains",
    tags: deployments.tags,
    problems: [400, 404, 409, 413, 415],
    params: deployments.params,
    body: RotateBody,
    response: { 200: Rotated },
    bodyExample: { credential: "url", grace_hours: 24 },
  };
  const config = { ...BY_ADMINS, hasSecret: true };
  app.post(`${deployments.one}::rotate`, { config, schema }, async (request) => {
    const { id: deploymentId } = findIn(deployments, request, services);
    const { credential } = request.body;
    const { text, digest } = makeToken();
    const isUrl = credential === "url";
    const graceUntil = graceEnd(request.body, request.now);
    const { deployment } = await services.store.write({
      kind: "rotate-deployment",
      ...signature(request),
      deploymentId,
      credential: isUrl ? { url: true } : { password: digest },
      graceUntil,
    });
    return {
      password: isUrl ? null : text,
      previous_valid_until: isUrl ? formatTimestamp(lastEnd(deployment.previous, request.now) ?? graceUntil) : null,
      previous_urls: previousDocuments(deployment.previous, request.now),
    };
  });
}
