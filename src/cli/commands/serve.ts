import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessLink } from "../../api/processes/process-link.ts";
import { cluster } from "../../api/processes/cluster.ts";
import type { ChildCommand } from "../../service/datasets/child-command.ts";
import type { FeedTarget } from "../../service/datasets/feed-imports.ts";
import {
  prefixesIn,
  readSettings,
  type Setting,
  SettingError,
  SETTINGS,
  type Settings,
  variableOf,
} from "../../service/settings.ts";
import type { SnapshotPaths } from "../../service/datasets/served-dataset.ts";
import { isWebAddress } from "../../service/web-address.ts";
import type { StoreLocation } from "../../store/open-store.ts";
import { BUNDLED_NETWORKS } from "../../datasets/open-networks.ts";
import { BUNDLED_CATALOGUE } from "../../datasets/open-catalogue.ts";
import { type Arguments, type Command, EXIT, type Option } from "../runner/command.ts";
import { reportError } from "../runner/report-error.ts";
import { datasetPath } from "../snapshots/default-datasets.ts";
import { SAMPLE_DATASET } from "../../datasets/sample-dataset.ts";
import { currentCatalogue, historyFolder, homeFolder, makePrivateFolder, currentNetworks } from "../snapshots/home.ts";
import { permissionWarnings } from "../database/permission-warnings.ts";
import { databaseLocation, makeFolderOf } from "../database/service-database.ts";
import { trustedKeysIn } from "../options/trusted-keys.ts";
import { UsageError } from "../runner/usage-error.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "run the HTTP service",
  operands: "",
  options: [
    ...Object.values<Setting>(SETTINGS).map(optionOf),
    {
      name: "config",
      value: "FILE",
      isPath: true,
      help: "a JSON file of settings, named like the options without the leading dashes",
    },
    {
      name: "quick-start",
      help: "if the database is empty, create an organisation with all plans and an API key; if there is no threat intelligence, use a small sample",
    },
  ],
  notes: [
    "A setting comes from its option, otherwise from its environment variable (IPSIEVE_PORT for --port), otherwise from the --config file, otherwise it has its default. The log is written to standard error.",
    "SIGHUP reloads the catalogue and the threat intelligence, which also happens when a file changes. SIGTERM lets requests in progress finish; a second one does not. Exit code: 0 after a signal, 143 or 130 after a second SIGTERM or SIGINT, 2 if the server cannot start, or 75 if it may start later without any change, as the database, the port or the address was not available.",
  ],
  guardsItsOutput: true,
  examples: [
    { command: "ipsieve serve --quick-start", what: "a server to try out, on port 8080" },
    {
      command: "IPSIEVE_PORT=80 ipsieve serve --host :: --database-url postgres://ipsieve@db/ipsieve",
      what: "one of several",
    },
  ],
  run,
};

function optionOf(setting: Setting): Option {
  const { name, value, choices, isPath, help, initial } = setting;
  const described = initial === "" ? help : `${help} [${String(initial)}]`;
  return {
    name,
    value,
    help: described,
    ...(choices === undefined ? {} : { choices }),
    ...(isPath === undefined ? {} : { isPath }),
  };
}

async function run(args: Arguments): Promise<number> {
  try {
    return await runServer(args);
  } catch (error) {
    if (!mayPass(error)) throw error;
    reportError(error);
    return EXIT.mayPass;
  }
}

/** Whether the cause may go away by itself: the database cannot be reached, the port or the address is not available. */
function mayPass(error: unknown): boolean {
  const {
    name,
    mayPass: isPassing = false,
    cause,
  } = error as { name?: string; mayPass?: true; cause?: { code?: string } };
  return name === "ListenError" ? PASSING.has(cause!.code!) : isPassing;
}

/** While a machine starts, an address or a name may not be there yet. */
const PASSING: ReadonlySet<string> = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "ENOTFOUND"]);

async function runServer(args: Arguments): Promise<number> {
  const settings = settingsOf(args);
  const processes = settings.processes || availableParallelism();
  if (processes === 1) return serveRequests(args, settings);
  if (cluster().isPrimary) return superviseAll(processes, settings, storeOf(args, settings));
  const link = await openLink();
  try {
    return await serveRequests(args, settings, link);
  } finally {
    link.close();
  }
}

/** `link`: if the server has several processes, the connection of this one to the others. */
async function serveRequests(args: Arguments, settings: Settings, link?: ProcessLink): Promise<number> {
  const catalogue = catalogueOf(settings);
  const quickStart = args.has("quick-start");
  // The store is read while the modules of the server are found and compiled, which takes a few tenths of a second.
  const { openLoading } = await import("../../service/store/loading-store.ts");
  const location = storeOf(args, settings);
  const warnings = "file" in location ? permissionWarnings(location.file, homeFolder()) : [];
  const store = openLoading(location, settings, homeFolder(), link);
  const { serve } = await import("../../api/serve.ts");
  const { LineWriter } = await import("../../api/line-writer.ts");
  const isFirst = link === undefined || link.isFirst;
  const [logTo, printTo] = [new LineWriter(process.stderr, link !== undefined), new LineWriter(process.stdout)];
  const isWritten = await serve({
    settings,
    store,
    catalogue,
    threats: threatsOf(settings, quickStart),
    networks: [currentNetworks(homeFolder()), BUNDLED_NETWORKS],
    historyFolder: settings.catalogue === "" ? historyFolder(homeFolder()) : undefined,
    updateCommand: updateCommandOf(settings),
    pullCommand: pullCommandOf(settings),
    feedTarget: feedTargetOf(settings),
    secretKeyFile: secretKeyFileOf(settings, location),
    quickStart: quickStart && isFirst,
    warnings: isFirst ? warnings : [],
    logTo,
    printTo,
    link,
  });
  // A reader that has stopped reading would keep the process alive as long as lines are waiting for it.
  if (!isWritten) process.exit(EXIT.matched);
  return EXIT.matched;
}

/** Runs the process that starts the others, and serves nothing itself. */
async function superviseAll(processes: number, settings: Settings, location: StoreLocation): Promise<number> {
  const { lackOfMemory, roomHere } = await import("../../api/processes/process-room.ts");
  const lack = lackOfMemory(processes, roomHere());
  if (lack !== undefined) throw new UsageError(lack);
  const { supervise } = await import("../../api/processes/supervise.ts");
  const { LineWriter } = await import("../../api/line-writer.ts");
  const [logTo, printTo] = [new LineWriter(process.stderr, true), new LineWriter(process.stdout)];
  const { exitCode, isWritten } = await supervise({ processes, settings, location, logTo, printTo });
  if (!isWritten) process.exit(exitCode);
  return exitCode;
}

async function openLink(): Promise<ProcessLink> {
  const { ProcessLink } = await import("../../api/processes/process-link.ts");
  return ProcessLink.open();
}

function settingsOf(args: Arguments): Settings {
  const path = args.value("config");
  try {
    return readSettings({
      flag: (name) => args.value(name),
      environment: process.env,
      file: path === undefined ? undefined : readConfiguration(path),
    });
  } catch (error) {
    throw error instanceof SettingError ? new UsageError(error.message) : error;
  }
}

function readConfiguration(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${path}: cannot read the configuration file: ${(error as Error).message}`);
  }
}

/** In the order of every command: the flag, then the variable, then the configuration file, then the home folder. */
function storeOf(args: Arguments, { database, databaseUrl }: Settings): StoreLocation {
  const { IPSIEVE_DB = "", DATABASE_URL = "" } = process.env;
  const isNamed = args.has("db") || args.has("database-url") || IPSIEVE_DB !== "" || DATABASE_URL !== "";
  const inFile = (name: string): string | undefined => (name === "db" ? database : databaseUrl) || undefined;
  const location = databaseLocation(isNamed ? args : { ...args, value: inFile });
  makeFolderOf(location);
  return location;
}

/** `--secret-key-file`, else beside the SQLite file; servers of one PostgreSQL database need the same one. */
function secretKeyFileOf({ secretKeyFile }: Settings, location: StoreLocation): string | undefined {
  if (secretKeyFile !== "") return resolve(secretKeyFile);
  return "file" in location ? `${location.file}.key` : undefined;
}

/** `--catalogue`, or where what its URL has is pulled to; else the one that an update has built or will build, else the bundled one. */
function catalogueOf({ catalogue, trustedKey }: Settings): SnapshotPaths {
  if (trustedKey !== "" && catalogue === "")
    throw new UsageError(
      "--trusted-key: catalogues that this server updates are not signed; name a signed one with --catalogue",
    );
  const trustedKeys = trustedKey === "" ? undefined : trustedKeysIn(trustedKey);
  if (isWebAddress(catalogue)) return { paths: [pulledCatalogue()], mayBeMissing: true, trustedKeys };
  return {
    trustedKeys,
    paths: catalogue !== "" ? [resolve(catalogue)] : [currentCatalogue(homeFolder()), BUNDLED_CATALOGUE],
    mayBeMissing: false,
  };
}

/** `--cti`, else the one in the home folder, once there is one, else the sample for a quick start. */
function threatsOf({ threats }: Settings, quickStart: boolean): SnapshotPaths {
  if (threats !== "") return { paths: [resolve(threats)], mayBeMissing: false };
  return { paths: [datasetPath(homeFolder()), ...(quickStart ? [SAMPLE_DATASET] : [])], mayBeMissing: true };
}

/** What the dashboard runs to update the catalogue; undefined if the server would not use what an update writes. */
function updateCommandOf({ catalogue, trustedKey }: Settings): ChildCommand | undefined {
  const home = homeFolder();
  if (trustedKey !== "") return undefined;
  if (catalogue !== "" && resolve(catalogue) !== currentCatalogue(home)) return undefined;
  return ownCommand("cbs", "update", "--json", "--progress", "json", "--home", home);
}

/** What pulls the catalogue; undefined unless `--catalogue` is a URL. */
function pullCommandOf({ catalogue, outboundAllow, trustedKey }: Settings): ChildCommand | undefined {
  if (!isWebAddress(catalogue)) return undefined;
  makePrivateFolder(homeFolder());
  const allowed = prefixesIn(outboundAllow).flatMap((prefix) => ["--allow-address", prefix]);
  const output = ["-o", pulledCatalogue(), "--kind", "catalogue", "--json", "--progress", "none"];
  const keys = trustedKey === "" ? [] : ["--trusted-key", trustedKey];
  return ownCommand("pull", catalogue, ...output, ...keys, ...allowed);
}

/** The last good one that was pulled. */
function pulledCatalogue(): string {
  return join(homeFolder(), "pulled-catalogue.ipsieve");
}

/** What the dashboard runs to import a feed, and what that replaces; undefined as for updates of the catalogue. */
function feedTargetOf({ threats }: Settings): FeedTarget | undefined {
  const output = datasetPath(homeFolder());
  if (threats !== "" && resolve(threats) !== output) return undefined;
  return { command: ownCommand("cti", "import"), output };
}

function ownCommand(...args: readonly string[]): ChildCommand {
  const main = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));
  return { program: process.execPath, args: [main, ...args], environment: withoutSettings(process.env) };
}

/** No other process may learn the database's password. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = new Set(Object.values<Setting>(SETTINGS).map(variableOf));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !settings.has(name)));
}
