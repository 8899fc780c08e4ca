import fastify from "fastify";
import type { Logger } from "pino";
import type { SecretKey } from "../service/access/secret-key.ts";
import { FeedBytes } from "../service/deployments/feed-bytes.ts";
import { readFeedFolder } from "../service/deployments/feed-folder.ts";
import { FeedTokens } from "../service/deployments/feed-tokens.ts";
import { ServiceMemory } from "../service/store/service-memory.ts";
import { prefixesIn, type Settings } from "../service/settings.ts";
import type { App } from "./app-type.ts";
import { listenError } from "./listen-error.ts";
import { silentFramework } from "./plugins/logging.ts";
import { answerProblem } from "./plugins/problems.ts";
import { addRequestIds, requestId } from "./plugins/request-ids.ts";
import { readRoutes } from "./plugins/routes.ts";
import { setSafeHeaders } from "./plugins/safe-headers.ts";
import { Problem } from "./problem.ts";
import { type FeedParameters, type FeedServices, findFeed, serveFeed } from "./routes/public/deployments/feeds.ts";
import { EMPTY_STATE } from "../store/state.ts";

/** Seconds after which a client may ask again. */
const RETRY_AFTER = 10;

interface StandbyOptions {
  readonly settings: Settings;
  readonly secretKey: SecretKey;
  readonly log: Logger;
  readonly now: () => number;
}

/** Serves feeds from `--feeds-dir` as long as the database cannot be opened, and responds 503 to everything else. */
export async function startStandbyFeeds(options: StandbyOptions): Promise<{ close(): Promise<void> }> {
  const { settings, log } = options;
  const { host, port, connections } = settings;
  const services = await servicesOf(options);
  const app = buildStandby(options, services);
  try {
    await app.listen({ host, port, backlog: connections });
  } catch (error) {
    throw listenError(error, { host, port });
  }
  log.warn(
    { feeds: services.memory.everyDeployment().length },
    "serving only feeds, as they were, without the database",
  );
  return {
    close: () => {
      app.server.closeIdleConnections();
      return app.close();
    },
  };
}

async function servicesOf({ settings, secretKey }: StandbyOptions): Promise<FeedServices> {
  const { deployments, plans, lists } = await readFeedFolder(settings.feedsDir);
  const memory = new ServiceMemory();
  await memory.addState({ ...EMPTY_STATE, plans, deployments });
  const tokens = new FeedTokens(secretKey, memory);
  return {
    memory,
    publishing: {
      // A missing key file must not be made: the database knows which one it was.
      feedTokens: {
        find: (token, at) => (secretKey.isMade ? tokens.find(token, at) : undefined),
        endOf: (token, deployment) => tokens.endOf(token, deployment),
      },
      feedBytes: new FeedBytes(),
      lists: { served: (id) => lists.get(id) },
      // Without the database, there is nowhere to record pulls.
      pulls: { add: () => {} },
    },
  };
}

function buildStandby({ settings, log, now }: StandbyOptions, services: FeedServices): App {
  const app = fastify({
    loggerInstance: log,
    logController: silentFramework(),
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    return503OnClosing: false,
    forceCloseConnections: true,
    trustProxy: settings.trustProxy === "" ? false : prefixesIn(settings.trustProxy),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: settings.urlBytes },
  }) as unknown as App;
  app.server.maxConnections = settings.connections;
  readRoutes(app);
  addRequestIds(app);
  setSafeHeaders(app);
  app.decorate("addressWindow", () => ({}));
  app.decorateRequest("now", 0);
  app.addHook("onRequest", (request, _reply, done) => {
    request.now = now();
    done();
  });
  app.setErrorHandler((error, request, reply) => answerProblem(deliberate(error) ?? unavailable(), request, reply));
  app.setNotFoundHandler((request, reply) => answerProblem(unavailable(), request, reply));
  app.get("/feeds/:credential/:file", async (request, reply) => {
    const deployment = findFeed(request, (request.params as FeedParameters).credential, services);
    // Credentials may have been replaced since the list was saved, so none can be called wrong.
    if (deployment === undefined) throw unavailable();
    return serveFeed(request, reply, deployment, services);
  });
  return app;
}

/** A state that someone chose, and that was known when the feed was saved. */
function deliberate(error: unknown): Problem | undefined {
  return error instanceof Problem && (error.status === 403 || error.status === 410) ? error : undefined;
}

function unavailable(): Problem {
  return new Problem("service-unavailable", "the database cannot be reached; try again soon", {
    headers: { "retry-after": String(RETRY_AFTER) },
  });
}
