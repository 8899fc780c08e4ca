// oxlint-disable-next-line import/no-unassigned-import -- it runs before what other modules need
import "../runtime/require-node.ts";
import createClient, {
  type Client as FetchClient,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from "openapi-fetch";
import type { components, paths } from "./_operations.ts";
import { ConnectionError, errorOf } from "./errors.ts";
import { type Fetch, patientFetch } from "./patient-fetch.ts";

export {
  ConnectionError,
  ProblemError,
  ServiceError,
  ThreatLookupError,
  type ProblemDocument,
  type ValidationErrors,
} from "./errors.ts";

type Schemas = components["schemas"];
export type Ruleset = Schemas["Ruleset"];
export type Rule = Schemas["Rule"];
export type ImportAnswer = Schemas["ImportResponse"];
export type BatchItem = Schemas["BatchRequest"]["items"][number];
export type ReplaceAnswer = Schemas["ReplaceResponse"];
export type CbsRange = Schemas["CbsRange"];

export interface ClientOptions {
  /** Where the service is, as `https://lists.example.org`. */
  readonly baseUrl: string;
  readonly key: string;
  /**
   * How long a request waits in all, in milliseconds, where the service says to ask again later (429, 503); 0: never.
   * 60,000 unless given.
   */
  readonly maxWait?: number;
  /**
   * Has every answer know all that the answers before it did, writes above all, where several servers share a database.
   * It may take longer.
   */
  readonly readYourWrites?: boolean;
  /** What sends requests; the platform's `fetch` unless given. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

type Method = "get" | "post" | "put" | "patch" | "delete";
type Init<Path extends keyof paths, Verb extends Method> = MaybeOptionalInit<paths[Path], Verb>;

/**
 * Sends a request; gives the body of the answer, of the type that the operation has. Rejects with ServiceError,
 * ConnectionError.
 */
type Call<Verb extends Method> = <
  Path extends ClientPathsWithMethod<FetchClient<paths, "application/json">, Verb>,
  Given extends Init<Path, Verb>,
>(
  path: Path,
  ...init: undefined extends Given ? [init?: Given] : [init: Given]
) => Promise<
  Exclude<FetchResponse<paths[Path][Verb] & Record<string, unknown>, Given, "application/json">["data"], undefined>
>;

/** What a list may be narrowed by, and how it is fetched. */
interface PageOptions {
  /** Items per request: 1 to 1,000, which it is unless given. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

const LARGEST_PAGE = 1000;

/**
 * A client of the service, for Node and browsers. `get`, `post`, `put`, `patch` and `delete` take a path of the
 * service's document and its parameters and body, all typed, and give the body of the answer; `http` gives the response
 * with it, for its headers. Every error response rejects with ServiceError: ProblemError, or ThreatLookupError; where
 * no answer came, it is ConnectionError. Writes get an Idempotency-Key of their own unless they have one, so that they
 * can be repeated. A `signal` ends a request, and its waiting, with its reason. Redirects are not followed: they are
 * ServiceErrors.
 */
export class Client {
  /** The same calls with the whole response: `{ data, response }`. */
  readonly http: FetchClient<paths, "application/json">;
  readonly #address: string;
  /** The last change that an answer may have known of. */
  #sequence = 0;

  constructor({ baseUrl, key, maxWait = 60_000, readYourWrites = false, fetch = globalThis.fetch }: ClientOptions) {
    this.#address = baseUrl.replace(/\/$/, "");
    this.http = createClient<paths, "application/json">({
      baseUrl: this.#address,
      headers: { "X-API-Key": key },
      // A redirect followed would take the key along, to whatever origin it names. The service sends none.
      redirect: "manual",
      fetch: patientFetch(
        reaching((request) => fetch(request)),
        maxWait,
      ),
    });
    this.http.use({
      onRequest: ({ request, schemaPath }) => {
        if (request.method !== "GET" && schemaPath.startsWith("/v1/edl/") && !request.headers.has("idempotency-key"))
          request.headers.set("idempotency-key", crypto.randomUUID());
        if (readYourWrites && this.#sequence > 0 && !request.headers.has("x-after-sequence"))
          request.headers.set("x-after-sequence", String(this.#sequence));
      },
      onResponse: async ({ response }) => {
        this.#sequence = Math.max(this.#sequence, Number(response.headers.get("x-sequence") ?? 0));
        if (!response.ok && response.status !== 304) throw await errorOf(response);
      },
    });
  }

  readonly get: Call<"get"> = (path, ...init) => this.#call("GET", path, init);
  readonly post: Call<"post"> = (path, ...init) => this.#call("POST", path, init);
  readonly put: Call<"put"> = (path, ...init) => this.#call("PUT", path, init);
  readonly patch: Call<"patch"> = (path, ...init) => this.#call("PATCH", path, init);
  readonly delete: Call<"delete"> = (path, ...init) => this.#call("DELETE", path, init);

  /** All rulesets of the organisation, in the order of their creation, page after page. */
  rulesets({
    purpose,
    pageSize = LARGEST_PAGE,
    signal,
  }: PageOptions & { readonly purpose?: Ruleset["purpose"] } = {}): AsyncGenerator<Ruleset, void> {
    const query = { page_size: pageSize, ...(purpose === undefined ? {} : { purpose }) };
    return items((cursor) =>
      this.get("/v1/edl/ip-rulesets/", { params: { query: { ...query, cursor } }, ...ending(signal) }),
    );
  }

  /**
   * All rules of a ruleset, by address, page after page; none that is there the whole time is missed or given twice,
   * whatever is added or deleted meanwhile.
   */
  rules(
    rulesetId: string,
    { activeOnly = false, pageSize = LARGEST_PAGE, signal }: PageOptions & { readonly activeOnly?: boolean } = {},
  ): AsyncGenerator<Rule, void> {
    const path = { ruleset_id: rulesetId };
    return items((cursor) =>
      this.get("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
        params: { path, query: { active_only: activeOnly, page_size: pageSize, cursor } },
        ...ending(signal),
      }),
    );
  }

  /** All prefixes of a node of the catalogue and of those below it; of the whole catalogue without one. */
  ranges(id?: string, { pageSize = LARGEST_PAGE, signal }: PageOptions = {}): AsyncGenerator<CbsRange, void> {
    const query = { page_size: pageSize, ...(id === undefined ? {} : { id }) };
    return items((cursor) =>
      this.get("/v1/cbs/ranges", { params: { query: { ...query, cursor } }, ...ending(signal) }),
    );
  }

  /** The types stand at the methods; here any call is like another. */
  async #call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    init: readonly unknown[],
  ): Promise<any> {
    const call = this.http[method] as (
      path: string,
      ...init: readonly unknown[]
    ) => Promise<{ readonly data?: unknown }>;
    const { data } = await call(path, ...init).catch((error: unknown) => {
      throw error instanceof TypeError && ConnectionError.isOne(error)
        ? new ConnectionError(this.#address, error)
        : error;
    });
    // An empty text is taken for no body.
    const [{ parseAs } = {}] = init as readonly [{ readonly parseAs?: string }?];
    return data === undefined && parseAs === "text" ? "" : data;
  }
}

/** Rejects with ConnectionError where no answer came, but with the signal's reason where that ended the request. */
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

function ending(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Walks by cursor, which an empty one begins. */
async function* items<Item>(
  fetchPage: (cursor: string) => Promise<{ items: Item[]; next: string | null }>,
): AsyncGenerator<Item, void> {
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { items: Item[]; next: string | null } = await fetchPage(cursor);
    yield* page.items;
    cursor = page.next === null ? null : new URL(page.next).searchParams.get("cursor");
  }
}
