import { constants } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { makeApiKey } from "../store/records/api-key.ts";
import { AREAS } from "../store/state.ts";
import type { ChildCommand } from "../service/datasets/child-command.ts";
import { fileName } from "../service/deployments/feed-files.ts";
import { readDefinition } from "../service/deployments/read-deployment.ts";
import type { FeedTarget } from "../service/datasets/feed-imports.ts";
import { closeWriters, type LineWriter } from "./line-writer.ts";
import type { LoadingStore } from "../service/store/loading-store.ts";
import { createLog } from "./plugins/logging.ts";
import type { ProcessLink } from "./processes/process-link.ts";
import { type EndSignal, firstSignal } from "./end-signals.ts";
import { Server } from "./server.ts";
import type { Settings } from "../service/settings.ts";
import type { SnapshotPaths } from "../service/datasets/served-dataset.ts";

export interface ServeOptions {
  readonly settings: Settings;
  readonly store: LoadingStore;
  readonly catalogue: SnapshotPaths;
  readonly threats: SnapshotPaths;
  readonly networks: readonly string[];
  readonly historyFolder: string | undefined;
  readonly updateCommand: ChildCommand | undefined;
  readonly pullCommand: ChildCommand | undefined;
  readonly feedTarget: FeedTarget | undefined;
  /** Adds an organisation with all plans and a key to an empty store. */
  readonly secretKeyFile: string | undefined;
  readonly quickStart: boolean;
  /** Logged once the database is open, so that no advice is about the file of another program. */
  readonly warnings: readonly string[];
  /** Where the log goes. */
  readonly logTo: LineWriter;
  /** Where texts for the person who starts the server go. */
  readonly printTo: LineWriter;
  /** If the server has several processes: the connection of this one to the others. */
  readonly link?: ProcessLink | undefined;
}

/**
 * If many objects allocated at the same place in the code have survived, as after many simultaneous connections, the
 * engine allocates further ones directly in the old generation. The objects of a request are garbage a moment later,
 * but old objects keep everything they point to from being collected as young: whole requests grew old, which took a
 * quarter of the time of each.
 */
const KEEP_YOUNG = "--no-allocation-site-pretenuring";

/**
 * Runs a server until SIGTERM or SIGINT, and reloads its snapshots at SIGHUP. Resolves when everything is closed, with
 * whether all lines have been written; rejects with the error of what cannot be opened.
 */
export async function serve({
  quickStart,
  warnings,
  logTo,
  printTo,
  link,
  ...options
}: ServeOptions): Promise<boolean> {
  setFlagsFromString(KEEP_YOUNG);
  const log = createLog(options.settings.logLevel, logTo, link?.start.number);
  let started: Server | undefined;
  // A signal before there is anything to reload must not end the process either.
  const reload = (): void => void started?.reload();
  if (link === undefined) process.on("SIGHUP", reload);
  else link.onReload(reload);
  const amongOthers = link && { peers: link, setupToken: link.start.setupToken };
  const server = (started = await Server.start({ ...options, ...amongOthers, log }));
  for (const warning of warnings) log.warn(warning);
  reportLostLines(logTo, server, log);
  const again = (second: EndSignal): void => endAtOnce(second, server, log);
  const signal = link === undefined ? firstSignal(again) : link.firstSignal(again);
  const lines = [`ipsieve listens on ${server.url}; API reference: ${server.url}/docs\n`];
  if (quickStart) lines.push(await firstSteps(server));
  if (server.setupToken !== null) lines.push(setupText(server));
  if (link === undefined) printTo.write(lines.join(""));
  else link.ready(lines.join(""));
  await shutDown(await signal, server, log);
  process.off("SIGHUP", reload);
  return closeWriters(logTo, printTo);
}

function reportLostLines(logTo: LineWriter, { services }: Server, log: Logger): void {
  services.metrics.addLostLogLines(() => logTo.lostCount);
  logTo.onRecovery = ({ count, firstAt, lastAt, reason }) => {
    const about = { lost: count, first: new Date(firstAt).toISOString(), last: new Date(lastAt).toISOString(), reason };
    log.error(about, count === 1 ? "1 log line was lost" : `${count} log lines were lost`);
  };
}

async function shutDown(signal: EndSignal, server: Server, log: Logger): Promise<void> {
  const { shutdownTimeout } = server.services.settings;
  log.info(
    { signal, requests: server.busy, timeout: shutdownTimeout },
    "shutting down; requests in progress are completed first",
  );
  const cutOff = await server.close();
  if (cutOff === 0) log.info({ cut_off: 0 }, "shut down; every request was answered");
  else
    log.warn(
      { cut_off: cutOff },
      `shut down; ${cutOff === 1 ? "1 request was" : `${cutOff} requests were`} cut off after ${shutdownTimeout} s (--shutdown-timeout)`,
    );
}

/** For users who do not want to wait: the exit code is that of a process ended by a signal. */
function endAtOnce(signal: EndSignal, server: Server, log: Logger): void {
  log.warn({ signal, cut_off: server.busy }, "ended at once by a second signal");
  server.cutOff();
  process.exit(128 + constants.signals[signal]);
}

/** How to create the first user. Behind a proxy, the dashboard has another address than the server. */
function setupText({ url, setupToken, services }: Server): string {
  const base = services.settings.baseUrl.replace(/\/$/, "") || url;
  const only = services.memory.onlyOrganisation;
  const organisation = only === undefined ? "" : `&organisation=${encodeURIComponent(only.name)}`;
  return `\nNo users yet. Create the first one with this link, which works once and until the server stops:\n\n  ${base}/#/setup?token=${setupToken}${organisation}\n\n`;
}

/** Creates the organisation and the key of an empty store, and prints requests that work. */
async function firstSteps({ url, store, services }: Server): Promise<string> {
  if (services.memory.organisationCount > 0)
    return "The store already has an organisation; its key was shown once, when it was created.\n";
  const about = { actor: "command:quick-start", at: services.now() };
  const { organisation, rulesets } = await store.write({ kind: "create-organisation", ...about, name: "Quick start" });
  const owned = { ...about, organisationId: organisation.id };
  for (const area of AREAS)
    await store.write({ kind: "set-plan", ...owned, area, active: true, until: null, perMinute: null, perMonth: null });
  const { text: key, digest, start } = makeApiKey();
  await store.write({
    kind: "create-credential",
    credential: "api",
    ...owned,
    label: "quick start",
    access: "read_write",
    digest,
    start,
  });
  const header = `-H 'X-API-Key: ${key}'`;
  const { id } = rulesets.find(({ purpose }) => purpose === "blocklist")!;
  return [
    `\nThe organisation "${organisation.name}" has two rulesets and this key, which is not shown again:\n\n  ${key}\n\nRequests to try; the last is what a firewall pulls:\n`,
    `  curl ${header} '${url}/v1/cbs/lookup?ip=1.1.1.1'`,
    `  curl ${header} '${url}/v1/cti/lookup/198.51.100.130'`,
    `  curl ${header} -H 'Content-Type: application/json' -d '{"ip":"1.2.3.0/24","name":"a network","expires_in_days":30}' '${url}/v1/edl/ip-rulesets/${id}/rules'`,
    ...(await exampleFeed(owned, id, { url, store, services })),
    "",
  ].join("\n");
}

/** A deployment of the ruleset, and the request that devices send; none where the server has no key file. */
async function exampleFeed(
  owned: { readonly actor: string; readonly at: number; readonly organisationId: string },
  ruleset: string,
  { url, store, services }: Pick<Server, "url" | "store" | "services">,
): Promise<string[]> {
  if (!services.access.secretKey.hasPath) return [];
  const fields = { include: [{ ruleset }], update_frequency: "5m" } as const;
  const { organisationId, at: now } = owned;
  const definition = await readDefinition(fields, { organisationId, now, services: services.publishing.sources });
  const { deployment } = await store.write({ kind: "create-deployment", ...owned, name: "Edge firewall", definition });
  const file = fileName({ part: "combined", chunk: null, checksum: null }, deployment);
  return [`  curl '${url}/feeds/${services.publishing.feedTokens.tokenOf(deployment)}/${file}'`];
}
