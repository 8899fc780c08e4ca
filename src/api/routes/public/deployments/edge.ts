import type { FastifyReply, FastifyRequest } from "fastify";
import type { EdgeClaims, EdgeUse } from "../../../../service/edge/edge-tokens.ts";
import { blockedRequests } from "../../../../service/edge/blocked-requests.ts";
import { ServiceError, tooManyRequests } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import { type Deployment, UPDATE_FREQUENCIES } from "../../../../store/records/deployment.ts";
import type { App } from "../../../app-type.ts";
import type { ArrivingBody } from "../../../http/arriving-body.ts";
import { PUBLIC } from "../../../operation.ts";
import { redact } from "../../../http/redact.ts";
import { sendJson } from "../../../http/reply.ts";
import { unpackBody } from "../../../http/unpack-body.ts";
import { withBodies } from "../../../plugins/bodies.ts";
import { Problem } from "../../../problem.ts";
import { problemOf } from "../../../problem-of.ts";
import { urlsOf } from "../../../resources/deployment-urls.ts";

/** Seconds for which an access token is valid; the component bootstraps again before. */
const ACCESS_SECONDS = 3600;
/** Bytes of a report, as sent and unpacked. */
const MAX_REPORT = 1 << 20;
const MAX_UNPACKED = 8 << 20;

/** A deployment that is paused or deleted: its component gets the state by name, and lets everything through. */
class EdgeState extends Problem {
  readonly code: string;

  constructor(kind: "permission-denied" | "gone", code: string, detail: string) {
    super(kind, detail);
    this.code = code;
  }
}

/**
 * The protocol of edge components, which are programs in front of web applications. They bootstrap with a token that an
 * admin created, learn where the list is, and report what they have blocked. A component lets all traffic through after
 * 403 and 410, so these are only for deployments that are not active or deleted; whatever else goes wrong is 401 or
 * 503, after which it keeps what it has.
 */
export function addEdgeRoutes(app: App, services: Services): void {
  void app.register((context, _options, done) => {
    const within = context as unknown as App;
    within.setErrorHandler((error: Error, request, reply) => answerError(error, request, reply));
    within.get("/.well-known/jwks.json", (_request, reply) =>
      sendJson(reply, JSON.stringify(services.publishing.edgeTokens.keySet())),
    );
    addBootstrap(within, services);
    addConfig(within, services);
    done();
  });
  withBodies(app, { types: ["application/json", "application/x-ndjson", "text/plain"], isStream: false }, (within) => {
    within.setErrorHandler((error: Error, request, reply) => answerError(error, request, reply));
    addLogs(within, services);
  });
}

/** Errors in the components' form. A failure of the server is 503, so that they try again. */
function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  const isOurs = problem.status >= 500 || (error instanceof ServiceError && error.code === "conflict");
  if (isOurs && problem.kind !== "service-unavailable")
    request.log.error({ request_id: request.id, err: error }, "unexpected error");
  const code = error instanceof EdgeState ? error.code : problem.kind.toUpperCase().replaceAll("-", "_");
  reply.code(isOurs ? 503 : problem.status).headers(problem.details.headers ?? {});
  return sendJson(reply, redact(JSON.stringify({ error: problem.message, code })));
}

function addBootstrap(app: App, services: Services): void {
  app.post(
    "/api/v1/edl/bootstrap",
    { config: { ...PUBLIC, hasSecret: true, operation: "bootstrapEdge" } },
    async (request, reply) => {
      const { bootstrap_token: token } = (request.body ?? {}) as { bootstrap_token?: unknown };
      const { claims } = deploymentOf(request, typeof token === "string" ? token : "", "bootstrap", services);
      const iat = Math.floor(request.now / 1000);
      const access = services.publishing.edgeTokens.sign({ ...claims, use: "access", iat, exp: iat + ACCESS_SECONDS });
      return sendJson(
        reply,
        JSON.stringify({
          access_token: access,
          expires_in: ACCESS_SECONDS,
          jwks_url: `${claims.iss}/.well-known/jwks.json`,
          config_url: `${claims.iss}/api/v1/edl/config`,
          logs_url: `${claims.iss}/api/v1/edl/logs`,
        }),
      );
    },
  );
}

function addConfig(app: App, services: Services): void {
  app.get(
    "/api/v1/edl/config",
    { config: { hasSecret: true, operation: "readEdgeConfig" } },
    async (request, reply) => {
      const { deployment } = deploymentOf(request, bearerIn(request), "access", services);
      const { id, organisationId, name, definition } = deployment;
      return sendJson(
        reply,
        JSON.stringify({
          deployment_id: id,
          workspace_id: organisationId,
          name,
          purpose: definition.purpose,
          direction: definition.direction,
          firewall_format: definition.firewall_format,
          update_frequency_seconds: UPDATE_FREQUENCIES[definition.update_frequency],
          enabled: definition.active,
          urls: await urlsOf(deployment, request, services),
        }),
      );
    },
  );
}

function addLogs(app: App, services: Services): void {
  app.post(
    "/api/v1/edl/logs",
    { config: { bodyBytes: MAX_REPORT, takesGzip: true, operation: "reportBlocked" } },
    async (request, reply) => {
      const { deployment } = deploymentOf(request, bearerIn(request), "access", services);
      const body = request.body as ArrivingBody;
      const isPacked = request.headers["content-encoding"]?.trim().toLowerCase() === "gzip";
      const report = await (isPacked ? unpackBody(body, MAX_UNPACKED) : body.whole());
      const { now } = request;
      const { accepted, rejected, counts } = await blockedRequests(
        report,
        deployment,
        services.publishing.sources,
        now,
      );
      if (counts.length > 0) await services.store.record("blocked", { deploymentId: deployment.id, at: now, counts });
      return sendJson(reply.code(202), JSON.stringify({ accepted, rejected }));
    },
  );
}

function bearerIn({ headers }: FastifyRequest): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** @throws EdgeState (403, 410), Problem (401), ServiceError "too-many-requests" */
function deploymentOf(
  request: FastifyRequest,
  token: string,
  use: EdgeUse,
  { publishing: { edgeTokens }, memory, access: { credentials, failureLimits }, settings }: Services,
): { readonly claims: EdgeClaims; readonly deployment: Deployment } {
  const claims = edgeTokens.read(token, use, request.now);
  const credential = claims && credentials.findValid("edge", claims.jti, request.now);
  const deployment = credential && memory.deploymentById(credential.deploymentId);
  if (claims === undefined || credential === undefined || deployment === undefined) {
    const window = failureLimits.take(request.ip, settings.failuresPerMinute);
    if (window.isExceeded)
      throw tooManyRequests("too many requests without a valid token came from this address", window.retryAfter);
    throw new Problem("authentication-required", `not a valid ${use} token; it may have expired or been revoked`, {
      headers: { "www-authenticate": 'Bearer realm="edge", error="invalid_token"' },
    });
  }
  request.identity = { kind: "key", id: credential.id };
  if (deployment.deletedAt !== null)
    throw new EdgeState("gone", "DEPLOYMENT_DELETED", "the deployment has been deleted");
  if (!deployment.definition.active)
    throw new EdgeState("permission-denied", "DEPLOYMENT_DISABLED", "the deployment is not active");
  return { claims, deployment };
}
