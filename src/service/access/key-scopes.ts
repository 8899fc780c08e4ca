import { parseAddress } from "../../address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import { AddressSet } from "../../sets/address-set.ts";
import type { ApiKey } from "../../store/records/credential.ts";
import { type Area, AREAS } from "../../store/state.ts";
import { nearest } from "../../words/nearest.ts";
import { invalid } from "../service-error.ts";

export const MAX_SCOPES = 100;
export const MAX_NETWORKS = 100;

/** Resources to which a scope can limit a key, as a kind or one by one, with their path below /v1. */
const SCOPED_RESOURCES = {
  rulesets: "/edl/ip-rulesets",
  deployments: "/edl/deployments",
  lists: "/edl/lists",
} as const;

export type ScopedKind = keyof typeof SCOPED_RESOURCES;

export const SCOPED_KINDS = Object.keys(SCOPED_RESOURCES) as readonly ScopedKind[];

/** What an operation is about: a scope that is any of these allows it. */
type RouteScopes = (params: Readonly<Record<string, string>>) => readonly string[];

const scopesOfRoutes = new Map<string, RouteScopes>();

/**
 * The scopes of which one allows an operation of an area, the widest first: the area, and for what stands below the path
 * of a resource its kind and the resource itself. `url`: the route's pattern, such as `/v1/edl/lists/:list_id`.
 */
export function scopesFor(area: Area, url: string, params: unknown): readonly string[] {
  let scopes = scopesOfRoutes.get(url);
  if (scopes === undefined) scopesOfRoutes.set(url, (scopes = scopesOfRoute(area, url)));
  return scopes(params as Readonly<Record<string, string>>);
}

function scopesOfRoute(area: Area, url: string): RouteScopes {
  for (const kind of SCOPED_KINDS) {
    const [, rest] = url.split(`/v1${SCOPED_RESOURCES[kind]}`, 2);
    if (rest === undefined || !(rest === "" || rest.startsWith("/") || rest.startsWith(":"))) continue;
    const param = /^\/:(\w+)/.exec(rest)?.[1];
    return (params) => (param === undefined ? [area, kind] : [area, kind, `${kind}/${params[param]}`]);
  }
  return () => [area];
}

/** Whether a key may do what one of the scopes allows. A key without scopes may do everything. */
export function isInScopes({ scopes = [] }: Partial<Pick<ApiKey, "scopes">>, wanted: readonly string[]): boolean {
  return scopes.length === 0 || wanted.some((scope) => scopes.includes(scope));
}

/** By key: changes make another object of it. */
const setsOfKeys = new WeakMap<object, AddressSet>();

/** Whether a key is accepted from the address of a client. One without networks is accepted from anywhere. */
export function isAcceptedFrom(key: Partial<Pick<ApiKey, "networks">>, ip: string): boolean {
  const { networks = [] } = key;
  if (networks.length === 0) return true;
  let set = setsOfKeys.get(key);
  if (set === undefined) setsOfKeys.set(key, (set = AddressSet.of(networks.map((network) => parsePrefix(network)))));
  return set.has(parseAddress(ip.split("%", 1)[0]!)); // without the interface of a link-local address
}

/** Finds what a scope names, by id or as its caller allows; undefined for nothing. */
export type FindScoped = (kind: ScopedKind, name: string) => string | undefined;

/** The scopes of a new key, each once, with ids in place of names. @throws ServiceError "invalid" */
export function readScopes(texts: readonly string[], find: FindScoped): string[] {
  if (texts.length > MAX_SCOPES) throw invalid({ scopes: [`use at most ${MAX_SCOPES} scopes`] });
  return [...new Set(texts.map((text) => readScope(text, find)))];
}

function readScope(text: string, find: FindScoped): string {
  const words: readonly string[] = [...AREAS, ...SCOPED_KINDS];
  if (words.includes(text)) return text;
  const slash = text.indexOf("/");
  const kind = SCOPED_KINDS.find((one) => one === text.slice(0, Math.max(slash, 0)));
  if (kind === undefined) {
    const near = nearest(slash < 0 ? text : text.slice(0, slash), words);
    throw invalid({
      scopes: [
        `${JSON.stringify(text)} is no scope${near === undefined ? "" : `; did you mean ${near}?`}; use ${words.join(", ")}, or one of a kind, such as rulesets/ID`,
      ],
    });
  }
  const id = find(kind, text.slice(slash + 1));
  if (id !== undefined) return `${kind}/${id}`;
  throw invalid({ scopes: [`there is nothing called ${JSON.stringify(text.slice(slash + 1))} among the ${kind}`] });
}

/** The networks of a new key, each once, as prefixes. @throws ServiceError "invalid" */
export function readNetworks(texts: readonly string[]): string[] {
  if (texts.length > MAX_NETWORKS) throw invalid({ networks: [`use at most ${MAX_NETWORKS} networks`] });
  const networks = texts.map((text) => {
    try {
      return formatPrefix(parsePrefix(text));
    } catch (error) {
      throw invalid({ networks: [(error as Error).message] });
    }
  });
  return [...new Set(networks)];
}
