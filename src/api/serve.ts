import { setFlagsFromString } from "node:v8";
import { makeApiKey } from "../store/api-key.ts";
import { AREAS } from "../store/state.ts";
import type { LoadingStore } from "./loading-store.ts";
import { createLog } from "./plugins/logging.ts";
import { Server } from "./server.ts";
import type { Settings } from "./settings.ts";

export interface ServeOptions {
  readonly settings: Settings;
  readonly store: LoadingStore;
  readonly catalogue: string;
  readonly threats: string | null;
  /** Gives an empty store an organisation with all plans and a key. */
  readonly quickStart: boolean;
  /** What the log says first. */
  readonly warnings: readonly string[];
  /** Where the log goes. */
  readonly logTo: { write(line: string): void };
  /** What is told to whoever started the server. */
  readonly print: (text: string) => void;
}

/**
 * The engine would allocate objects among the old ones at once where many of the same place in the code have survived, which is so after many
 * connections at a time. Those of a request are garbage a moment later, but what is old keeps all that it points to from being collected as young:
 * whole requests grew old, which took a quarter of the time of each.
 */
const KEEP_YOUNG = "--no-allocation-site-pretenuring";

/** Runs a server until SIGTERM or SIGINT, and loads its snapshots again at SIGHUP. Resolves when all is closed; rejects with what cannot be opened. */
export async function serve({ quickStart, warnings, logTo, print, ...options }: ServeOptions): Promise<void> {
  setFlagsFromString(KEEP_YOUNG);
  const log = createLog(options.settings.logLevel, logTo);
  for (const warning of warnings) log.warn(warning);
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const server = await Server.start({ ...options, log });
  const reload = (): void => void server.reload();
  const stop = (): void => end();
  process.on("SIGHUP", reload).on("SIGTERM", stop).on("SIGINT", stop);
  print(`ipsieve listens on ${server.url}; its operations are told at ${server.url}/docs\n`);
  if (quickStart) print(await firstSteps(server));
  if (server.setupToken !== null) print(setupText(server));
  await ended;
  await server.close();
  process.off("SIGHUP", reload).off("SIGTERM", stop).off("SIGINT", stop);
}

/** How to make the first user. Behind a proxy the dashboard has another address than the server. */
function setupText({ url, setupToken, services }: Server): string {
  const base = services.settings.baseUrl.replace(/\/$/, "") || url;
  return `\nNobody can sign in to the dashboard yet. Make the first user with this link, which works once and until the server stops:\n\n  ${base}/#/setup?token=${setupToken}\n\n`;
}

/** Makes the organisation and the key of an empty store, and tells three requests that work. */
async function firstSteps({ url, store, services }: Server): Promise<string> {
  if (services.memory.organisationCount > 0) return "The store has an organisation already; its key was shown once, when it was made.\n";
  const about = { actor: "command:quick-start", at: services.now() };
  const { organisation, rulesets } = await store.write({ kind: "create-organisation", ...about, name: "Quick start" });
  const owned = { ...about, organisationId: organisation.id };
  for (const area of AREAS) await store.write({ kind: "set-plan", ...owned, area, active: true, until: null, perMinute: null, perMonth: null });
  const { text: key, digest, start } = makeApiKey();
  await store.write({ kind: "create-key", ...owned, label: "quick start", access: "read_write", digest, start, expiresAt: null });
  const header = `-H 'X-API-Key: ${key}'`;
  const { id } = rulesets.find(({ purpose }) => purpose === "blocklist")!;
  return [
    `\nThe organisation "${organisation.name}" has two rulesets and this key, which is shown only now:\n\n  ${key}\n\nThree requests to try:\n`,
    `  curl ${header} '${url}/v1/cbs/lookup?ip=1.1.1.1'`,
    `  curl ${header} '${url}/v1/cti/lookup/198.51.100.130'`,
    `  curl ${header} -H 'Content-Type: application/json' -d '{"ip":"1.2.3.0/24","name":"a network","expires_in_days":30}' '${url}/v1/edl/ip-rulesets/${id}/rules'\n`,
    "",
  ].join("\n");
}
