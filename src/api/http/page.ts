import type { FastifyRequest } from "fastify";
import type { Prefix } from "../../address/address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { invalid, type ServiceError } from "../../service/service-error.ts";
import { redact, safePath } from "./redact.ts";
import type { Settings } from "../../service/settings.ts";

const DEFAULT_SIZE = 100;

export interface PageQuery {
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly count: number;
  readonly next: string | null;
  readonly prev: string | null;
}

/** Where the requested page begins, and its maximum number of items. */
export function extentOf({ page = 1, page_size = DEFAULT_SIZE }: PageQuery): { offset: number; limit: number } {
  // Larger products are not exact. No list is that long, so the page is empty anyway.
  return { offset: Math.min((page - 1) * page_size, Number.MAX_SAFE_INTEGER - page_size), limit: page_size };
}

/**
 * The envelope of a page: `items` of `count` in all. On a page after the last one, `prev` leads back to the last one.
 */
export function pageOf<Item>(
  request: FastifyRequest,
  settings: Settings,
  items: readonly Item[],
  count: number,
): Page<Item> {
  const { page = 1, page_size = DEFAULT_SIZE } = request.query as PageQuery;
  const last = Math.max(1, Math.ceil(count / page_size));
  const addressOf = (number: number): string => pageAddress(request, settings, "page", String(number));
  return {
    items,
    count,
    next: page < last ? addressOf(page + 1) : null,
    prev: page > 1 ? addressOf(Math.min(page - 1, last)) : null,
  };
}

/**
 * A part of a list in its order, and the key of the last item examined, after which the next part begins; null at the
 * end of the list.
 */
export interface Part<Item> {
  readonly items: readonly Item[];
  readonly last: string | null;
}

/**
 * The envelope of a page by cursor: the items after the key in the cursor, from the first one if it is empty. Unlike
 * with page numbers, what others add or remove moves no item from one page to another. `part` returns up to `limit`
 * items. @throws ServiceError "invalid" for a cursor that no page has returned, or together with `page`
 */
export function cursorPageOf<Item>(
  request: FastifyRequest,
  settings: Settings,
  count: number,
  part: (after: string | undefined, limit: number) => Part<Item>,
): Page<Item> {
  const { page, page_size = DEFAULT_SIZE, cursor = "" } = request.query as PageQuery;
  if (page !== undefined) throw invalid({ cursor: ["give either cursor or page, not both"] });
  const { items, last } = part(cursor === "" ? undefined : keyIn(cursor), page_size);
  return {
    items,
    count,
    next: last === null ? null : pageAddress(request, settings, "cursor", Buffer.from(last).toString("base64url")),
    prev: null,
  };
}

/** The page of a list that a request names, by cursor or by number. @throws ServiceError "invalid" */
export function pageOfList<Item>(
  request: FastifyRequest,
  settings: Settings,
  list: readonly Item[],
  partOf: (list: readonly Item[], after: string | undefined, limit: number) => Part<Item>,
): Page<Item> {
  const query = request.query as PageQuery;
  if (query.cursor !== undefined)
    return cursorPageOf(request, settings, list.length, (after, limit) => partOf(list, after, limit));
  const { offset, limit } = extentOf(query);
  return pageOf(request, settings, list.slice(offset, offset + limit), list.length);
}

export interface Created {
  readonly createdAt: number;
  readonly id: string;
}

/** `pageOfList` with the documents of a list in the order in which `aboutOf` says that its items were created. */
export async function pageOfCreated<Item, Document>(
  request: FastifyRequest,
  settings: Settings,
  list: readonly Item[],
  of: { aboutOf: (item: Item) => Created; documentsOf: (items: readonly Item[]) => Promise<readonly Document[]> },
): Promise<Page<Document>> {
  const { items, ...page } = pageOfList(request, settings, list, partCreatedAfter(of.aboutOf));
  return { items: await of.documentsOf(items), ...page };
}

/** The part of a list, sorted by keys, that begins after a key. O(list). */
export function partAfter<Item>(
  list: readonly Item[],
  isAfter: (item: Item) => boolean,
  keyOf: (item: Item) => string,
  limit: number,
): Part<Item> {
  const start = list.findIndex(isAfter);
  const items = start < 0 ? [] : list.slice(start, start + limit);
  return { items, last: start < 0 || start + limit >= list.length ? null : keyOf(items.at(-1)!) };
}

/** `partAfter` for lists in the order in which `aboutOf` says that items were created: by time, then id. */
function partCreatedAfter<Item>(aboutOf: (item: Item) => Created) {
  /** @throws ServiceError "invalid" */
  return (list: readonly Item[], after: string | undefined, limit: number): Part<Item> => {
    const [, time, id] = (after === undefined ? ["", "-1", ""] : /^(\d{1,16}) ([0-9a-f-]{36})$/.exec(after)) ?? [];
    if (time === undefined || id === undefined) throw badCursor();
    const isAfter = (item: Item): boolean => {
      const { createdAt, id: own } = aboutOf(item);
      return createdAt > Number(time) || (createdAt === Number(time) && own > id);
    };
    const keyOf = (item: Item): string => `${aboutOf(item).createdAt} ${aboutOf(item).id}`;
    return partAfter(list, isAfter, keyOf, limit);
  };
}

/** @throws ServiceError "invalid" */
function keyIn(cursor: string): string {
  const key = Buffer.from(cursor, "base64url").toString();
  if (Buffer.from(key).toString("base64url") !== cursor) throw badCursor();
  return key;
}

export function badCursor(): ServiceError {
  return invalid({ cursor: ["is not a cursor of this list; take it from `next`, or start with an empty one"] });
}

/** The prefix in a cursor. @throws ServiceError "invalid" */
export function prefixOfCursor(key: string): Prefix {
  try {
    return parsePrefix(key);
  } catch {
    throw badCursor();
  }
}

/** @throws ServiceError "invalid" for a cursor if the response is not JSON, because only JSON has `next` */
export function rejectCursor({ query }: FastifyRequest): void {
  if ((query as PageQuery).cursor !== undefined)
    throw invalid({ cursor: ["only JSON is paged by cursor; leave out the cursor, or ask for application/json"] });
}

/** The public base URL, or else the one that the request was sent to; without a slash at the end. */
export function baseOf(request: FastifyRequest, { baseUrl }: Pick<Settings, "baseUrl">): string {
  return baseUrl === ""
    ? `${request.protocol}://${redact(request.host.replace("@", ":"))}`
    : baseUrl.replace(/\/$/, "");
}

/**
 * The address of another page of the same request: the operation's own parameters and no others, because one of those
 * may be a key under a wrong name.
 */
function pageAddress(
  request: FastifyRequest,
  { baseUrl }: Settings,
  parameter: "page" | "cursor",
  value: string,
): string {
  const [path = "", query = ""] = request.url.split("?", 2);
  const parameters = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query))
    if (Object.hasOwn(request.query as object, name)) parameters.set(name, redact(value));
  parameters.set(parameter, value);
  return `${baseOf(request, { baseUrl })}${safePath(path)}?${parameters.toString()}`;
}
