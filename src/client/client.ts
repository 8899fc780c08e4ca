// oxlint-disable-next-line import/no-unassigned-import -- it runs before what other modules need
import "../runtime/require-node.ts";
import type { components, paths } from "./_operations.ts";
import { ConnectionError, errorOf, ServiceError } from "./errors.ts";
import { eventsOf } from "./events.ts";
import {
  type Answer,
  type AnyInit,
  dataOf,
  type Exchanges,
  type Init,
  type Method,
  type Paths,
  requestOf,
} from "./exchange.ts";
import { type InvalidAddress, lookUpEach } from "./look-up-each.ts";
import type { MirrorOptions, RulesetMirror } from "./mirror.ts";
import { type Fetch, patientFetch, sleep } from "./patient-fetch.ts";

export {
  ConnectionError,
  ProblemError,
  ServiceError,
  ThreatLookupError,
  type ProblemDocument,
  type ValidationErrors,
} from "./errors.ts";

export { IncompleteAnswer, type InvalidAddress } from "./look-up-each.ts";

type Schemas = components["schemas"];
/** A ruleset, with how many rules it has. */
export type Ruleset = Schemas["Ruleset"];
/** A rule of a ruleset. */
export type Rule = Schemas["Rule"];
/** What an import of rules did. */
export type ImportAnswer = Schemas["ImportResponse"];
/** A rule to add or to delete, in a batch. */
export type BatchItem = Schemas["BatchRequest"]["items"][number];
/** What compacting a ruleset changed or, in a dry run, would change. */
export type CompactAnswer = Schemas["CompactResponse"];
/** What replacing a ruleset's rules changed or, in a dry run, would change. */
export type ReplaceAnswer = Schemas["ReplaceResponse"];
/** A version of a ruleset whose rules are kept. */
export type RulesetVersion = Schemas["RulesetVersion"];
/** A prefix of a node of the catalogue. */
export type CbsRange = Schemas["CbsRange"];
/** Something that rules would block and a blocklist should not. */
export type Collateral = Schemas["Collateral"];
/** Why an address or prefix is allowed, blocked or neither, and until when. */
export type Explanation = Schemas["Explanation"];
/** The active rules of a ruleset that cover an address or prefix. */
export type CheckResult = Schemas["CheckResult"];
/** A list that others publish, with its state. */
export type ExternalList = Schemas["ExternalList"];
/** The properties of a new external list. */
export type CreateExternalList = Schemas["CreateExternalListRequest"];
/** The properties of an external list to change. */
export type UpdateExternalList = Schemas["UpdateExternalListRequest"];
/** A list at a URL that devices fetch, with its state. */
export type Deployment = Schemas["Deployment"];
/** The properties of a new deployment. */
export type CreateDeployment = Schemas["CreateDeploymentRequest"];
/** The list that a deployment would have. */
export type DeploymentPreview = Schemas["DeploymentPreview"];
/** Changes of a deployment, to preview its list with them. */
export type PreviewDeployment = Schemas["PreviewDeploymentRequest"];
/** A deployment that does not exist yet, to preview its list. */
export type PreviewNewDeployment = Schemas["PreviewNewDeploymentRequest"];
/** Which services an address or prefix belongs to. */
export type CbsLookup = Schemas["CbsLookup"];
/** Whether threat intelligence has seen an address, and whether it may be spoofed. */
export type BulkThreat = Schemas["BulkThreat"];
/** A change of the change feed. */
export type Change = Schemas["Change"];
/** A change of the audit log. */
export type Status = Schemas["Status"];
/** An entry of the audit log. */
export type AuditEntry = Schemas["AuditEntry"];
/** Which changes of the audit log, and how many. */
export type AuditFilters = NonNullable<paths["/v1/audit"]["get"]["parameters"]["query"]>;
export type { MirrorOptions, RulesetMirror } from "./mirror.ts";

/** How a client reaches the service. */
export interface ClientOptions {
  /** The URL of the service, such as `https://lists.example.org`. */
  readonly baseUrl: string;
  /** An API key, sent as `X-API-Key`. */
  readonly key: string;
  /**
   * The maximum total time that a request waits, in milliseconds, when the service asks to retry later (429, 503); 0:
   * never. 60,000 by default.
   */
  readonly maxWait?: number;
  /**
   * Makes every response reflect at least what earlier responses did, above all this client's writes, when several
   * servers share a database. Responses may take longer.
   */
  readonly readYourWrites?: boolean;
  /** The function that sends requests; the platform's `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Sends a request; resolves to the body of the response, typed by the operation. Rejects with ServiceError,
 * ConnectionError.
 */
type Call<Verb extends Method> = <Path extends Paths<Verb>, Given extends Init<Path, Verb>>(
  path: Path,
  ...init: undefined extends Given ? [init?: Given] : [init: Given]
) => Promise<Exclude<Answer<Path, Verb, Given>["data"], undefined>>;

/** How to fetch the pages of a list. */
export interface PageOptions {
  /** Items per request: 1 to 1,000; default 1,000. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

/** How to look addresses up. */
export interface LookupOptions {
  readonly signal?: AbortSignal;
}

/** How to look services of addresses up. */
export interface ServiceLookupOptions extends LookupOptions {
  /** Uses the catalogue that was in use at this time: a date (until its end, UTC), or a date and time with a zone. */
  readonly asOf?: string;
}

/** Where a stream of changes begins, and what ends it. */
export interface ChangesOptions {
  /** The number of the last known change; the stream begins after it. */
  readonly after?: number | undefined;
  /** The feed that the number belongs to: with another one, the service responds 410. */
  readonly feed?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_PAGE_SIZE = 1000;
/** Milliseconds until a stream of changes that has ended is opened again. */
const [MIN_RECONNECT, MAX_RECONNECT] = [250, 10_000];

/**
 * A client of the service, for Node and browsers. `get`, `post`, `put`, `patch` and `delete` take a path of the API and
 * its parameters and body, all typed, and resolve to the body of the response; `http` also gives the response, for its
 * headers. Every error response rejects with ServiceError: ProblemError, or ThreatLookupError; without a response, it
 * is ConnectionError. Writes get their own Idempotency-Key unless they have one, so that they can be repeated. A
 * `signal` aborts a request, including any wait before a retry, with its reason. Redirects are not followed: they are
 * ServiceErrors.
 *
 *     const client = new Client({ baseUrl: "https://lists.example.org", key });
 *     for await (const { id, name } of client.rulesets()) console.log(id, name);
 */
export class Client {
  /** The same calls with the whole response: `{ data, response }`. */
  readonly http: Exchanges;
  readonly #address: string;
  readonly #key: string;
  readonly #readsWrites: boolean;
  readonly #fetch: Fetch;
  /** The number of the last change that any response so far may reflect. */
  #sequence = 0;

  constructor({ baseUrl, key, maxWait = 60_000, readYourWrites = false, fetch = globalThis.fetch }: ClientOptions) {
    this.#address = baseUrl.replace(/\/$/, "");
    this.#key = key;
    this.#readsWrites = readYourWrites;
    this.#fetch = patientFetch(
      reaching((request) => fetch(request)),
      maxWait,
    );
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
    this.http = Object.fromEntries(
      methods.map((method) => [method, (path: string, init = {}) => this.#exchange(method, path, init)]),
    ) as unknown as Exchanges;
  }

  readonly get: Call<"get"> = (path, ...init) => this.#call("GET", path, init);
  readonly post: Call<"post"> = (path, ...init) => this.#call("POST", path, init);
  readonly put: Call<"put"> = (path, ...init) => this.#call("PUT", path, init);
  readonly patch: Call<"patch"> = (path, ...init) => this.#call("PATCH", path, init);
  readonly delete: Call<"delete"> = (path, ...init) => this.#call("DELETE", path, init);

  /** All rulesets of the organisation, in the order of their creation, page after page. */
  rulesets({
    purpose,
    pageSize = MAX_PAGE_SIZE,
    signal,
  }: PageOptions & { readonly purpose?: Ruleset["purpose"] } = {}): AsyncGenerator<Ruleset, void> {
    const query = { page_size: pageSize, ...(purpose === undefined ? {} : { purpose }) };
    return items((cursor) =>
      this.get("/v1/edl/ip-rulesets/", { params: { query: { ...query, cursor } }, ...ending(signal) }),
    );
  }

  /**
   * All rules of a ruleset, by address, page after page. Rules that exist the whole time are neither missed nor
   * repeated, whatever is added or deleted meanwhile.
   */
  rules(
    rulesetId: string,
    { activeOnly = false, pageSize = MAX_PAGE_SIZE, signal }: PageOptions & { readonly activeOnly?: boolean } = {},
  ): AsyncGenerator<Rule, void> {
    const path = { ruleset_id: rulesetId };
    return items((cursor) =>
      this.get("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
        params: { path, query: { active_only: activeOnly, page_size: pageSize, cursor } },
        ...ending(signal),
      }),
    );
  }

  /** The versions of a ruleset whose rules `rules:export` returns, newest first, page after page. */
  async *versions(
    rulesetId: string,
    { pageSize = MAX_PAGE_SIZE, signal }: PageOptions = {},
  ): AsyncGenerator<RulesetVersion, void> {
    const path = { ruleset_id: rulesetId };
    for (let page = 1, hasMore = true; hasMore; page++) {
      const { items, next } = await this.get("/v1/edl/ip-rulesets/{ruleset_id}/versions", {
        params: { path, query: { page, page_size: pageSize } },
        ...ending(signal),
      });
      yield* items;
      hasMore = next !== null;
    }
  }

  /** All deployments of the organisation, in the order of their creation, page after page. */
  deployments({ pageSize = MAX_PAGE_SIZE, signal }: PageOptions = {}): AsyncGenerator<Deployment, void> {
    return items((cursor) =>
      this.get("/v1/edl/deployments/", { params: { query: { page_size: pageSize, cursor } }, ...ending(signal) }),
    );
  }

  /** All external lists of the organisation, in the order of their creation, page after page. */
  externalLists({ pageSize = MAX_PAGE_SIZE, signal }: PageOptions = {}): AsyncGenerator<ExternalList, void> {
    return items((cursor) =>
      this.get("/v1/edl/lists/", { params: { query: { page_size: pageSize, cursor } }, ...ending(signal) }),
    );
  }

  /** All prefixes of a node of the catalogue and of those below it; of the whole catalogue without one. */
  ranges(id?: string, { pageSize = MAX_PAGE_SIZE, signal }: PageOptions = {}): AsyncGenerator<CbsRange, void> {
    const query = { page_size: pageSize, ...(id === undefined ? {} : { id }) };
    return items((cursor) =>
      this.get("/v1/cbs/ranges", { params: { query: { ...query, cursor } }, ...ending(signal) }),
    );
  }

  /**
   * Checks any number of addresses and prefixes against a ruleset: the result of each, in order, or what is wrong with
   * it. They are sent as they are needed, a few thousand per request, so memory stays bounded. Rejects with
   * IncompleteAnswer if the service stops halfway.
   */
  checkEach(
    rulesetId: string,
    addresses: Iterable<string> | AsyncIterable<string>,
    { signal }: LookupOptions = {},
  ): AsyncGenerator<CheckResult | InvalidAddress, void> {
    const params = { path: { ruleset_id: rulesetId } };
    return lookUpEach(addresses, (body) =>
      this.#lines("/v1/edl/ip-rulesets/{ruleset_id}/rules:check", body, { params, ...ending(signal) }),
    );
  }

  /**
   * The changes of the organisation as they are made, in order and without gaps, after number `after`, or from now on.
   * It connects again when the connection breaks or the service restarts, and ends only by `break` or `signal`. Rejects
   * with ServiceError of status 410 when changes after `after` are no longer kept, or `feed` is of another database:
   * read everything again.
   */
  async *changes({ after, feed, signal }: ChangesOptions = {}): AsyncGenerator<Change, void> {
    const first =
      after === undefined
        ? await this.get("/v1/changes", { params: { query: { limit: 1 } }, ...ending(signal) })
        : undefined;
    let known = after ?? first!.sequence;
    for (let wait = MIN_RECONNECT; ; wait = Math.min(2 * wait, MAX_RECONNECT)) {
      signal?.throwIfAborted();
      try {
        for await (const change of this.#events(known, feed ?? first?.feed, signal)) {
          wait = MIN_RECONNECT;
          known = change.sequence;
          yield change;
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
      await sleep(wait, signal ?? new AbortController().signal);
    }
  }

  /**
   * A ruleset of the service in this process, which follows its changes: addresses are checked without a request, some
   * milliseconds behind at most. Resolves when all rules have been read. It survives restarts of the service, and reads
   * all rules again when it was away for too long. Rejects with ServiceError, ConnectionError.
   */
  async mirror(rulesetId: string, options: MirrorOptions = {}): Promise<RulesetMirror> {
    // Most programs need no rules of their own.
    const { RulesetMirror } = await import("./mirror.ts");
    const snapshot = (id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> =>
      this.#call("GET", "/v1/snapshot", [{ params: { query: { ruleset_id: id } }, parseAs: "stream", signal }]);
    const service = { snapshot, changes: (following: ChangesOptions) => this.changes(following) };
    const mirror = new RulesetMirror(service, rulesetId, options);
    await mirror.read();
    void mirror.follow();
    return mirror;
  }

  async *#events(
    after: number,
    feed: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Change, void> {
    const query = { after, ...(feed === undefined ? {} : { feed }) };
    const headers = { Accept: "text/event-stream" };
    const body = await this.#call("GET", "/v1/changes", [
      { params: { query }, headers, parseAs: "stream", ...ending(signal) },
    ]);
    for await (const data of eventsOf(body)) yield JSON.parse(data) as Change;
  }

  /** As `checkEach`: which services each address or prefix belongs to. */
  lookUpServices(
    addresses: Iterable<string> | AsyncIterable<string>,
    { signal, asOf }: ServiceLookupOptions = {},
  ): AsyncGenerator<CbsLookup | InvalidAddress, void> {
    const params = { query: asOf === undefined ? {} : { as_of: asOf } };
    return lookUpEach(addresses, (body) => this.#lines("/v1/cbs/lookup", body, { params, ...ending(signal) }));
  }

  /** As `checkEach`: whether threat intelligence has seen each address. */
  lookUpThreats(
    addresses: Iterable<string> | AsyncIterable<string>,
    { signal }: LookupOptions = {},
  ): AsyncGenerator<(BulkThreat & { readonly ip: string }) | InvalidAddress, void> {
    return lookUpEach(addresses, (body) => this.#lines("/v1/cti/bulk_lookup", body, ending(signal)));
  }

  /** Sends lines of JSON and yields the lines of the response. */
  async #lines(path: string, body: string, init: object): Promise<ReadableStream<Uint8Array>> {
    const headers = { "Content-Type": "application/x-ndjson", Accept: "application/x-ndjson" };
    const asIs = (text: unknown): string => text as string;
    return this.#call("POST", path, [{ ...init, body, bodySerializer: asIs, headers, parseAs: "stream" }]);
  }

  /** The public methods carry the types; here all calls are alike. */
  async #call(method: string, path: string, [init = {}]: readonly unknown[]): Promise<any> {
    const { data } = await this.#exchange(method, path, init as AnyInit);
    return data;
  }

  async #exchange(method: string, path: string, init: AnyInit): Promise<{ data: unknown; response: Response }> {
    const headers = new Headers({ "X-API-Key": this.#key });
    if (method !== "GET" && path.startsWith("/v1/edl/")) headers.set("idempotency-key", crypto.randomUUID());
    if (this.#readsWrites && this.#sequence > 0) headers.set("x-after-sequence", String(this.#sequence));
    const response = await this.#fetch(requestOf(this.#address, method, path, init, headers));
    this.#sequence = Math.max(this.#sequence, Number(response.headers.get("x-sequence") ?? 0));
    if (!response.ok && response.status !== 304) throw await errorOf(response);
    try {
      return { data: await dataOf(response, init.parseAs), response };
    } catch (error) {
      throw error instanceof TypeError && ConnectionError.isOne(error)
        ? new ConnectionError(this.#address, error)
        : error;
    }
  }
}

/** Rejects with ConnectionError if there was no response, but with the signal's reason if that aborted the request. */
function reaching(fetch: Fetch): Fetch {
  return async (request) => {
    try {
      return await fetch(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw new ConnectionError(new URL(request.url).origin, error);
    }
  };
}

/** Whether it may work if it is tried again. */
function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status >= 500 || error.status === 408 || error.status === 429;
  return error instanceof ConnectionError;
}

function ending(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Walks the pages by cursor; an empty cursor begins the walk. */
async function* items<Item>(
  fetchPage: (cursor: string) => Promise<{ items: Item[]; next: string | null }>,
): AsyncGenerator<Item, void> {
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { items: Item[]; next: string | null } = await fetchPage(cursor);
    yield* page.items;
    cursor = page.next === null ? null : new URL(page.next).searchParams.get("cursor");
  }
}
