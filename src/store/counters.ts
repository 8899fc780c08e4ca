import type { Engine } from "./sql/_engine.ts";
import { exchangeLimitCounts } from "./sql/counts/_limit-counts.ts";
import { recordBlocked } from "./sql/counts/_blocked.ts";
import { recordBouncer } from "./sql/_bouncers.ts";
import { appendIndicators, appendRulesetIndicators } from "./sql/indicators/_indicators.ts";
import { recordKeyFile } from "./sql/_key-file.ts";
import { recordUrlReader } from "./sql/counts/_url-readers.ts";
import { recordPulls } from "./sql/_deployments.ts";
import { takeLease } from "./sql/counts/_leases.ts";
import { recordDelivery, recordProgress } from "./sql/events/_webhooks.ts";
import { deleteSupersededIndicators } from "./sql/indicators/_superseded-indicators.ts";
import { deleteUnreadIndicators } from "./sql/indicators/_unread-indicators.ts";
import { recordTraffic } from "./sql/counts/_traffic.ts";
import { recordUsage } from "./sql/counts/_usage.ts";

/**
 * Counters, by name: each server counts by itself, and the database adds the counts up. Adding causes no `Change`: no
 * server is notified, and the audit log has no entry. For the sums of several seconds, not for single requests. To add
 * one, add its line here.
 */
const COUNTERS = {
  /** Adds the requests to those recorded for the key, area and month. */
  usage: recordUsage,

  /**
   * Adds the traffic of these minutes to what other servers have recorded for them, and to the longer steps in which
   * older traffic is kept.
   */
  traffic: recordTraffic,

  /** Adds pulls of deployments to those of other servers. The same pulls, by their ids, are added once. */
  pulls: recordPulls,

  /** Records that a key has read the URLs of a deployment: of each deployment, the latest URLs that it has read. */
  urlReaders: recordUrlReader,

  /** Adds what a program reports as blocked. */
  blocked: recordBlocked,

  /** Records what a bouncer is sent; false: something else has been recorded for it meanwhile and is kept. */
  bouncers: recordBouncer,

  /**
   * Records which key file the servers use, unless one is recorded already, and returns the recorded one; null forgets
   * it.
   */
  keyFile: recordKeyFile,

  /**
   * Writes what a server has counted against limits, if anything, and returns what the others have written since its
   * last call: each message once, even if one is written again because the confirmation was lost.
   */
  limits: exchangeLimitCounts,

  /**
   * A lease: makes this server, by its id, the only one to do the named task for the given milliseconds; false if
   * another server holds the lease. The holder renews it before it ends, and calls it with 0 milliseconds when it
   * stops.
   */
  lease: takeLease,

  /**
   * Compares a part of what a source lists with the indicators of its collection, and adds the versions that make them
   * equal. Returns the progress of the collection; with null as the part, only returns the progress.
   */
  indicators: appendIndicators,

  /**
   * The next step of the same comparison for a ruleset, whose rules are in the database; true: the collection is up to
   * date with the feed.
   */
  rulesetIndicators: appendRulesetIndicators,

  /**
   * Deletes some indicators of a collection whose source has been deleted and which no valid credential names: no one can
   * read it any more. False: there are none.
   */
  unreadIndicators: deleteUnreadIndicators,

  /** Deletes some versions of indicators that were superseded by a microsecond. False: there are no more. */
  supersededIndicators: deleteSupersededIndicators,

  /** Adds an attempt to deliver an event; false if the endpoint is gone, or a user has moved its progress. */
  delivery: recordDelivery,

  /** Moves the progress of an endpoint past events that it does not subscribe to; false as for `delivery`. */
  webhookProgress: recordProgress,
} satisfies Record<string, (engine: Engine, ...increments: never[]) => Promise<unknown>>;

type Counters = typeof COUNTERS;

export type CounterName = keyof Counters;

/** What is added to a counter. */
export type Increments<Name extends CounterName> =
  Parameters<Counters[Name]> extends [Engine, ...infer Increment] ? Increment : never;

/** The result of adding to a counter. */
export type Recorded<Name extends CounterName> = Awaited<ReturnType<Counters[Name]>>;

export function record<Name extends CounterName>(
  engine: Engine,
  name: Name,
  increments: Increments<Name>,
): Promise<Recorded<Name>> {
  // The compiler does not see that a name and its increments belong together.
  const add = COUNTERS[name] as unknown as (engine: Engine, ...increments: Increments<Name>) => Promise<Recorded<Name>>;
  return add(engine, ...increments);
}
