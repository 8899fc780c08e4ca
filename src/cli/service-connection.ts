import { readFileSync } from "node:fs";
import type { Client } from "../client/client.ts";
import { ProblemError, ServiceError } from "../client/errors.ts";
import { isApiKeyText } from "../store/api-key.ts";
import type { Arguments, Option } from "./command.ts";
import { UsageError } from "./usage-error.ts";

const DEFAULT_SERVER = "http://127.0.0.1:8080";

/** Every command that talks to a server takes these. */
export const CONNECTION_OPTIONS: readonly Option[] = [
  { name: "server", value: "URL", help: `URL of the server; default: $IPSIEVE_SERVER, otherwise ${DEFAULT_SERVER}` },
  {
    name: "key-file",
    value: "FILE",
    isPath: true,
    help: "a file that contains only the API key; default: the key in $IPSIEVE_API_KEY",
  },
];

/** The note of every such command. */
export const KEY_NOTE =
  "There is no option for the key itself: other users of this machine can see command lines, and shells keep them in their history.";

export interface ConnectionOptions {
  /** Send each request once, without keeping its body, rather than wait while the server is busy. */
  readonly once?: boolean;
}

/**
 * Hands over a client of the server that was named. Throws UsageError for what the server rejects, ConnectionError
 * where it does not answer.
 */
export async function withService<T>(
  args: Arguments,
  use: (client: Client) => Promise<T>,
  { once = false }: ConnectionOptions = {},
): Promise<T> {
  const [baseUrl, key] = [serverOf(args), keyOf(args)];
  const { Client: ServiceClient } = await import("../client/client.ts");
  const client = new ServiceClient({ baseUrl, key, ...(once ? { maxWait: 0 } : {}) });
  try {
    return await use(client);
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(rejectionText(baseUrl, error)) : error;
  }
}

/** By the option, else by the environment. Throws UsageError. */
export function serverOf(args: Arguments, { IPSIEVE_SERVER = "" }: NodeJS.ProcessEnv = process.env): string {
  const given = args.value("server");
  const text = given ?? (IPSIEVE_SERVER === "" ? DEFAULT_SERVER : IPSIEVE_SERVER);
  const url = URL.parse(text);
  const isGood =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === "";
  if (!isGood)
    throw new UsageError(
      `${given === undefined ? "IPSIEVE_SERVER" : "--server"}: write http://HOST:PORT or https://HOST, without a name, password or parameters`,
    );
  return text.replace(/\/+$/, "");
}

/** The key, which no message shows. */
function keyOf(args: Arguments, { IPSIEVE_API_KEY = "" }: NodeJS.ProcessEnv = process.env): string {
  const path = args.value("key-file");
  if (path === undefined && IPSIEVE_API_KEY === "")
    throw new UsageError(
      'a server needs an API key: set IPSIEVE_API_KEY, or name a file that holds one with --key-file; "ipsieve key create" makes keys',
    );
  const [text, place] = path === undefined ? [IPSIEVE_API_KEY.trim(), "IPSIEVE_API_KEY"] : [keyIn(path), path];
  if (isApiKeyText(text)) return text;
  throw new UsageError(
    `${place}: this is not an API key; copy the whole key as "ipsieve key create" or the dashboard showed it: 42 characters that begin with ips_`,
  );
}

function keyIn(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new UsageError(
      `--key-file ${path}: it cannot be read (${(error as NodeJS.ErrnoException).code}); check the path and its permissions`,
    );
  }
}

function rejectionText(server: string, error: ServiceError): string {
  const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`;
  const target = error.headers.get("location");
  if (error.status >= 300 && error.status < 400 && target !== null)
    return `${server}: the server redirects to ${target}; give the server's own address with --server`;
  if (error.status === 401)
    return `${server}: the server does not accept the key: it is unknown there, has expired or was revoked; check the key and the address (a new key works within a second)`;
  if (error instanceof ProblemError && Object.keys(error.validationErrors).length > 0) return parametersText(error);
  if (error instanceof ProblemError) return `${server}: ${error.message}${error.status >= 500 ? request : ""}`;
  return `${server}: ${error.message}${request}; check that ipsieve is what answers at this address`;
}

/** The parameters of a request are the options of a command, but for the dashes. */
function parametersText({ validationErrors }: ProblemError): string {
  return Object.entries(validationErrors)
    .flatMap(([field, messages]) => messages.map((message) => `--${field.replaceAll("_", "-")}: ${message}`))
    .join("; ");
}
