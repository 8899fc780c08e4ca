import type { Client } from "../../client/client.ts";
import { ProblemError, ServiceError, type ValidationErrors } from "../../client/errors.ts";
import { isApiKeyText } from "../../store/records/api-key.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { shellWord } from "../output/shell-word.ts";
import { readKeyFile } from "../options/key-file.ts";
import { UsageError } from "../runner/usage-error.ts";

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

/** Those that are given, for a command that is advised, each after a blank. */
export function connectionWords(args: Arguments): string {
  return CONNECTION_OPTIONS.map(({ name }) => [name, args.value(name)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` --${name} ${shellWord(value!)}`)
    .join("");
}

/** The note of every such command. */
export const KEY_NOTE =
  "A server requires a key. There is no option for the key itself: other users of this machine can see command lines, and shells keep them in their history.";

export interface ConnectionOptions {
  /** Send each request once, without keeping its body, rather than wait while the server is busy. */
  readonly once?: boolean;
}

/** The given server, and the key, which is read once because its file may be a pipe. */
export class ServiceConnection {
  readonly server: string;
  readonly #key: string;

  /** Throws UsageError for anything that cannot be a server or a key. */
  constructor(args: Arguments) {
    this.server = serverOf(args);
    this.#key = keyOf(args);
  }

  /**
   * Runs a task with a client. Throws UsageError for what the server rejects, ConnectionError if it does not answer.
   */
  async use<T>(use: (client: Client) => Promise<T>, options: ConnectionOptions = {}): Promise<T> {
    const client = await this.#client(options);
    try {
      return await use(client);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** The same for paged results. */
  async *each<T>(list: (client: Client) => AsyncIterable<T>): AsyncGenerator<T> {
    const client = await this.#client({});
    try {
      yield* list(client);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #client({ once = false }: ConnectionOptions): Promise<Client> {
    const { Client: ServiceClient } = await import("../../client/client.ts");
    return new ServiceClient({ baseUrl: this.server, key: this.#key, ...(once ? { maxWait: 0 } : {}) });
  }

  #explained(error: unknown): unknown {
    return error instanceof ServiceError ? new UsageError(rejectionText(this.server, error)) : error;
  }
}

/** From the option, else from the environment. Throws UsageError. */
function serverOf(args: Arguments): string {
  const { IPSIEVE_SERVER = "" } = process.env;
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

/**
 * The key, for servers that may require none; undefined if none is given. Throws UsageError for text that is not a key.
 */
export function keyIfGiven(args: Arguments): string | undefined {
  return args.has("key-file") || (process.env["IPSIEVE_API_KEY"] ?? "") !== "" ? keyOf(args) : undefined;
}

/** The key, which no message shows. */
function keyOf(args: Arguments): string {
  const { IPSIEVE_API_KEY = "" } = process.env;
  const path = args.value("key-file");
  if (path === undefined && IPSIEVE_API_KEY === "")
    throw new UsageError(
      'a server needs an API key: set IPSIEVE_API_KEY, or name a file that holds one with --key-file; "ipsieve admin key create" makes keys',
    );
  const [text, origin] =
    path === undefined ? [IPSIEVE_API_KEY.trim(), "IPSIEVE_API_KEY"] : [readKeyFile(path, "--key-file").trim(), path];
  if (isApiKeyText(text)) return text;
  throw new UsageError(
    `${origin}: this is not an API key; copy the whole key as "ipsieve admin key create" or the dashboard showed it: 42 characters that begin with ips_`,
  );
}

function rejectionText(server: string, error: ServiceError): string {
  const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`;
  const target = error.headers.get("location");
  if (error.status >= 300 && error.status < 400 && target !== null)
    return `${server}: the server redirects to ${target}; give the server's own address with --server`;
  if (error.status === 401)
    return `${server}: the server does not accept the key: it is unknown there, has expired or was revoked; check the key and the address (a new key works within a second)`;
  if (error instanceof ProblemError && Object.keys(error.validationErrors).length > 0)
    return parametersText(error.validationErrors);
  if (error instanceof ProblemError) return `${server}: ${error.message}${error.status >= 500 ? request : ""}`;
  return `${server}: ${error.message}${request}; check that this is the address of an ipsieve server`;
}

/** Request parameters have the same names as the command's options, apart from the dashes. */
export function parametersText(errors: ValidationErrors): string {
  return Object.entries(errors)
    .flatMap(([field, messages]) => messages.map((message) => `--${field.replaceAll("_", "-")}: ${message}`))
    .join("; ");
}
