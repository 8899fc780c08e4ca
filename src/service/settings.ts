import { formatPrefix, parsePrefix } from "../address/prefix.ts";
import { baseUrlError, isWebAddress } from "./web-address.ts";

/**
 * One setting of the server: the same entry makes its flag, its variable, its property of the file and its row in the
 * table.
 */
export interface Setting<Value extends SettingValue = SettingValue> {
  /**
   * The long flag without dashes, and the property of the file. The variable is `IPSIEVE_` and this in capitals, with
   * `_` for `-`.
   */
  readonly name: string;
  readonly initial: Value;
  /** The placeholder for the value in the help. */
  readonly value: string;
  /** Another variable, whose name other programs use for the same setting. */
  readonly variable?: string;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly isPath?: true;
  /** Errors do not repeat its value. */
  readonly isSecret?: true;
  /** The error in a text, and what to write instead; undefined if the text is valid. */
  readonly errorOf?: (text: string) => string | undefined;
  readonly help: string;
}

export type SettingValue = string | number | boolean;

const DAY = 86_400;

/** All settings, in the order of the table. Times are seconds, sizes bytes, unless the help says otherwise. */
export const SETTINGS = {
  host: {
    name: "host",
    initial: "127.0.0.1",
    value: "ADDRESS",
    help: "the address to listen on; 0.0.0.0 or :: for all",
  },
  port: {
    name: "port",
    initial: 8080,
    min: 0,
    max: 65_535,
    value: "PORT",
    help: "the port to listen on; 0 for any free one",
  },
  processes: {
    name: "processes",
    initial: 1,
    min: 0,
    max: 1024,
    value: "N",
    help: "how many processes serve requests on the port, each with all rules in its memory; 0: one for each core. Limits on connections, requests in progress and their memory apply to each process",
  },
  baseUrl: {
    name: "base-url",
    initial: "",
    value: "URL",
    errorOf: baseUrlError,
    help: "public base URL for links in responses and the dashboard; default: the URL the request was sent to",
  },
  contact: {
    name: "contact",
    initial: "",
    value: "CONTACT",
    errorOf: contactError,
    help: "email address or URL of the operator, for the API description",
  },
  trustProxy: {
    name: "trust-proxy",
    initial: "",
    value: "PREFIXES",
    errorOf: proxiesError,
    help: "proxies whose X-Forwarded-* headers are trusted, separated by commas",
  },
  database: {
    name: "db",
    initial: "",
    value: "FILE",
    isPath: true,
    help: "the SQLite file; default: ipsieve.db in the home folder",
  },
  databaseUrl: {
    name: "database-url",
    variable: "DATABASE_URL",
    initial: "",
    value: "URL",
    help: "the PostgreSQL database, postgres://..., instead of a file",
  },
  databaseWait: {
    name: "database-wait",
    initial: 60,
    min: 0,
    max: DAY,
    value: "SECONDS",
    help: "how long a start waits for a PostgreSQL database that is still starting or cannot be reached; with --feeds-dir, forever",
  },
  rulesetSnapshots: {
    name: "ruleset-snapshots",
    initial: "",
    value: "FOLDER",
    isPath: true,
    help: "folder for snapshots of large rulesets, which make the next start faster; off: no snapshots; default: next to the SQLite file, in the home folder with PostgreSQL",
  },
  secretKeyFile: {
    name: "secret-key-file",
    initial: "",
    value: "FILE",
    isPath: true,
    help: "the key from which the URLs of feeds are made, and under which credentials of external lists and secrets of webhooks are encrypted, created if it does not exist; without it, devices have to be given new URLs; default: next to the SQLite file, required with PostgreSQL to have feeds and webhooks",
  },
  catalogue: {
    name: "catalogue",
    initial: "",
    value: "FILE",
    isPath: true,
    help: "the catalogue, reloaded when it changes, or a URL that it is pulled from, as by ipsieve pull, with the key in IPSIEVE_API_KEY; default: the one from the last update, otherwise the bundled one",
  },
  catalogueInterval: {
    name: "catalogue-interval",
    initial: 3600,
    min: 1,
    max: DAY,
    value: "SECONDS",
    help: "how often the catalogue is pulled, if --catalogue is a URL; after a failure, at least once a minute",
  },
  trustedKey: {
    name: "trusted-key",
    initial: "",
    value: "FILE",
    isPath: true,
    help: "use the catalogue of --catalogue only if it is signed by a key in this PEM file (ipsieve sign); one that is not is refused, and the last good one stays in use",
  },
  threats: {
    name: "cti",
    initial: "",
    value: "FILE",
    isPath: true,
    help: "the threat-intelligence dataset, reloaded when it changes; default: cti.ipsieve in the home folder, if it exists",
  },
  feedsDir: {
    name: "feeds-dir",
    initial: "",
    value: "FOLDER",
    isPath: true,
    help: "folder in which the last good lists of deployments are kept, readable by the server's user only, so that feeds are served while the database cannot be opened at a start; default: none",
  },
  outboundAllow: {
    name: "outbound-allow",
    initial: "",
    value: "PREFIXES",
    errorOf: prefixesError,
    help: "private and other special-purpose addresses from which the server may fetch external lists, and to which it may send webhooks, separated by commas; default: public addresses only",
  },
  datasetOrganisation: {
    name: "dataset-organisation",
    initial: "",
    value: "NAME",
    help: "the organisation whose admins may update the catalogue and import threat feeds in the dashboard; default: the only one, or none if there are several",
  },
  logLevel: {
    name: "log-level",
    initial: "info",
    value: "LEVEL",
    choices: ["debug", "info", "warn", "error", "silent"],
    help: "minimum level of the JSON lines logged to standard error",
  },
  metrics: {
    name: "metrics",
    initial: "auto",
    value: "WHEN",
    choices: ["auto", "on", "off"],
    help: "who may read /metrics; auto: clients on this machine, if --host is a loopback address and the request did not come through a proxy",
  },
  metricsToken: {
    name: "metrics-token",
    initial: "",
    value: "TOKEN",
    isSecret: true,
    errorOf: tokenError,
    help: "require Authorization: Bearer TOKEN for /metrics; safer in the environment variable than on the command line",
  },
  perMinute: {
    name: "requests-per-minute",
    initial: 6000,
    min: 1,
    max: 1e9,
    value: "N",
    help: "per key, unless the plan sets a limit",
  },
  perMonth: {
    name: "requests-per-month",
    initial: 10_000_000,
    min: 1,
    max: 1e12,
    value: "N",
    help: "per key, unless the plan sets a limit",
  },
  failuresPerMinute: {
    name: "failed-keys-per-minute",
    initial: 60,
    min: 1,
    max: 1e9,
    value: "N",
    help: "requests without a valid key per address (IPv6: per /56) before further ones get 429",
  },
  bouncerDuration: {
    name: "bouncer-duration",
    initial: 86_400,
    min: 10,
    max: 31_536_000,
    value: "SECONDS",
    help: "how long a bouncer enforces what it was sent if the server is not reachable",
  },
  signInsPerMinute: {
    name: "sign-ins-per-minute",
    initial: 10,
    min: 1,
    max: 1e9,
    value: "N",
    help: "sign-in attempts per address (IPv6: per /56), name and known device before further ones get 429",
  },
  sessionHours: {
    name: "session-hours",
    initial: 12,
    min: 1,
    max: 8760,
    value: "HOURS",
    help: "how long a dashboard session lasts",
  },
  auditDays: {
    name: "audit-days",
    initial: 400,
    min: 1,
    max: 36_500,
    value: "DAYS",
    help: "how long audit log entries are kept",
  },
  eventDays: {
    name: "change-days",
    initial: 30,
    min: 1,
    max: 36_500,
    value: "N",
    help: "how many days the change feed is kept; readers that were away for longer read everything again",
  },
  eventsPerOrganisation: {
    name: "changes-per-organisation",
    initial: 5_000_000,
    min: 1000,
    max: 1e9,
    value: "N",
    help: "how many changes of an organisation the change feed keeps",
  },
  rulesPerRuleset: {
    name: "rules-per-ruleset",
    initial: 1_000_000,
    min: 1,
    max: 10_000_000,
    value: "N",
    help: "maximum rules per ruleset, active and expired",
  },
  rulesetsPerOrganisation: {
    name: "rulesets-per-organisation",
    initial: 1000,
    min: 2,
    max: 100_000,
    value: "N",
    help: "maximum rulesets per organisation",
  },
  deploymentsPerOrganisation: {
    name: "deployments-per-organisation",
    initial: 100,
    min: 1,
    max: 1000,
    value: "N",
    help: "maximum deployments per organisation",
  },
  listsPerOrganisation: {
    name: "lists-per-organisation",
    initial: 100,
    min: 1,
    max: 1000,
    value: "N",
    help: "maximum external lists per organisation",
  },
  webhooksPerOrganisation: {
    name: "webhooks-per-organisation",
    initial: 20,
    min: 1,
    max: 100_000,
    value: "N",
    help: "maximum webhook endpoints per organisation",
  },
  credentialsPerOrganisation: {
    name: "credentials-per-organisation",
    initial: 100,
    min: 1,
    max: 100_000,
    value: "N",
    help: "maximum credentials per organisation for bouncers and edge components together, and as many again for TAXII clients",
  },
  specialPurpose: {
    name: "allow-special-purpose",
    initial: false,
    value: "BOOLEAN",
    help: "accept rules for private, loopback, multicast and other special-purpose addresses",
  },
  bodyBytes: {
    name: "body-limit",
    initial: 64 << 10,
    min: 1024,
    max: 1 << 30,
    value: "BYTES",
    help: "maximum size of a request body, except in bulk operations",
  },
  bulkBodyBytes: {
    name: "bulk-body-limit",
    initial: 64 << 20,
    min: 1024,
    max: 1 << 30,
    value: "BYTES",
    help: "maximum size of the body of a replacement or import; for bulk lookups and batches, what --bulk-addresses items can need, but no more than this",
  },
  bodyMemory: {
    name: "body-memory",
    initial: 128 << 20,
    min: 1 << 20,
    max: 2 ** 40,
    value: "BYTES",
    help: "total size of the request bodies in memory, at most a quarter of the JavaScript heap; one caller gets at most half of it; further requests get 503",
  },
  bulkAddresses: {
    name: "bulk-addresses",
    initial: 10_000,
    min: 1,
    max: 1_000_000,
    value: "N",
    help: "maximum addresses in a bulk lookup or check, and items in a batch",
  },
  feedBytes: {
    name: "feed-limit",
    initial: 256 << 20,
    min: 1024,
    max: 999_999_999,
    value: "BYTES",
    help: "maximum size of a threat-intelligence feed uploaded in the dashboard, both as sent and unpacked",
  },
  urlBytes: {
    name: "url-limit",
    initial: 8192,
    min: 256,
    max: 65_536,
    value: "BYTES",
    help: "maximum length of a path with its query",
  },
  headerBytes: {
    name: "header-limit",
    initial: 16_384,
    min: 1024,
    max: 1 << 20,
    value: "BYTES",
    help: "maximum size of the request line and headers together",
  },
  headerTimeout: {
    name: "header-timeout",
    initial: 10,
    min: 1,
    max: DAY,
    value: "SECONDS",
    help: "time for the headers to arrive",
  },
  bodyTimeout: {
    name: "body-timeout",
    initial: 60,
    min: 1,
    max: DAY,
    value: "SECONDS",
    help: "time for the body to arrive; a stream is closed if nothing arrives for this long",
  },
  keepAlive: {
    name: "keep-alive",
    initial: 72,
    min: 1,
    max: DAY,
    value: "SECONDS",
    help: "how long an idle connection is kept open",
  },
  shutdownTimeout: {
    name: "shutdown-timeout",
    initial: 30,
    min: 1,
    max: DAY,
    value: "SECONDS",
    help: "time for requests in progress to finish after SIGTERM",
  },
  connections: {
    name: "connections",
    initial: 10_000,
    min: 1,
    max: 1_000_000,
    value: "N",
    help: "maximum simultaneous connections",
  },
  concurrentRequests: {
    name: "concurrent-requests",
    initial: 1000,
    min: 1,
    max: 1_000_000,
    value: "N",
    help: "maximum requests in progress; further ones get 503",
  },
  changeStreams: {
    name: "change-streams",
    initial: 1000,
    min: 1,
    max: 1_000_000,
    value: "N",
    help: "maximum open streams of changes (text/event-stream), which are not requests in progress; one organisation gets at most half of them",
  },
  eventLoopDelay: {
    name: "event-loop-delay",
    initial: 500,
    min: 10,
    max: 60_000,
    value: "MS",
    help: "mean event-loop delay above which requests get 503",
  },
} as const satisfies Record<string, Setting>;

type Widened<Value> = Value extends string ? string : Value extends number ? number : boolean;

export type Settings = { readonly [Name in keyof typeof SETTINGS]: Widened<(typeof SETTINGS)[Name]["initial"]> };

/** A setting that cannot be used; the message says where it was set and how to fix it. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** Where settings come from; the first source that has one wins: flags, the environment, the file, the default. */
export interface SettingSources {
  /** The text of a flag; undefined if it was not given. */
  readonly flag: (name: string) => string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The content of the file. */
  readonly file: unknown;
}

/** @throws SettingError */
export function readSettings({ flag, environment, file }: SettingSources): Settings {
  const members = membersOf(file);
  const entries = Object.entries<Setting>(SETTINGS).map(([key, setting]) => {
    const variable = variableOf(setting);
    const text = flag(setting.name);
    if (text !== undefined) return [key, parseSetting(setting, text, `--${setting.name}`)];
    if (environment[variable] !== undefined && environment[variable] !== "")
      return [key, parseVariable(setting, environment[variable], variable)];
    if (Object.hasOwn(members, setting.name)) return [key, checkMember(setting, members[setting.name])];
    return [key, setting.initial];
  });
  return Object.fromEntries(entries) as Settings;
}

function parseVariable(setting: Setting, text: string, variable: string): SettingValue {
  if (variable.endsWith("_PORT") && /^(tcp|udp):\/\//.test(text)) {
    throw new SettingError(
      `${variable} ${JSON.stringify(text)}: Kubernetes sets it for a service called ipsieve; set enableServiceLinks: false in the pod, or give --${setting.name} and another name to the service`,
    );
  }
  return parseSetting(setting, text, variable);
}

export function variableOf({ name, variable }: Setting): string {
  return variable ?? `IPSIEVE_${name.toUpperCase().replaceAll("-", "_")}`;
}

export type SettingName = (typeof SETTINGS)[keyof typeof SETTINGS]["name"];

/** The flag and the variable of a setting, for messages. */
export function namesOf(name: SettingName): string {
  return `--${name} or ${variableOf(Object.values<Setting>(SETTINGS).find((setting) => setting.name === name)!)}`;
}

function membersOf(file: unknown): Readonly<Record<string, unknown>> {
  if (file === undefined) return {};
  if (typeof file !== "object" || file === null || Array.isArray(file))
    throw new SettingError("the configuration file must contain a JSON object");
  const known = new Set(Object.values<Setting>(SETTINGS).map(({ name }) => name));
  const unknown = Object.keys(file).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new SettingError(
      `the configuration file has an unknown setting ${JSON.stringify(unknown[0])}; choose one of ${[...known].join(", ")}`,
    );
  return file as Readonly<Record<string, unknown>>;
}

function checkMember(setting: Setting, value: unknown): SettingValue {
  const location = `${JSON.stringify(setting.name)} of the configuration file`;
  if (typeof value === typeof setting.initial) return parseSetting(setting, String(value), location);
  throw new SettingError(`${location} is a ${typeof value}; write a ${typeof setting.initial}`);
}

function parseSetting(
  { initial, min = 0, max = Infinity, choices, isSecret, errorOf }: Setting,
  text: string,
  location: string,
): SettingValue {
  const reject = (cure: string): never => {
    throw new SettingError(`${location}${isSecret === true ? "" : ` ${JSON.stringify(text)}`}: ${cure}`);
  };
  if (typeof initial === "boolean")
    return (
      text === "true" || text === "1" || (text === "false" || text === "0" ? false : reject("write true or false"))
    );
  if (typeof initial === "string") {
    if (choices !== undefined && !choices.includes(text)) return reject(`choose one of ${choices.join(", ")}`);
    const error = text === "" ? undefined : errorOf?.(text);
    return error === undefined ? text : reject(error);
  }
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
  return number >= min && number <= max ? number : reject(`write a whole number from ${min} to ${max}`);
}

function contactError(text: string): string | undefined {
  return isWebAddress(text) || /^[^\s@]+@[^\s@]+$/.test(text)
    ? undefined
    : "write an email address, or a URL with its scheme, such as https://example.org/support";
}

/** What is wrong with a token: it must have the form of `Authorization: Bearer` (RFC 6750) and be too long to guess. */
function tokenError(text: string): string | undefined {
  return /^[A-Za-z0-9._~+/-]{16,}=*$/.test(text)
    ? undefined
    : "write at least 16 letters, digits and . _ ~ + / -, as `openssl rand -base64 32` prints";
}

export function prefixesError(text: string): string | undefined {
  try {
    prefixesIn(text);
    return undefined;
  } catch (error) {
    return `${(error as Error).message}; write addresses or prefixes, such as 10.0.0.0/8,192.0.2.1`;
  }
}

/** Whoever is trusted decides which address a request seems to come from: that is never everyone. */
function proxiesError(text: string): string | undefined {
  const all = prefixesError(text) === undefined ? prefixesIn(text).find((prefix) => prefix.endsWith("/0")) : undefined;
  return all === undefined
    ? prefixesError(text)
    : `${all} would let every client choose its own address; write the addresses of the proxies only, such as 10.0.0.0/8`;
}

/** The prefixes of a setting, in their canonical form. @throws AddressError */
export function prefixesIn(text: string): string[] {
  return text === "" ? [] : text.split(",").map((part) => formatPrefix(parsePrefix(part.trim())));
}
