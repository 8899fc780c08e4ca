import fastify from "fastify";
import type { Logger } from "pino";
import type { App, TypeBoxTypes } from "./app-type.ts";
import { addAuditList } from "./routes/dashboard/audit.ts";
import { addKeyPreviewRoutes } from "./routes/dashboard/previews.ts";
import { addUndoOfAnyRoute } from "./routes/dashboard/undo.ts";
import { addSearchRoutes } from "./routes/public/rulesets/search-rules.ts";
import { addDashboardRoutes } from "./routes/dashboard/routes.ts";
import { collectMethods } from "./plugins/allowed-methods.ts";
import { authenticate } from "./plugins/authentication.ts";
import { readBodies } from "./plugins/bodies.ts";
import { compressAnswers } from "./plugins/compression.ts";
import { followConnections } from "./plugins/connections.ts";
import { addScope } from "./plugins/route-scopes.ts";
import { answerEarly } from "./plugins/early-answers.ts";
import { answerClientError, rejectAmbiguousRequests, withoutAuthority } from "./plugins/framing.ts";
import { readJsonBodies } from "./plugins/json-body.ts";
import { limitRequests } from "./plugins/limits.ts";
import { logRequests, observing, silentFramework } from "./plugins/logging.ts";
import { describeOperations } from "./openapi/describe-operations.ts";
import { limitPipelining } from "./plugins/pipelining.ts";
import { answerError, answerProblems } from "./plugins/problems.ts";
import { readRoutes } from "./plugins/routes.ts";
import { requestId, addRequestIds } from "./plugins/request-ids.ts";
import { setSafeHeaders } from "./plugins/safe-headers.ts";
import { followSequences } from "./plugins/sequences.ts";
import { rejectWhenOverloaded } from "./plugins/shed-answers.ts";
import { SocketAnswers } from "./plugins/socket-answers.ts";
import { validateStrictly } from "./plugins/validation.ts";
import { respondNotModified } from "./plugins/unchanged-feeds.ts";
import { compileWriters } from "./plugins/writers.ts";
import { addBouncerRoutes } from "./routes/public/deployments/bouncers.ts";
import { addCbsRoutes } from "./routes/public/catalogue/cbs.ts";
import { addCtiAlias, addCtiRoutes } from "./routes/public/cti.ts";
import { addApiConsole, addDashboard } from "./routes/built-files.ts";
import { ChangeStreams } from "./http/change-streams.ts";
import { addSnapshotRoutes } from "./routes/public/rulesets/snapshot.ts";
import { addChangeRoutes } from "./routes/public/changes.ts";
import { addDeploymentPreviewRoutes } from "./resources/deployment-previews.ts";
import { addDeploymentUrlRoutes } from "./resources/deployment-urls.ts";
import { addDeploymentRoutes } from "./resources/deployments.ts";
import { addExplainRoutes } from "./routes/public/explain.ts";
import { addExternalListRoutes } from "./resources/external-lists.ts";
import { addListWritingRoutes } from "./resources/list-writing.ts";
import { addPulledSnapshotRoutes } from "./routes/public/pulled-snapshots.ts";
import { addEdgeRoutes } from "./routes/public/deployments/edge.ts";
import { addFeedRoutes } from "./routes/public/deployments/feeds.ts";
import { addHealthRoutes } from "./routes/public/health.ts";
import { addStatusRoute } from "./routes/public/status.ts";
import { addTaxiiRoutes } from "./routes/public/deployments/taxii.ts";
import { addIdentificationRoutes } from "./routes/public/identifications.ts";
import { addReplayRoutes } from "./routes/public/replays.ts";
import { addBatchRoutes } from "./routes/public/rulesets/batch-rules.ts";
import { addRuleRoutes } from "./routes/public/rulesets/rules.ts";
import { addGuardRoutes } from "./routes/public/rulesets/guard.ts";
import { addRulesetRoutes } from "./resources/rulesets.ts";
import { addFitRoutes } from "./routes/public/fit.ts";
import { addSetRoutes } from "./routes/public/sets.ts";
import { addVersionRoutes } from "./routes/public/rulesets/versions.ts";
import { addCompactRoutes } from "./routes/public/rulesets/compact-rules.ts";
import { addWholeRulesetRoutes } from "./routes/public/rulesets/whole-rulesets.ts";
import type { Services } from "../service/services.ts";
import { BlockedProtected } from "../service/status/blocked-protected.ts";
import { BY_USERS, READ_EDL, WRITE_EDL } from "./operation.ts";
import { prefixesIn } from "../service/settings.ts";

/** A path parameter may be as long as the URL's limit allows: the operation decides what is valid. */
const MAX_PARAMETER_LENGTH = 65_536;

/** The application, ready to listen: the hooks in the order in which a request passes them, then the routes. */
export function buildApp(services: Services, log: Logger): App {
  const { settings } = services;
  const socketAnswers = new SocketAnswers(services, log);
  const observe = observing(services, log);
  const app = fastify({
    loggerInstance: log,
    logController: silentFramework(),
    // Most requests would never use a logger of their own: log lines name the request themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    bodyLimit: settings.bodyBytes,
    // Otherwise the framework would respond by itself, in its own format.
    return503OnClosing: false,
    keepAliveTimeout: settings.keepAlive * 1000,
    // Requests whose headers do not arrive have been answered with 408 before.
    connectionTimeout: (settings.headerTimeout + settings.bodyTimeout) * 1000,
    http: {
      maxHeaderSize: settings.headerBytes,
      headersTimeout: settings.headerTimeout * 1000,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    trustProxy: settings.trustProxy === "" ? false : prefixesIn(settings.trustProxy),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (error, request, reply) => {
      // Of a path that cannot be read: the framework runs no hooks.
      reply.raw.once("finish", () => observe(request, reply));
      answerError(error, request, reply);
    },
    clientErrorHandler: answerClientError(socketAnswers),
    rewriteUrl: withoutAuthority,
  }).withTypeProvider<TypeBoxTypes>() as unknown as App;
  app.server.maxConnections = settings.connections;
  followConnections(app);
  limitPipelining(app);
  respondNotModified(app, services, log);
  collectMethods(app);
  describeOperations(app, services);
  readRoutes(app);
  addRequestIds(app);
  setSafeHeaders(app);
  logRequests(app, observe);
  compressAnswers(app);
  rejectWhenOverloaded(app, services, log);
  limitRequests(app, services);
  rejectAmbiguousRequests(app, socketAnswers);
  authenticate(app, services);
  followSequences(app, services);
  readBodies(app, services);
  readJsonBodies(app);
  answerEarly(app);
  validateStrictly(app);
  compileWriters(app);
  answerProblems(app, services);
  app.decorate("changeStreams", new ChangeStreams(services));
  const blocked = new BlockedProtected(services.publishing.sources);
  addScope(app, "public", "/v1", (within) => {
    addAreas(within, services);
    addPulledSnapshotRoutes(within, services);
    addAuditList(within, services, WRITE_EDL);
    addUndoOfAnyRoute(within, services);
    addKeyPreviewRoutes(within, services);
    addStatusRoute(within, services, blocked, READ_EDL);
  });
  addScope(app, "public", "", (within) => addCtiAlias(within, services));
  addScope(app, "dashboard", "/dashboard/api", (within) => {
    addDashboardRoutes(within, services);
    addStatusRoute(within, services, blocked, BY_USERS);
    addAreas(within, services);
  });
  addFeedRoutes(app, services);
  addBouncerRoutes(app, services);
  addTaxiiRoutes(app, services);
  addEdgeRoutes(app, services);
  addHealthRoutes(app, services);
  addDashboard(app);
  addApiConsole(app);
  return app;
}

/** The operations that both scopes have: the same schemas, checks and isolation for every caller. */
function addAreas(app: App, services: Services): void {
  addRulesetRoutes(app, services);
  addGuardRoutes(app, services);
  addRuleRoutes(app, services);
  addBatchRoutes(app, services);
  addWholeRulesetRoutes(app, services);
  addCompactRoutes(app, services);
  addVersionRoutes(app, services);
  addExplainRoutes(app, services);
  addDeploymentRoutes(app, services);
  addDeploymentUrlRoutes(app, services);
  addDeploymentPreviewRoutes(app, services);
  addSetRoutes(app, services);
  addFitRoutes(app, services);
  addChangeRoutes(app, services);
  addSnapshotRoutes(app, services);
  addExternalListRoutes(app, services);
  addListWritingRoutes(app, services);
  addSearchRoutes(app, services);
  addCbsRoutes(app, services);
  addCtiRoutes(app, services);
  addIdentificationRoutes(app, services);
  addReplayRoutes(app, services);
}
