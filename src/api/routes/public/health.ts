import { metricsAdmission } from "../../access/admit-metrics.ts";
import type { App } from "../../app-type.ts";
import { withSharedParts } from "../../openapi/document.ts";
import { asVersion30 } from "../../openapi/version-30.ts";
import { DOCUMENT_ICON, documentPage, DOCUMENT_STYLE } from "../../openapi/document-page.ts";
import { nothingAt } from "../../plugins/problems.ts";
import { vary } from "../../http/content-coding.ts";
import { sendJson, sendText } from "../../http/reply.ts";
import { hasSlashAtEnd } from "../built-files.ts";
import type { Services } from "../../../service/services.ts";
import { StaticDocument } from "../../openapi/static-document.ts";

/** Milliseconds; the server polls for changes every second. */
const MAX_STALENESS = 10_000;

/** Served however busy the server is. */
const HEALTH = { config: { isHealth: true } };

/** What needs no key: health, metrics, and the description of the service. */
export function addHealthRoutes(app: App, services: Services): void {
  app.get("/livez", HEALTH, (_request, reply) => sendText(reply, "text/plain", "ok\n"));
  app.get("/readyz", HEALTH, async (request, reply) => {
    const missing = missingParts(services, app.connections.isClosing);
    reply.code(missing.length === 0 ? 200 : 503);
    vary(reply, "Accept");
    // A probe gets the text whatever its Accept header says.
    if (request.headers.accept?.startsWith("application/json") === true)
      return sendJson(reply, JSON.stringify(await readiness(services, missing)));
    return sendText(reply, "text/plain", missing.length === 0 ? "ok\n" : `not ready: ${missing.join(", ")}\n`);
  });
  addMetrics(app, services);
  addDocuments(app);
}

function addMetrics(app: App, { settings, metrics, peers }: Services): void {
  const admit = metricsAdmission(settings);
  app.get("/metrics", HEALTH, async (request, reply) => {
    const verdict = admit(request);
    if (verdict !== "admitted") throw verdict === "hidden" ? nothingAt("/metrics") : verdict;
    return sendText(reply, "text/plain", await metrics.page(await peers.ask("metrics", null)));
  });
}

/** Why the server should get no requests. Anyone may ask: it names the part, and the log says what is wrong with it. */
function missingParts({ data: { catalogue }, store }: Services, isClosing: boolean): string[] {
  const states: readonly (readonly [isMissing: boolean, what: string])[] = [
    [catalogue.generation === 0, "the catalogue is not loaded"],
    [store.isDown, "the database fails"],
    [store.staleness() > MAX_STALENESS, "changes of other servers are not read"],
    [isClosing, "the server is closing"],
  ];
  return states.filter(([isMissing]) => isMissing).map(([, what]) => what);
}

async function readiness(services: Services, missing: readonly string[]): Promise<object> {
  const { store } = services;
  const { followedCatalogue } = services.data;
  return {
    ready: missing.length === 0,
    missing,
    database: store.isDown ? "fails" : "ok",
    // How long ago changes of other servers were read.
    staleness_seconds: Math.round(store.staleness() / 100) / 10,
    ...(followedCatalogue && { catalogue_pull: pullState(await pullFailingSince(services)) }),
  };
}

/** Only the first process pulls it. */
async function pullFailingSince({ data: { followedCatalogue }, peers }: Services): Promise<number | null> {
  const since = [followedCatalogue?.failingSince ?? null, ...(await peers.ask("pullFailingSince", null))];
  return since.find((each) => each !== null) ?? null;
}

/** The last good catalogue stays in use, so the server is ready nevertheless. */
function pullState(failingSince: number | null): object {
  return failingSince === null ? { state: "ok" } : { state: "fails", since: new Date(failingSince).toISOString() };
}

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function addDocuments(app: App): void {
  const add = (path: string, type: string, write: () => string): void => {
    const document = new StaticDocument(type, write);
    app.get(path, (request, reply) => document.send(request, reply));
  };
  for (const [scope, folder] of [
    ["public", ""],
    ["dashboard", "/dashboard/api"],
  ] as const) {
    add(`${folder}/openapi.json`, "application/json", () => JSON.stringify(withSharedParts(app.openApi(scope))));
    add(`${folder}/openapi-3.0.json`, "application/json", () =>
      JSON.stringify(asVersion30(withSharedParts(app.openApi(scope)))),
    );
  }
  const page = new StaticDocument("text/html", () => documentPage(app.openApi("public")));
  app.get("/docs", (request, reply) => {
    // The page's links are relative to its path, wherever a proxy has put it.
    if (hasSlashAtEnd(request)) return reply.redirect("../docs", 308);
    reply.headers({ "content-security-policy": POLICY, "referrer-policy": "no-referrer" });
    return page.send(request, reply);
  });
  add("/docs.css", "text/css", () => DOCUMENT_STYLE);
  add("/favicon.ico", "image/svg+xml", () => DOCUMENT_ICON);
}
