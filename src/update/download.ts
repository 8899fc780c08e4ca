import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, Dispatcher } from "undici";
import { printable, quoted } from "../address/address-error.ts";
import { type AddressRules, checkedAddresses, pinnedLookup } from "./pinned-lookup.ts";
import { isExcepted, type Proxy, ProxyTunnels } from "./proxy-tunnels.ts";
import { UpdateError, type UpdateErrorCode } from "./update-error.ts";

/** Limits of one download. */
export interface DownloadLimits {
  /** Bytes on the wire, and decoded. */
  readonly bytes: number;
  /** Milliseconds for one attempt in total, and without receiving a byte. */
  readonly totalTime: number;
  readonly idleTime: number;
  readonly redirects: number;
  /** Attempts including the first; only transient failures are retried. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; four times as many before each further one. */
  readonly pause: number;
}

/** The largest lists have hundreds of thousands of rows, some tens of bytes each. */
export const DOWNLOAD_LIMITS: DownloadLimits = {
  bytes: 64 << 20,
  totalTime: 120_000,
  idleTime: 20_000,
  redirects: 5,
  attempts: 3,
  pause: 1000,
};

export interface DownloadOptions extends AddressRules {
  readonly userAgent: string;
  readonly limits?: Partial<DownloadLimits>;
  /** Certificates to trust instead of the system's, PEM. */
  readonly ca?: string;
  /** The proxy for https. None is used unless it is named here. */
  readonly proxy?: Proxy;
  /** Maximum connections to one host, each for one download at a time; others wait. Default: 1. */
  readonly connections?: number;
}

/** The validators of a conditional request, which the server sent with the copy that we have. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Headers by their names in lower case. */
export type Headers = Readonly<Record<string, string>>;

export interface Download extends Validators {
  readonly bytes: Buffer;
}

/** A response that is neither a redirect nor a transient failure. */
export interface OpenResponse {
  /** The final URL, after all redirects. */
  readonly url: URL;
  readonly status: number;
  /** A header, by its name in lower case. */
  readonly header: (name: string) => string | null;
  /** The body as sent; read it to its end or `dump` it. */
  readonly body: Dispatcher.ResponseData["body"];
  readonly signal: AbortSignal;
}

/** The request, and what is done with its response; called again for each attempt. */
export interface Exchange<Result> {
  readonly headers: () => Headers | Promise<Headers>;
  /** Headers for the URL itself, never for one that it redirects to. */
  readonly credentials?: Headers | undefined;
  readonly take: (response: OpenResponse) => Promise<Result>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses of transient failures. */
const TRANSIENT_STATUS = new Set([429, 500, 502, 503, 504]);
/** Bytes of an unneeded body that are read to keep the connection; after more, it is closed. */
const DUMPED = 1 << 16;
/** Maximum seconds that a server may make us wait before the next attempt. */
const MAX_RETRY_AFTER = 60;

/** Downloads over https, from checked addresses only, with few connections per host. */
export class Downloader {
  readonly #agent: Agent;
  readonly #tunnels: ProxyTunnels | undefined;
  readonly #options: DownloadOptions;
  readonly #limits: DownloadLimits;

  private constructor(
    agent: Agent,
    tunnels: ProxyTunnels | undefined,
    options: DownloadOptions,
    limits: DownloadLimits,
  ) {
    this.#agent = agent;
    this.#tunnels = tunnels;
    this.#options = options;
    this.#limits = limits;
  }

  static async create(options: DownloadOptions): Promise<Downloader> {
    const limits = { ...DOWNLOAD_LIMITS, ...options.limits };
    // Not imported at the top: loading it takes longer than most commands take.
    const { Agent } = await import("undici");
    const agentOptions: Agent.Options = {
      connections: options.connections ?? 1,
      allowH2: false,
      headersTimeout: limits.idleTime,
      bodyTimeout: limits.idleTime,
      maxResponseSize: limits.bytes,
      connect: {
        lookup: pinnedLookup(options),
        timeout: limits.idleTime,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      },
    };
    const { proxy, ca } = options;
    const tunnels = proxy && (await ProxyTunnels.open(proxy, options, agentOptions, ca));
    return new Downloader(new Agent(agentOptions), tunnels, options, limits);
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#tunnels?.close()]);
  }

  /**
   * The document at `url`, decoded; "same" if it still has these validators. Redirects are followed, each checked like
   * the first address. `credentials` are headers for this URL only, never for one that it redirects to.
   * @throws UpdateError
   */
  async get(url: string, validators?: Validators, credentials?: Headers): Promise<Download | "same"> {
    const { etag = null, lastModified = null } = validators ?? {};
    const isConditional = etag !== null || lastModified !== null;
    const headers = {
      "accept-encoding": "gzip, br",
      ...(etag === null ? {} : { "if-none-match": etag }),
      ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
    };
    const take = (response: OpenResponse): Promise<Download | "same"> => this.#whole(response, isConditional);
    return this.exchange(url, { headers: () => headers, credentials, take });
  }

  /**
   * Lets `take` read the response as it arrives. Redirects are followed, and attempts repeated, as by `get`.
   * @throws UpdateError, and what `take` throws, unless that looks like a failure of the connection
   */
  async exchange<Result>(url: string, exchange: Exchange<Result>): Promise<Result> {
    const { attempts, pause } = this.#limits;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(url, exchange);
      } catch (error) {
        if (!(error instanceof TransientError)) throw error;
        if (attempt === attempts)
          throw attempts === 1
            ? error
            : new UpdateError(error.code, `${error.message}; tried ${attempts} times`, { cause: error });
        await sleep(error.retryAfter ?? pause * 4 ** (attempt - 1));
      }
    }
  }

  async #attempt<Result>(url: string, { headers, credentials, take }: Exchange<Result>): Promise<Result> {
    const { totalTime, redirects } = this.#limits;
    const signal = AbortSignal.timeout(totalTime);
    const own = { accept: "*/*", "user-agent": this.#options.userAgent, ...(await headers()) };
    let location = url;
    for (let hop = 0; hop <= redirects; hop++) {
      const address = await this.#checkedUrl(location);
      try {
        const response = await this.#request(address, { ...(hop === 0 ? credentials : {}), ...own }, signal);
        const redirect = await redirectOf(response, address, signal);
        if (redirect === undefined) return await take(opened(response, address, signal));
        location = redirect;
      } catch (error) {
        throw this.#describe(error, address);
      }
    }
    throw new UpdateError("redirect", `${url}: more than ${redirects} redirects`);
  }

  /** Cleartext never leaves this machine. The addresses of names are checked when a connection is made. */
  async #checkedUrl(text: string): Promise<URL> {
    const url = URL.parse(text);
    if (url === null) throw new UpdateError("bad-url", `${quoted(text)} is not a URL`);
    const { protocol, hostname, username, password } = url;
    if (protocol !== "https:" && !(protocol === "http:" && isThisMachine(hostname)))
      throw new UpdateError("bad-url", `${text}: only https URLs are fetched`);
    if (username !== "" || password !== "")
      throw new UpdateError("bad-url", `${url.host}: URLs with a user name or password are not fetched`);
    if (/^[\d.]+$|^\[/.test(hostname)) await checkedAddresses(hostname, this.#options);
    return url;
  }

  async #request(url: URL, headers: Headers, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const request = { path: url.pathname + url.search, method: "GET", signal } as const;
    const { proxy } = this.#options;
    if (this.#tunnels === undefined || url.protocol !== "https:" || isExcepted(proxy!, url))
      return this.#agent.request({ ...request, origin: url.origin, headers });
    const { agent, origin } = await this.#tunnels.to(url);
    return agent.request({ ...request, origin, headers: { host: url.host, ...headers } });
  }

  async #whole(response: OpenResponse, isConditional: boolean): Promise<Download | "same"> {
    const { status, header, body, signal } = response;
    if (status === 200) {
      const bytes = await this.#read(body, header("content-encoding"), signal);
      return { bytes, etag: checkedEtag(header("etag")), lastModified: checkedDate(header("last-modified")) };
    }
    await body.dump({ limit: DUMPED, signal });
    if (status === 304 && isConditional) return "same";
    throw statusError(response);
  }

  async #read(body: Readable, encoding: string | null, signal: AbortSignal): Promise<Buffer> {
    const most = this.#limits.bytes;
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = async (source: AsyncIterable<unknown>): Promise<void> => {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > most) throw new UpdateError("too-large", `it has more than ${most} bytes`);
        chunks.push(chunk);
      }
    };
    const decoder = await decoderFor(encoding);
    if (decoder === undefined) {
      await pipeline(body, collect, { signal });
      return Buffer.concat(chunks);
    }
    let given = 0;
    const count = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        given += chunk.length;
        yield chunk;
      }
    };
    await pipeline(body, count, decoder, collect, { signal });
    // A decoder of gzip ignores what follows a member if that begins with a NUL.
    if (given > decoder.bytesWritten)
      throw new UpdateError("encoding", `the compressed data ends at byte ${decoder.bytesWritten} of ${given}`);
    return Buffer.concat(chunks);
  }

  /** Any error of a request, with the URL. */
  #describe(error: unknown, { href }: URL): Error {
    if (error instanceof TransientError) return error;
    if (error instanceof UpdateError) {
      const problem = error.message.startsWith(href) ? error.message : `${href}: ${error.message}`;
      return error.code === "unreachable"
        ? new TransientError(error.code, problem, undefined, { cause: error })
        : new UpdateError(error.code, problem, { cause: error });
    }
    if (!(error instanceof Error)) return new UpdateError("unreachable", `${href}: ${String(error)}`);
    // A DOMException, which an AbortSignal throws, has a number.
    const code = String((error as NodeJS.ErrnoException).code ?? "");
    const [kind, problem] = explainedByProxy(error, this.#options.proxy) ?? explained(code, error, this.#limits);
    if (kind === "unreachable" || code.endsWith("_TIMEOUT"))
      return new TransientError(kind, `${href}: ${problem}`, undefined, { cause: error });
    return new UpdateError(kind, `${href}: ${problem}`, { cause: error });
  }
}

function opened({ statusCode, headers, body }: Dispatcher.ResponseData, url: URL, signal: AbortSignal): OpenResponse {
  return { url, status: statusCode, header: (name) => textOf(headers[name]), body, signal };
}

/** Where a response redirects to. @throws TransientError for the status of a transient failure */
async function redirectOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
  signal: AbortSignal,
): Promise<string | undefined> {
  const location = textOf(headers["location"]);
  const isRedirect = REDIRECTS.has(statusCode) && location !== null && URL.canParse(location, url.href);
  if (!isRedirect && !TRANSIENT_STATUS.has(statusCode)) return undefined;
  await body.dump({ limit: DUMPED, signal });
  if (isRedirect) return new URL(location, url.href).href;
  const problem = `${url.href} responds with status ${statusCode}`;
  throw new TransientError("status", problem, retryAfter(textOf(headers["retry-after"])));
}

/** The error of a status that the request does not expect. */
export function statusError({ url, status }: Pick<OpenResponse, "url" | "status">, cure = ""): UpdateError {
  const what = status === 304 ? ", which was not requested" : "";
  return new UpdateError("status", `${url.href} responds with status ${status}${what}${cure}`);
}

/**
 * A failure after which another attempt makes sense; with the milliseconds to wait before it, if the server specified
 * them.
 */
export class TransientError extends UpdateError {
  readonly retryAfter: number | undefined;

  constructor(code: UpdateErrorCode, message: string, retryAfter?: number, options?: ErrorOptions) {
    super(code, message, options);
    this.retryAfter = retryAfter;
  }
}

/**
 * Why the proxy has rejected the request or cannot be reached; undefined if the proxy is not the cause. Its URL may
 * contain a password.
 */
function explainedByProxy(error: Error, proxy: Proxy | undefined): [UpdateErrorCode, string] | undefined {
  if (proxy === undefined) return undefined;
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (status === "407")
    return [
      "proxy",
      `the proxy ${proxy.url.host} requires a user name and password, or rejected those given; put them into its URL`,
    ];
  if (status !== undefined) return ["proxy", `the proxy ${proxy.url.host} responds to CONNECT with status ${status}`];
  const { address, port } = error as { address?: string; port?: number };
  const isProxy =
    String(port) === (proxy.url.port || (proxy.url.protocol === "https:" ? "443" : "80")) && address !== undefined;
  return isProxy
    ? ["unreachable", `the proxy ${proxy.url.host} cannot be reached (${printable(error.message)})`]
    : undefined;
}

function explained(
  code: string,
  error: Error,
  { bytes, totalTime, idleTime }: DownloadLimits,
): [UpdateErrorCode, string] {
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return ["timeout", `it took longer than ${totalTime / 1000} s`];
  if (code.endsWith("_TIMEOUT")) return ["timeout", `no data arrived for ${idleTime / 1000} s`];
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return ["too-large", `it has more than ${bytes} bytes`];
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
    return ["unreachable", "the response does not have the length that it states"];
  if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI") || code.startsWith("ERR__ERROR"))
    return ["encoding", `the compressed data is corrupt (${printable(error.message)})`];
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return [
      "untrusted",
      `the certificate is not trusted (${printable(error.message)}); for a mirror of your own, name its authority in NODE_EXTRA_CA_CERTS`,
    ];
  return ["unreachable", `no complete response (${printable(error.message)})`];
}

async function decoderFor(
  encoding: string | null,
): Promise<(Transform & { readonly bytesWritten: number }) | undefined> {
  if (encoding === null || encoding === "identity") return undefined;
  const { createBrotliDecompress, createGunzip } = await import("node:zlib");
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  throw new UpdateError("encoding", `the response has the compression ${quoted(encoding)}, which was not requested`);
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === "string" ? header : null;
}

/** A text that is not an entity tag (RFC 9110, 8.8.3) is not sent back. */
export function checkedEtag(text: string | null): string | null {
  return text !== null && /^(W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(text) ? text : null;
}

export function checkedDate(text: string | null): string | null {
  return text !== null && text.length < 40 && !Number.isNaN(Date.parse(text)) ? text : null;
}

function retryAfter(text: string | null): number | undefined {
  return text !== null && /^\d{1,3}$/.test(text) ? Math.min(Number(text), MAX_RETRY_AFTER) * 1000 : undefined;
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
