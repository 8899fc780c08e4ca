import type { Agent, Dispatcher } from "undici";
import { addressBits } from "../../address/address.ts";
import { parseAddress } from "../../address/parse-address.ts";
import { prefixContains } from "../../address/prefix.ts";
import { type AddressRules, pinnedLookup } from "../../update/pinned-lookup.ts";
import { UpdateError } from "../../update/update-error.ts";
import { isLiteral, reservedHost } from "../reserved-host.ts";

/** Milliseconds until the headers of the response must have arrived. */
const TIMEOUT = 15_000;
/** Milliseconds and bytes for the rest of a response, which no one reads, so that its connection can be used again. */
const REST_TIME = 2000;
const REST_BYTES = 1 << 14;
/** Maximum connections to one origin, which may have several endpoints. */
const CONNECTIONS = 20;
const MAX_URL = 2000;

/** The outcome of a request. */
export interface PostResult {
  /** null: there was no response. */
  readonly status: number | null;
  /** Why it failed; "" if it did not. The text contains no address that a host name resolved to. */
  readonly error: string;
  /** Milliseconds to wait before a retry, if the response specified them. */
  readonly retryAfter: number | null;
}

/**
 * Sends to URLs that users have entered without being led into the operator's network: a host's addresses are checked
 * and the connection goes to one of those; redirects are not followed; of a response, only the status and the headers
 * are used.
 */
export class GuardedPost {
  readonly #rules: AddressRules;
  readonly #timeout: number;
  #agent: Agent | undefined;

  /** `allow`: special-purpose addresses that may be connected to. */
  constructor(rules: AddressRules, timeout: number = TIMEOUT) {
    this.#rules = rules;
    this.#timeout = timeout;
  }

  /** Why a URL is invalid, whatever the addresses of its host; undefined if it is valid. */
  async errorOf(text: string): Promise<string | undefined> {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) return "write a URL, such as https://example.org/hooks";
    if (!text.isWellFormed()) return "a URL with half a surrogate pair is not accepted";
    if (text.length > MAX_URL) return `a URL has at most ${MAX_URL} characters`;
    if (url.username !== "" || url.password !== "") return "a URL with a user name or password is not accepted";
    if (url.hash !== "" || text.includes("#")) return "a URL with a fragment (#) is not accepted";
    if (url.protocol === "http:" && !(isLiteral(url.hostname) || url.hostname === "localhost"))
      return "use https: only addresses that the operator allows are reached by http";
    return this.#addressError(url);
  }

  async #addressError(url: URL): Promise<string | undefined> {
    if (url.protocol === "http:" && isLiteral(url.hostname) && !this.#isAllowed(url.hostname))
      return "use https: only addresses that the operator allows (--outbound-allow) are reached by http";
    return reservedHost(url, this.#rules);
  }

  #isAllowed(hostname: string): boolean {
    const address = parseAddress(hostname.replace(/^\[|\]$/g, ""));
    const prefix = { ...address, length: addressBits(address.family) };
    return this.#rules.allow.some((range) => prefixContains(range, prefix));
  }

  /** Never rejects. `signal` ends it early. */
  async send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<PostResult> {
    const error = await this.errorOf(url);
    if (error !== undefined) return { status: null, error, retryAfter: null };
    const timeout = AbortSignal.timeout(this.#timeout);
    try {
      const agent = await this.#open();
      const response = await agent.request({
        origin: new URL(url).origin,
        path: new URL(url).pathname + new URL(url).search,
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "*/*" },
        body,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      return resultOf(response);
    } catch (thrown) {
      return { status: null, error: this.#described(thrown as Error, new URL(url).hostname), retryAfter: null };
    }
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  async #open(): Promise<Agent> {
    if (this.#agent !== undefined) return this.#agent;
    // Not imported at the top: most servers start without an endpoint.
    const { Agent: Connections } = await import("undici");
    return (this.#agent ??= new Connections({
      connections: CONNECTIONS,
      allowH2: false,
      headersTimeout: this.#timeout,
      connect: { lookup: pinnedLookup(this.#rules), timeout: this.#timeout },
    }));
  }

  #described(error: Error, host: string): string {
    if (error instanceof UpdateError)
      return error.code === "address-refused"
        ? `${host} resolves to an address that is reserved or in a private network; the operator can allow it with --outbound-allow`
        : `${host} has no address`;
    const code = String((error as NodeJS.ErrnoException).code ?? "");
    if (error.name === "TimeoutError" || /_TIMEOUT$|^ETIMEDOUT$/.test(code))
      return `no response within ${this.#timeout / 1000} s`;
    if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return `the certificate is not trusted (${code})`;
    // The message of an error of the system contains the address.
    return error.name === "AbortError" ? "ended before there was a response" : `no response (${code || error.name})`;
  }
}

function resultOf({ statusCode: status, headers, body }: Dispatcher.ResponseData): PostResult {
  // A response that never ends costs only its connection.
  void body.dump({ limit: REST_BYTES, signal: AbortSignal.timeout(REST_TIME) }).catch(() => undefined);
  body.on("error", () => undefined);
  const isRedirect = status >= 300 && status < 400;
  const isGood = status >= 200 && status < 300;
  const error = isGood ? "" : isRedirect ? `status ${status}: redirects are not followed` : `status ${status}`;
  return { status, error, retryAfter: isGood ? null : retryAfterOf(headers["retry-after"]) };
}

/** Milliseconds, from seconds or a date. */
function retryAfterOf(header: string | string[] | undefined, now: number = Date.now()): number | null {
  if (typeof header !== "string") return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
