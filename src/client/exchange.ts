import type { ClientPathsWithMethod, FetchResponse, Client as FetchClient, MaybeOptionalInit } from "openapi-fetch";
import type { paths } from "./_operations.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type Paths<Verb extends Method> = ClientPathsWithMethod<FetchClient<paths, "application/json">, Verb>;

/** What openapi-fetch's own client could be given for a request, and this one cannot. */
interface Unused {
  readonly baseUrl?: never;
  readonly querySerializer?: never;
  readonly pathSerializer?: never;
  readonly fetch?: never;
  readonly middleware?: never;
}
type WithoutUnused<Given> = Given extends undefined ? undefined : Given & Unused;

/** The parameters and the body of an operation, with the options of `fetch` and how to read the response. */
export type Init<Path extends keyof paths, Verb extends Method> = WithoutUnused<MaybeOptionalInit<paths[Path], Verb>>;

/** The response of an operation, and its body. */
export type Answer<Path extends keyof paths, Verb extends Method, Given> = FetchResponse<
  paths[Path][Verb] & Record<string, unknown>,
  Given,
  "application/json"
>;

/** The operations, with the whole response; `data` is undefined if there is no body. */
export type Exchanges = {
  readonly [Verb in Method as Uppercase<Verb>]: <Path extends Paths<Verb>, Given extends Init<Path, Verb>>(
    path: Path,
    ...init: undefined extends Given ? [init?: Given] : [init: Given]
  ) => Promise<Answer<Path, Verb, Given>>;
};

type Values = Readonly<Record<string, unknown>>;
type ParseAs = "json" | "text" | "blob" | "arrayBuffer" | "stream";

/** What an operation may be given, whatever its types. */
export interface AnyInit extends Omit<RequestInit, "body" | "headers"> {
  readonly params?: { readonly path?: Values; readonly query?: Values; readonly header?: Values };
  readonly body?: unknown;
  /** What a body is sent as; by default JSON. */
  readonly bodySerializer?: (body: unknown) => RequestInit["body"];
  readonly headers?: RequestInit["headers"] | Values;
  readonly parseAs?: ParseAs;
}

/** The request for an operation of the service at this address. */
export function requestOf(address: string, method: string, path: string, init: AnyInit, headers: Headers): Request {
  const {
    params: { path: parts = {}, query = {}, header = {} } = {},
    body,
    bodySerializer,
    parseAs: _,
    ...rest
  } = init;
  setEach(headers, header);
  if (init.headers !== undefined)
    setEach(
      headers,
      init.headers instanceof Headers || Array.isArray(init.headers) ? Object.fromEntries(init.headers) : init.headers,
    );
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  return new Request(`${address}${filled(path, parts)}${searchOf(query)}`, {
    redirect: "manual", // following a redirect would send the key to whatever origin it names
    ...rest,
    method,
    headers,
    ...(body !== undefined && { body: bodySerializer === undefined ? JSON.stringify(body) : bodySerializer(body) }),
  });
}

function setEach(headers: Headers, values: object): void {
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) {
      if (value === null) headers.delete(name);
      else headers.set(name, String(value));
    }
}

function filled(path: string, parts: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])));
}

/** A parameter with several values is repeated; one without a value is left out. */
function searchOf(query: Values): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) if (value != null) search.append(name, String(value));
  return search.size === 0 ? "" : `?${search}`;
}

/** The body of a response, read as `parseAs` says; undefined if it has none. */
export async function dataOf(response: Response, parseAs: ParseAs = "json"): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  if (parseAs === "stream") return response.body;
  if (parseAs !== "json") return response[parseAs]();
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}
