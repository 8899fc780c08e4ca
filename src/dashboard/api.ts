import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from "openapi-fetch";
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

/** The same calls with the whole response, `{ data, response }`, for headers such as ETag. */
export const http: Client<paths, "application/json"> = createClient<paths, "application/json">({
  baseUrl: location.origin,
});

/** Requests that start a session are also rejected with 401, which says nothing about the current session. */
const STARTS = /\/dashboard\/api\/(session|setup|join)$/;

/** The last change that a response may reflect: the next response must reflect it, too, whichever server sends it. */
let sequence = 0;

http.use({
  onRequest: ({ request }) => {
    if (sequence > 0) request.headers.set("x-after-sequence", String(sequence));
  },
  onResponse: async ({ request, response }) => {
    // A server that does not receive it must not keep the page waiting forever.
    sequence = response.status === 503 ? 0 : Math.max(sequence, Number(response.headers.get("x-sequence")));
    if (response.ok || response.status === 304) return;
    if (response.status === 401 && !STARTS.test(request.url) && session.value !== null) {
      hasExpired.value = true;
      session.value = null;
    }
    throw await problemIn(response);
  },
  onError: ({ error }) => (error instanceof DOMException ? (error as unknown as Error) : problemOf(error)),
});

export const get: Call<"get"> = (path, ...init) => call("GET", path, init);
export const post: Call<"post"> = (path, ...init) => call("POST", path, init);
export const put: Call<"put"> = (path, ...init) => call("PUT", path, init);
export const patch: Call<"patch"> = (path, ...init) => call("PATCH", path, init);
/** DELETE, which is a reserved word. */
export const remove: Call<"delete"> = (path, ...init) => call("DELETE", path, init);

/** The functions above have the types; in here, all calls are alike. */
async function call(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  init: readonly unknown[],
): Promise<any> {
  const send = http[method] as (path: string, ...init: readonly unknown[]) => Promise<{ readonly data?: unknown }>;
  return (await send(path, ...init)).data;
}
