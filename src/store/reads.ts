import type { Engine } from "./sql/_engine.ts";
import { auditPageOf, readAudit, readAuditEntry, readIsAsLeft } from "./sql/_audit-log.ts";
import { readCredentials, readInvited } from "./sql/_credentials.ts";
import { readTraffic } from "./sql/_traffic.ts";
import { readUsage, readUsageOf } from "./sql/_usage.ts";

/**
 * A question that the store answers from its database. `find` asks the database: in the thread of a SQLite file, or
 * over a connection to PostgreSQL. `finish` makes the answer of what was found, in the caller's thread.
 */
interface Read<Request extends readonly unknown[], Found, Answer> {
  readonly find: (engine: Engine, ...request: Request) => Promise<Found>;
  readonly finish: (found: Found) => Answer | Promise<Answer>;
  readonly isBackground: boolean;
}

/**
 * All reads of the store by name. To add one, add its line here: `Store.read`, the thread of a SQLite file, PostgreSQL
 * and the guard against outages know it then.
 */
export const READS = {
  /**
   * What the user of this name signs in with; null where there is none, or no password yet. Names that differ in
   * capitals only are the same.
   */
  credentials: read(readCredentials),

  /** Who was invited by the invitation of this digest; null where it cannot be followed at that time. */
  invited: read(readInvited),

  /**
   * The traffic of all servers together, in steps of one of the lengths that are kept, from a time on, the oldest
   * first. Steps without a request are left out.
   */
  traffic: read(readTraffic),

  /** The requests of each key, by area, that made any in the month (`YYYY-MM`), over all servers. */
  usage: { ...read(readUsage), isBackground: true },

  /** The requests in the month, and the last use in any month, of each key of the organisation that was ever used. */
  usageOf: read(readUsageOf),

  /** The audit log of an organisation, page by page. Changes of many rules come without them. */
  audit: read(readAudit, auditPageOf),

  /**
   * One entry; null where it is not the organisation's. Where rules are kept, it counts those added, changed and
   * deleted; it lists no more of them than a page shows.
   */
  auditEntry: read(readAuditEntry),

  /** Whether all rules that a change touched are still as it left them. */
  isAsLeft: read(readIsAsLeft),
};

type Reads = typeof READS;

export type ReadName = keyof Reads;

/** The arguments of a read, in order. */
export type ReadRequest<Name extends ReadName> =
  Reads[Name] extends Read<infer Request, infer _Found, infer _Answer> ? Request : never;

/** What a read gives its caller. */
export type ReadAnswer<Name extends ReadName> =
  Reads[Name] extends Read<infer _Request, infer _Found, infer Answer> ? Answer : never;

/** What a read finds in the database, before `finish`. */
export type ReadFound<Name extends ReadName> =
  Reads[Name] extends Read<infer _Request, infer Found, infer _Answer> ? Found : never;

/** Whether the server asks it for itself, so that no client waits for the answer. */
export function isBackground(name: ReadName): boolean {
  return entryOf(name).isBackground;
}

/** Asks the database. */
export function find<Name extends ReadName>(
  engine: Engine,
  name: Name,
  request: ReadRequest<Name>,
): Promise<ReadFound<Name>> {
  return entryOf(name).find(engine, ...request);
}

/** Makes the answer of what was found. */
export function finish<Name extends ReadName>(
  name: Name,
  found: ReadFound<Name>,
): ReadAnswer<Name> | Promise<ReadAnswer<Name>> {
  return entryOf(name).finish(found);
}

/** What `READS` has of the name. The compiler cannot follow that a name and its types belong together. */
function entryOf<Name extends ReadName>(name: Name) {
  return READS[name] as unknown as Read<ReadRequest<Name>, ReadFound<Name>, ReadAnswer<Name>>;
}

function read<Request extends readonly unknown[], Found>(
  find: (engine: Engine, ...request: Request) => Promise<Found>,
): Read<Request, Found, Found>;
function read<Request extends readonly unknown[], Found, Answer>(
  find: (engine: Engine, ...request: Request) => Promise<Found>,
  finish: (found: Found) => Answer | Promise<Answer>,
): Read<Request, Found, Answer>;
function read(
  find: (engine: Engine, ...request: readonly unknown[]) => Promise<unknown>,
  finish: (found: unknown) => unknown = (found) => found,
): Read<readonly unknown[], unknown, unknown> {
  return { find, finish, isBackground: false };
}
