import { sql, type Transaction } from "kysely";
import {
  addDifference,
  addIdentity,
  type IdOf,
  type IndicatorDifference,
  type LastVersion,
  SUPERSEDED,
} from "../../decide/_indicators.ts";
import {
  identityOf,
  type IndicatorCollection,
  type IndicatorEntry,
  type IndicatorPart,
  type IndicatorProgress,
  prefixOfKey,
} from "../../records/indicator.ts";
import { uuidOfName } from "../../records/uuid-of-name.ts";
import { formatPrefix } from "../../../address/prefix.ts";
import type { RuleValues } from "../../_rule-values.ts";
import { type Engine, forUpdate, type Insertion, jsonRows } from "../_engine.ts";
import { lockNumbers } from "../commands/_entity-commands.ts";
import type { IndicatorCollectionRow, Tables } from "../_tables.ts";
import { readRulesOf } from "../_rule-rows.ts";
import { deleteSurplusVersions } from "./_superseded-indicators.ts";
import { DELETED_MARK } from "./_unread-indicators.ts";

/** Events of rules whose prefixes are compared in one step, if a row of the feed does not have more. */
const EVENTS_AT_ONCE = 2000;
/** A collection that is this many events behind is compared as a whole. */
const MAX_BEHIND = 200_000;
/** Sorts after every key of a prefix. */
const LAST_KEY = "~";
/** Microseconds of a millisecond. */
const MICRO = 1000;

const INSERT: Insertion = {
  table: "indicators",
  columns: {
    collection: "bigint",
    added: "bigint",
    id: "text",
    version: "bigint",
    prefix: "text",
    name: "text",
    kind: "text",
    created: "bigint",
    modified: "bigint",
    expires_at: "bigint",
    revoked: "bigint",
    state: "bigint",
  },
  ending: "",
};

/** One transaction, in which the collection is locked: what is added gets its microseconds in the order of commits. */
interface Step {
  readonly engine: Engine;
  readonly within: Transaction<Tables>;
  readonly collection: IndicatorCollection;
  readonly at: number;
  readonly row: IndicatorCollectionRow;
  readonly difference: IndicatorDifference;
}

/** The progress of a collection after a step. */
type Standing = Pick<IndicatorCollectionRow, "mark" | "feed" | "scan_mark" | "scan_after">;

/**
 * See `COUNTERS.indicators`. A part that does not begin at the collection's progress is ignored: another server was
 * faster.
 */
export function appendIndicators(
  engine: Engine,
  collection: IndicatorCollection,
  at: number,
  part: IndicatorPart | null,
): Promise<IndicatorProgress> {
  return inStep(engine, collection, at, async (step) => {
    const { row } = step;
    if (part === null || part.mark <= row.mark) return row;
    const isNext = row.scan_mark === part.mark ? row.scan_after === part.after : part.after === "";
    if (!isNext || part.mark < (row.scan_mark ?? 0)) return row;
    const end = await compareUpTo(step, part.entries, part.after, part.until ?? LAST_KEY);
    return end === LAST_KEY
      ? { ...row, mark: part.mark, scan_mark: null, scan_after: null }
      : { ...row, scan_mark: part.mark, scan_after: end };
  }).then(({ mark, scan_mark, scan_after }) => ({
    mark,
    scan: scan_mark === null ? null : { mark: scan_mark, after: scan_after! },
  }));
}

/**
 * See `COUNTERS.rulesetIndicators`. The prefixes that events name are compared with their rules as they are now, which
 * may be newer than the events; later events about the same prefixes then have no effect.
 */
export async function appendRulesetIndicators(
  engine: Engine,
  collection: IndicatorCollection,
  at: number,
): Promise<boolean> {
  let sequence = 0;
  const { mark, scan_mark } = await inStep(engine, collection, at, async (step) => {
    const { row, within } = step;
    const heads = within.selectFrom("event_heads").select(["feed", "sequence"]);
    const found = await heads.where("organisation_id", "=", collection.organisationId).executeTakeFirst();
    const { feed } = found ?? { feed: "" };
    sequence = found?.sequence ?? 0;
    if (row.scan_mark !== null && row.feed === feed) return scanRuleset(step, row.scan_mark);
    const isBehind = row.mark < 0 || row.feed !== feed || sequence - row.mark > MAX_BEHIND;
    if (isBehind) return scanRuleset({ ...step, row: { ...row, feed, scan_after: "" } }, sequence);
    return followEvents(step, sequence);
  });
  return scan_mark === null && mark === sequence;
}

async function inStep(
  engine: Engine,
  collection: IndicatorCollection,
  at: number,
  work: (step: Step) => Promise<Standing>,
): Promise<Standing> {
  await createCollection(engine, collection);
  return engine.db.transaction().execute(async (within) => {
    const { rows } = await sql<IndicatorCollectionRow>`
      select * from indicator_collections where id = ${collection.id} ${forUpdate(engine)}`.execute(within);
    const row = rows[0]!;
    const step: Step = { engine, within, collection, at, row, difference: { added: [], replaced: [] } };
    await compareIdentity(step);
    const { mark, feed, scan_mark, scan_after } = await work(step);
    const values = { head: await write(step), mark, feed, scan_mark, scan_after };
    // Usually nothing has changed, and nothing has to be written.
    if (Object.entries(values).some(([name, value]) => row[name as keyof typeof values] !== value))
      await within.updateTable("indicator_collections").set(values).where("id", "=", collection.id).execute();
    return values;
  });
}

async function createCollection(engine: Engine, { id, organisationId }: IndicatorCollection): Promise<void> {
  const known = engine.db.selectFrom("indicator_collections").select("number").where("id", "=", id);
  if ((await known.executeTakeFirst()) !== undefined) return;
  await engine.db.transaction().execute(async (within) => {
    await lockNumbers({ engine, within });
    await sql`
      insert into indicator_collections (id, number, organisation_id, head, mark, feed)
      select ${id}, coalesce(max(number), 0) + 1, ${organisationId}, 0, -1, '' from indicator_collections where true
      on conflict (id) do nothing`.execute(within);
  });
}

async function compareIdentity({ within, collection, row, at, difference }: Step): Promise<void> {
  const organisations = within.selectFrom("organisations").select(["id", "name", "created_at"]);
  const found = await organisations.where("id", "=", collection.organisationId).executeTakeFirstOrThrow();
  const last = within.selectFrom("indicators").selectAll().where("collection", "=", row.number);
  const identity = await last.where("prefix", "=", "").where("state", "=", 2).executeTakeFirst();
  const author = { id: identityOf(found.id), name: found.name, createdAt: found.created_at };
  addIdentity(difference, author, identity, at);
}

/** The next part of a ruleset, compared with the indicators of the same prefixes. */
async function scanRuleset(step: Step, mark: number): Promise<Standing> {
  const { engine, within, row } = step;
  const after = row.scan_after ?? "";
  const number = await numberOf(step);
  const rules = number === undefined ? [] : await engine.readRules(within, number, after, engine.rowsAtOnce);
  const until = rules.length < engine.rowsAtOnce ? LAST_KEY : rules.at(-1)![0];
  const end = await compareUpTo(step, rules.map(entryOf), after, until);
  return end === LAST_KEY
    ? { mark, feed: row.feed, scan_mark: null, scan_after: null }
    : { mark: row.mark, feed: row.feed, scan_mark: mark, scan_after: end };
}

async function numberOf({ within, collection }: Step): Promise<number | undefined> {
  const rulesets = within.selectFrom("rulesets").select("number").where("id", "=", collection.id);
  return (await rulesets.executeTakeFirst())?.number;
}

/** The prefixes that the next events name. */
async function followEvents(step: Step, sequence: number): Promise<Standing> {
  const { engine, within, row, collection, difference } = step;
  const { feed } = row;
  const own = within.selectFrom("events").where("organisation_id", "=", collection.organisationId);
  const oldest = (await own.select("first").orderBy("last").limit(1).executeTakeFirst())?.first ?? sequence + 1;
  if (row.mark < sequence && row.mark + 1 < oldest)
    return scanRuleset({ ...step, row: { ...row, scan_after: "" } }, sequence);
  const events = await eventsAfter(step, sequence);
  if (events.rows.some(({ type }) => type === "ruleset.created" || type === "ruleset.deleted"))
    return scanRuleset({ ...step, row: { ...row, scan_after: "" } }, sequence);
  const keys = new Set<string>();
  for (const { type, body } of events.rows)
    if (type === "rules") for (const [, key] of JSON.parse(body) as [number, string][]) keys.add(key);
  const number = await numberOf(step);
  const entries = new Map<string, IndicatorEntry>();
  if (number !== undefined) {
    const rules = await readRulesOf(
      engine,
      within,
      [...keys].map((key) => [number, key]),
    );
    for (const { prefix, name, expires_at, created_at, updated_at } of rules)
      entries.set(prefix, entryOf([prefix, name, expires_at, created_at, updated_at]));
  }
  const last = await lastOf(step, [...keys]);
  const idOf = idIn(collection);
  for (const key of keys)
    addDifference(difference, idOf, { entry: entries.get(key), last: last.get(key), at: step.at });
  return { mark: events.last, feed, scan_mark: null, scan_after: null };
}

/** Events about the ruleset, and the number of the last event that they cover. */
async function eventsAfter(
  { within, row, collection }: Step,
  sequence: number,
): Promise<{ readonly rows: readonly { type: string; body: string }[]; readonly last: number }> {
  const { rows: all } = await sql<{ first: number; last: number }>`
    select first, last from events where organisation_id = ${collection.organisationId} and last > ${row.mark}
    and last <= ${sequence} and ruleset_id = ${collection.id} order by last limit ${EVENTS_AT_ONCE}`.execute(within);
  let count = 0;
  const end = all.find(({ first, last }) => (count += last - first + 1) >= EVENTS_AT_ONCE)?.last;
  const last = end ?? (all.length < EVENTS_AT_ONCE ? sequence : all.at(-1)!.last);
  const { rows } = await sql<{ type: string; body: string }>`
    select type, coalesce(events.body, event_parts.body) as body
    from events left join event_parts on event_parts.id = events.parts and event_parts.part = events.part
    where organisation_id = ${collection.organisationId} and last > ${row.mark} and last <= ${last}
    and ruleset_id = ${collection.id} order by last`.execute(within);
  return { rows, last };
}

function entryOf([key, name, expiresAt, createdAt, updatedAt]: RuleValues): IndicatorEntry {
  return { key, name, kind: null, expiresAt, createdAt, updatedAt };
}

/** The last versions of prefixes after one key up to another, in their order. */
function lastBetween({ engine, within, row }: Step, after: string, until: string): Promise<LastVersion[]> {
  const rows = within.selectFrom("indicators").selectAll().where("collection", "=", row.number);
  const between = rows.where("state", "=", sql.lit(2)).where("prefix", ">", after).where("prefix", "<=", until);
  return between.orderBy("prefix").limit(engine.rowsAtOnce).execute();
}

async function lastOf({ engine, within, row }: Step, keys: readonly string[]): Promise<Map<string, LastVersion>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<LastVersion>`
    select indicators.* from ${jsonRows(
      engine,
      keys.map((key) => [key]),
    )} as given cross join indicators
    where collection = ${row.number} and prefix = given.value ->> 0 and state = 2`.execute(within);
  return new Map(rows.map((version) => [version.prefix, version]));
}

/**
 * Compares what the source lists after one key up to another, or a part of that, and returns the last key compared: a
 * short range of entries may have many indicators of entries that are gone.
 */
async function compareUpTo(
  step: Step,
  entries: readonly IndicatorEntry[],
  after: string,
  until: string,
): Promise<string> {
  const last = await lastBetween(step, after, until);
  const end = last.length < step.engine.rowsAtOnce ? until : last.at(-1)!.prefix;
  compare(
    step,
    entries.filter(({ key }) => key <= end),
    last,
    step.difference,
  );
  return end;
}

/** UUIDs of version 5 over the collection, the prefix and the time: the same on every server. */
function idIn({ id }: IndicatorCollection): IdOf {
  return (key, created) => uuidOfName(`${id} ${formatPrefix(prefixOfKey(key))} ${new Date(created).toISOString()}`);
}

/** Both are in the order of keys and cover the same ones. O(entries + versions) */
function compare(
  { collection, at, row }: Step,
  entries: readonly IndicatorEntry[],
  last: readonly LastVersion[],
  into: IndicatorDifference,
): void {
  const idOf = idIn(collection);
  for (let [next, known] = [0, 0]; next < entries.length || known < last.length;) {
    const entry = entries[next];
    const version = last[known];
    const isEntry = entry !== undefined && (version === undefined || entry.key <= version.prefix);
    const isVersion = version !== undefined && (entry === undefined || version.prefix <= entry.key);
    addDifference(into, idOf, {
      ...(isEntry ? { entry } : {}),
      last: isVersion ? version : undefined,
      at,
      after: row.mark === DELETED_MARK ? Math.ceil(row.head / MICRO) : 0,
    });
    if (isEntry) next++;
    if (isVersion) known++;
  }
}

/** Returns the microsecond of the last indicator of the collection. */
async function write({ engine, within, row, at, difference }: Step): Promise<number> {
  const { added, replaced } = difference;
  const first = Math.max(row.head + 1, at * MICRO);
  if (replaced.length > 0)
    await sql`
      update indicators set state = cast(given.value ->> 1 as bigint),
      superseded = cast(given.value ->> 2 as bigint) from ${jsonRows(engine, replacedAt(first, replaced))} as given
      where collection = ${row.number} and added = cast(given.value ->> 0 as bigint)`.execute(within);
  if (added.length === 0) return row.head;
  const rows = added.map((version, index) => [
    row.number,
    first + index,
    version.id,
    version.version,
    version.prefix,
    version.name,
    version.kind,
    version.created,
    version.modified,
    version.expires_at,
    version.revoked,
    version.state,
  ]);
  await engine.pause();
  for (let from = 0; from < rows.length; from += engine.rowsAtOnce)
    await engine.insertRows(within, INSERT, rows.slice(from, from + engine.rowsAtOnce));
  await deleteSurplusVersions(engine, within, row.number, added);
  return first + rows.length - 1;
}

/** With the microsecond at which they were superseded, or null. */
function replacedAt(at: number, replaced: IndicatorDifference["replaced"]) {
  return replaced.map(([added, state]) => [added, state, state === SUPERSEDED ? at : null]);
}
