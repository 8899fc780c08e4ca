import type { FastifyRequest } from "fastify";
import { redact, safePath } from "./redact.ts";
import type { Settings } from "./settings.ts";

const DEFAULT_SIZE = 100;

export interface PageQuery {
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly count: number;
  readonly next: string | null;
  readonly prev: string | null;
}

/** Where the page that was asked for begins, and how many items it has at most. */
export function extentOf({ page = 1, page_size = DEFAULT_SIZE }: PageQuery): { offset: number; limit: number } {
  // Products beyond are not exact. Nothing has so many items that the page would be any but an empty one.
  return { offset: Math.min((page - 1) * page_size, Number.MAX_SAFE_INTEGER - page_size), limit: page_size };
}

/** The envelope of a page: `items` of `count` in all. Beyond the last page `prev` leads back to it. */
export function pageOf<Item>(request: FastifyRequest, settings: Settings, items: readonly Item[], count: number): Page<Item> {
  const { page = 1, page_size = DEFAULT_SIZE } = request.query as PageQuery;
  const last = Math.max(1, Math.ceil(count / page_size));
  const addressOf = (number: number): string => pageAddress(request, settings, number);
  return { items, count, next: page < last ? addressOf(page + 1) : null, prev: page > 1 ? addressOf(Math.min(page - 1, last)) : null };
}

/** The address of another page of the same request: the parameters that the operation has, and no others, which may be a key under a wrong name. */
function pageAddress(request: FastifyRequest, { baseUrl }: Settings, page: number): string {
  const [path = "", query = ""] = request.url.split("?", 2);
  const parameters = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) if (Object.hasOwn(request.query as object, name)) parameters.set(name, redact(value));
  parameters.set("page", String(page));
  const base = baseUrl === "" ? `${request.protocol}://${redact(request.host)}` : baseUrl.replace(/\/$/, "");
  return `${base}${safePath(path)}?${parameters.toString()}`;
}
