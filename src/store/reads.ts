import type { Engine } from "./sql/_engine.ts";
import { auditPageOf, readAudit, readAuditEntry, readIsAsLeft } from "./sql/history/_audit-log.ts";
import { readActivity } from "./sql/counts/_activity.ts";
import { readBlocked } from "./sql/counts/_blocked.ts";
import { readBouncerList, readBouncerState, readBouncerStates } from "./sql/_bouncers.ts";
import { readPublishedList, readPulls, readPullTimes } from "./sql/_deployments.ts";
import { readListChecks, readListContent } from "./sql/_external-lists.ts";
import { readIndicators } from "./sql/indicators/_indicator-pages.ts";
import { readKeyFile } from "./sql/_key-file.ts";
import { readCredentials, readInvited } from "./sql/_credentials.ts";
import { readRuleAuthors } from "./sql/history/_rule-authors.ts";
import { readEvents, readNextExpiry } from "./sql/events/_events.ts";
import { readHistoryMark } from "./sql/history/_saved-rules.ts";
import { readTraffic } from "./sql/counts/_traffic.ts";
import { readUrlReaders } from "./sql/counts/_url-readers.ts";
import { readUsage, readUsageOf } from "./sql/counts/_usage.ts";
import { readDeliveries, readDelivery, readWebhookProgress, readWebhookSecrets } from "./sql/events/_webhooks.ts";
import { readUnskipped } from "./sql/commands/_unskipped-rules.ts";
import { readTouched, readVersions, touchedPartOf } from "./sql/history/_versions.ts";

/**
 * A read of the store. `find` runs in the database: in the thread of a SQLite file, or over a connection to PostgreSQL.
 * `finish` makes the result from what was found, in the caller's thread.
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
const READS = {
  /**
   * The credentials of the user with this name; null if there is none, or no password yet. Upper and lower case are
   * equal.
   */
  credentials: read(readCredentials),

  /** The user invited by the invitation with this digest; null if it is not valid at that time. */
  invited: read(readInvited),

  /** The last change; null where there is none. */
  historyMark: { ...read(readHistoryMark), isBackground: true },

  /**
   * The traffic of all servers together, in steps of one of the stored lengths, from a time on, oldest first. Steps
   * without a request are left out.
   */
  traffic: read(readTraffic),

  /** The requests of each key, by area, in the month (`YYYY-MM`), over all servers; only keys with requests. */
  usage: { ...read(readUsage), isBackground: true },

  /** The requests in the month, and the last use in any month, of each key of the organisation that was ever used. */
  usageOf: read(readUsageOf),

  /** The audit log of an organisation, page by page. Changes of many rules are returned without the rules. */
  audit: read(readAudit, auditPageOf),

  /**
   * One entry; null if it is not the organisation's. If rules are kept, the numbers of those added, changed and deleted
   * are included, but no more of them are listed than on a page.
   */
  auditEntry: read(readAuditEntry),

  /** Whether all rules that a change touched are still as it left them. */
  isAsLeft: read(readIsAsLeft),

  /**
   * The versions of a ruleset whose rules can be derived from the current ones, newest first: up to 1,000, among the
   * newest 10,000 changes of the organisation, as far as later changes are kept and have touched up to half a million
   * rules.
   */
  rulesetVersions: read(readVersions),

  /**
   * The authors of rules, by the times of the rules: an actor as in commands for each, null if the change is no longer
   * in the audit log or cannot be told apart from others of the same time. O(log changes) each.
   */
  ruleAuthors: read(readRuleAuthors),

  /** The list of a deployment that devices get, in base64, and its generation; null where there is none. */
  publishedList: { ...read(readPublishedList), isBackground: true },

  /** The last hundred pulls of a deployment, and how many there were by day, in the last 31 days. */
  pulls: read(readPulls),

  /** When each deployment was pulled last. */
  pullTimes: { ...read(readPullTimes), isBackground: true },

  /** Which keys of the organisation have read the URLs of which deployments, and which URLs these were last. */
  urlReaders: read(readUrlReaders),

  /** What programs report as blocked because of a deployment, in the 31 days before a time. */
  blocked: read(readBlocked),

  /** What an organisation changed, what its deployments were asked for and what they blocked, up to a time. */
  activity: read(readActivity),

  /** What the bouncer with this credential has been sent; null: nothing yet. */
  bouncerState: read(readBouncerState),

  /** A list that a bouncer of the deployment has, in base64, by its digest; null if none has it any more. */
  bouncerList: read(readBouncerList),

  /** What the bouncers of an organisation have been sent, in any order. */
  bouncerStates: read(readBouncerStates),
  /** The last good content of an external list, as `publishedList`, and its number; null where there is none. */
  listContent: { ...read(readListContent), isBackground: true },

  /** The fingerprint of the key file that the servers use; null: none has used one yet. */
  keyFile: read(readKeyFile),

  /** Versions of the indicators of a collection, in the order in which they were added, as text: see `indicatorsIn`. */
  indicators: read(readIndicators),

  /** When the external lists of the organisation were fetched last, and are fetched next. */
  listChecks: read(readListChecks),

  /**
   * The feed of an organisation after an event: at most the given number of events, fewer if they are long. `eventsOf`
   * returns the events of its rows.
   */
  events: read(readEvents),

  /** When the next expiry is due that is not in the feed yet; null where there is none. */
  nextExpiry: { ...read(readNextExpiry), isBackground: true },
  /** The sealed secrets of a webhook endpoint; null where there is none. */
  webhookSecrets: { ...read(readWebhookSecrets), isBackground: true },

  /** How far the deliveries to these endpoints have come. */
  webhookProgress: { ...read(readWebhookProgress), isBackground: true },

  /** The last deliveries to an endpoint, newest first, without what was sent. */
  deliveries: read(readDeliveries),

  /** One of them with what was sent; null if it is not kept. */
  delivery: read(readDelivery),

  /**
   * Which rules of a part of its list an import would not skip, and at which version of the ruleset; null if the ruleset
   * is empty, or is not the organisation's.
   */
  unskippedRules: read(readUnskipped),

  /** A part, from 0 on, of the rules that a change touched; null if it is not kept. */
  touchedRules: read(readTouched, touchedPartOf),
};

type Reads = typeof READS;

export type ReadName = keyof Reads;

/** The arguments of a read, in order. */
export type ReadRequest<Name extends ReadName> =
  Reads[Name] extends Read<infer Request, infer _Found, infer _Answer> ? Request : never;

/** The result of a read. */
export type ReadAnswer<Name extends ReadName> =
  Reads[Name] extends Read<infer _Request, infer _Found, infer Answer> ? Answer : never;

/** What a read finds in the database, before `finish`. */
export type ReadFound<Name extends ReadName> =
  Reads[Name] extends Read<infer _Request, infer Found, infer _Answer> ? Found : never;

/** Whether it is the server's own read, for which no client waits. */
export function isBackground(name: ReadName): boolean {
  return entryOf(name).isBackground;
}

/** Runs the read in the database. */
export function find<Name extends ReadName>(
  engine: Engine,
  name: Name,
  request: ReadRequest<Name>,
): Promise<ReadFound<Name>> {
  return entryOf(name).find(engine, ...request);
}

/** Makes the result from what was found. */
export function finish<Name extends ReadName>(
  name: Name,
  found: ReadFound<Name>,
): ReadAnswer<Name> | Promise<ReadAnswer<Name>> {
  return entryOf(name).finish(found);
}

/** The entry in `READS`. The compiler does not see that a name and its types belong together. */
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
