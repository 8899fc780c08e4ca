import type { Client, ClientPathsWithMethod, FetchResponse, MaybeOptionalInit } from "openapi-fetch";
import type { paths } from "./documents.ts";
import { problemIn, problemOf } from "./problem.ts";
import { hasExpired, session } from "./session.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";
type Init<Path extends keyof paths, Verb extends Method> = MaybeOptionalInit<paths[Path], Verb>;

/**
 * Sends a request; returns the body of the response, with the operation's type. Rejects with Problem, or with the
 * reason of a given signal.
 */
type Call<Verb extends Method> = <
  Path extends ClientPathsWithMethod<Client<paths, "application/json">, Verb>,
  Given extends Init<Path, Verb>,
>(
  path: Path,
  ...init: undefined extends Given ? [init?: Given] : [init: Given]
) => Promise<
  Exclude<FetchResponse<paths[Path][Verb] & Record<string, unknown>, Given, "application/json">["data"], undefined>
>;

/**
 * The same calls with the whole response, `{ data, response }`, for headers such as ETag. The types are those of
 * openapi-fetch; its code, for forms of parameters that no operation here has, would be 3 kB more for each browser.
 */
export const http = { GET: by("GET"), POST: by("POST") } as unknown as Pick<
  Client<paths, "application/json">,
  "GET" | "POST"
>;

export const get = bodyBy("GET") as Call<"get">;
export const post = bodyBy("POST") as Call<"post">;
export const put = bodyBy("PUT") as Call<"put">;
export const patch = bodyBy("PATCH") as Call<"patch">;
/** DELETE, which is a reserved word. */
export const remove = bodyBy("DELETE") as Call<"delete">;

/** What a change names, so that it is made only if nothing else has changed since this response. */
export function tagOf(response: Response): string {
  return response.headers.get("etag") ?? "";
}

/** What the functions above are given, whatever the operation. */
interface Options {
  readonly params?: {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, unknown>>;
  };
  /** With a Content-Type in `headers`, a text that is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly data: unknown;
  readonly response: Response;
}

function by(method: string): (path: string, options?: Options) => Promise<Answer> {
  return (path, options = {}) => send(method, path, options);
}

function bodyBy(method: string): (path: string, options?: Options) => Promise<unknown> {
  return async (path, options = {}) => (await send(method, path, options)).data;
}

/** Requests that start a session are also rejected with 401, which says nothing about the current session. */
const STARTS = /\/dashboard\/api\/(session|setup|join)$/;

/** The last change that a response may reflect: the next response must reflect it, too, whichever server sends it. */
let sequence = 0;

async function send(method: string, path: string, options: Options): Promise<Answer> {
  const response = await fetch(urlOf(path, options), { method, ...requestOf(options) }).catch(refuse);
  // A server that does not receive it must not keep the page waiting forever.
  sequence = response.status === 503 ? 0 : Math.max(sequence, Number(response.headers.get("x-sequence")));
  if (!response.ok) {
    if (response.status === 401 && !STARTS.test(path) && session.value !== null) {
      hasExpired.value = true;
      session.value = null;
    }
    throw await problemIn(response);
  }
  const text = await response.text();
  return { data: text === "" ? undefined : JSON.parse(text), response };
}

/** The path with its parameters; those of the query that are null or undefined are left out. */
function urlOf(path: string, { params: { path: parts = {}, query = {} } = {} }: Options): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) search.append(name, String(value));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name]!));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function requestOf({ body, headers, signal }: Options): RequestInit {
  const all = new Headers(headers);
  if (sequence > 0) all.set("x-after-sequence", String(sequence));
  if (body === undefined || all.has("content-type")) return { headers: all, signal, body: body as string };
  all.set("content-type", "application/json");
  return { headers: all, signal, body: JSON.stringify(body) };
}

/** A request that was aborted rejects with the reason of its signal. */
function refuse(error: unknown): never {
  throw error instanceof DOMException ? error : problemOf(error);
}
