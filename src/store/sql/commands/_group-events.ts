import { randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import type { EventPart, Recorded } from "../../decide/_decision.ts";
import type { EventBody } from "../../event.ts";
import { packEvents, type RuleEvent } from "../../packed-events.ts";
import type { Ruleset } from "../../state.ts";
import type { Webhook } from "../../records/webhook.ts";
import { type Engine, GivenRows, type Insertion, statement } from "../_engine.ts";
import { EVENTS_OF_ROW } from "../events/_event-parts.ts";
import type { Tables } from "../_tables.ts";
import { deleteOldEvents, type EventLimits } from "../events/_old-events.ts";

/** A row of the feed without its numbers. */
interface Pending {
  readonly organisationId: string;
  readonly at: number;
  readonly rulesetId: string | null;
  readonly content: { readonly rules: RuleEvent[] } | { readonly part: EventPart } | { readonly body: EventBody };
}

const INSERT: Insertion = {
  table: "events",
  columns: {
    organisation_id: "text",
    last: "bigint",
    first: "bigint",
    at: "bigint",
    type: "text",
    ruleset_id: "text",
    body: "text",
    parts: "text",
    part: "bigint",
  },
  ending: "",
};

/** What a group of commands adds to the feeds of organisations, in order. */
export class GroupEvents {
  readonly #pending: Pending[] = [];

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** Events of one ruleset; those of one organisation that follow each other share rows. */
  addRules(
    { id, organisationId }: Pick<Ruleset, "id" | "organisationId">,
    at: number,
    events: readonly RuleEvent[],
  ): void {
    for (const event of events) {
      const last = this.#pending.at(-1);
      const isSame = last?.organisationId === organisationId && last.rulesetId === id && "rules" in last.content;
      const rules = isSame && "rules" in last.content ? last.content.rules : undefined;
      if (rules !== undefined && rules.length < EVENTS_OF_ROW) rules.push(event);
      else this.#pending.push({ organisationId, at, rulesetId: id, content: { rules: [event] } });
    }
  }

  /** Events of one ruleset that are written already; `at`: their time, unless they have their own. */
  addParts(
    { id, organisationId }: Pick<Ruleset, "id" | "organisationId">,
    at: number,
    parts: readonly EventPart[],
  ): void {
    for (const part of parts) this.#pending.push({ organisationId, at, rulesetId: id, content: { part } });
  }

  addBody(organisationId: string, at: number, body: EventBody): void {
    const rulesetId = "ruleset" in body ? body.ruleset.id : null;
    this.#pending.push({ organisationId, at, rulesetId, content: { body } });
  }

  /**
   * Numbers the events and writes them. Only the holder of the lock on the row that numbers changes may call it: so the
   * numbers of each organisation are in the order of commits, too. Returns the organisations that have new events.
   */
  async append(engine: Engine, within: Transaction<Tables>, limits: EventLimits, now: number): Promise<string[]> {
    const organisations = [...new Set(this.#pending.map(({ organisationId }) => organisationId))];
    if (organisations.length === 0) return [];
    const counts = new Map(organisations.map((id) => [id, 0]));
    for (const each of this.#pending) counts.set(each.organisationId, counts.get(each.organisationId)! + countOf(each));
    const next = await reserve(engine, within, counts);
    const rows: (string | number | null)[][] = [];
    for (const each of this.#pending) {
      const first = next.get(each.organisationId)!;
      next.set(each.organisationId, first + countOf(each));
      rows.push(rowOf(each, first));
      if (rows.length % 100 === 0) await engine.pause();
    }
    for (let at = 0; at < rows.length; at += engine.rowsAtOnce)
      await engine.insertRows(within, INSERT, rows.slice(at, at + engine.rowsAtOnce));
    for (const [id, end] of next)
      await deleteOldEvents(engine, within, limits, { id, end, added: counts.get(id)!, now });
    return organisations;
  }
}

function countOf({ content }: Pending): number {
  if ("rules" in content) return content.rules.length;
  return "part" in content ? content.part.count : 1;
}

/** Reserves a number for each pending event of each organisation; returns the first number of each. */
async function reserve(
  engine: Engine,
  within: Transaction<Tables>,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const given = [...counts].map(([id, count]) => [id, randomBytes(16).toString("hex"), count]);
  const rows = await statement<{ organisation_id: string; sequence: number }>(engine, within)`
    insert into event_heads (organisation_id, feed, sequence)
    select value ->> 0, value ->> 1, cast(value ->> 2 as bigint) from ${new GivenRows(given)} as given where true
    on conflict (organisation_id) do update set sequence = event_heads.sequence + excluded.sequence
    returning organisation_id, sequence`;
  return new Map(rows.map(({ organisation_id: id, sequence }) => [id, sequence - counts.get(id)! + 1]));
}

function rowOf(pending: Pending, first: number): (string | number | null)[] {
  const { organisationId, at, rulesetId, content } = pending;
  const last = first + countOf(pending) - 1;
  const about = (type: string, body: string | null, part?: EventPart) => [
    organisationId,
    last,
    first,
    at,
    type,
    rulesetId,
    body,
    part?.id ?? null,
    part?.part ?? null,
  ];
  if ("rules" in content) return about("rules", packEvents(content.rules, at));
  if ("part" in content) return about("rules", null, content.part);
  return about(content.body.type, JSON.stringify(content.body));
}

/** The event of a change that is not about rules; undefined if the feed has none for it. */
export function eventOf({ change, old }: Recorded): EventBody | undefined {
  switch (change.kind) {
    case "ruleset":
      return { type: old === undefined ? "ruleset.created" : "ruleset.updated", ruleset: change.ruleset };
    case "ruleset-deleted":
      return { type: "ruleset.deleted", ruleset: old as Ruleset };
    case "credential": {
      if (change.credential.kind !== "api") return undefined;
      const { id, label, access, expiresAt, revokedAt } = change.credential;
      return { type: revokedAt === null ? "key.created" : "key.revoked", key: { id, label, access, expiresAt } };
    }
    case "webhook": {
      const { id, url, stopped } = change.webhook;
      if (stopped === null || (old as Webhook | undefined)?.stopped?.at === stopped.at) return undefined;
      return { type: "webhook.disabled", webhook: { id, host: new URL(url).host, reason: stopped.reason } };
    }
    default:
      return undefined;
  }
}
