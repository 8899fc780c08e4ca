import { nearest } from "../../words/nearest.ts";
import { UsageError } from "./usage-error.ts";

const PREFIX = "IPSIEVE_";

/**
 * The variables that every command reads, and those of the project's tests and benchmarks, which run commands in their
 * own environment.
 */
const KNOWN: ReadonlySet<string> = new Set([
  "IPSIEVE_HOME",
  "IPSIEVE_DB",
  "IPSIEVE_SERVER",
  "IPSIEVE_API_KEY",
  "IPSIEVE_CHROMIUM",
  "IPSIEVE_KILLS",
  "IPSIEVE_LISTS",
  "IPSIEVE_PARENT",
  "IPSIEVE_TEST_ENGINE",
]);

/** The variables that Kubernetes and Docker set in each container for a service whose name begins with ipsieve. */
const SERVICE_LINK =
  /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$|_(NAME|ENV_\w+)$/;

/**
 * For every command: an unknown variable would otherwise be silently ignored by the command it is meant for. Throws
 * UsageError.
 */
export async function rejectUnknownVariables(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const names = Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      environment[name] !== "" &&
      !KNOWN.has(name) &&
      !isServiceLink(name, environment[name]!),
  );
  if (names.length === 0) return;
  // Loaded only if there are any: most commands do not need the server's settings.
  const { SETTINGS, variableOf } = await import("../../service/settings.ts");
  const settings = Object.values(SETTINGS).map(variableOf);
  const unknown = names.find((name) => !settings.includes(name));
  if (unknown === undefined) return;
  const known = [...KNOWN, ...settings]
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  const wanted = unknown.slice(PREFIX.length);
  // IPSIEVE_KEY is meant as IPSIEVE_API_KEY.
  const meant = nearest(wanted, known) ?? known.find((name) => name.endsWith(`_${wanted}`));
  const cure =
    meant === undefined ? '"ipsieve help serve" lists the settings; unset it' : `did you mean ${PREFIX}${meant}?`;
  throw new UsageError(`the environment variable ${unknown} is not known; ${cure}`);
}

function isServiceLink(name: string, value: string): boolean {
  return SERVICE_LINK.test(name) || (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value));
}
