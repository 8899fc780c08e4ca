import { type Event, type EventBody, RULE_EVENTS, type StoredEvents } from "./event.ts";
import { ruleOfValues, type RuleValues } from "./_rule-values.ts";

/** An event of a rule: the number of its type in `RULE_EVENTS`, the rule's values, and its time. */
export type RuleEvent = readonly [type: number, ...RuleValues, at: number];

/** JSON of events. Trailing times that equal the row's own are left out; in an import, all of them do. */
export function packEvents(events: readonly RuleEvent[], at: number): string {
  let text = "[";
  for (const event of events) text += text.length === 1 ? packed(event, at) : `,${packed(event, at)}`;
  return `${text}]`;
}

/** Concatenation takes a third of the time of `JSON.stringify`: keys contain nothing that JSON escapes. */
function packed([type, key, name, expiresAt, createdAt, updatedAt, eventAt]: RuleEvent, at: number): string {
  const start = `[${type},"${key}",${name === null ? "null" : JSON.stringify(name)},${expiresAt}`;
  if (eventAt !== at) return `${start},${createdAt},${updatedAt},${eventAt}]`;
  if (updatedAt !== at) return `${start},${createdAt},${updatedAt}]`;
  return createdAt === at ? `${start}]` : `${start},${createdAt}]`;
}

/** The events of a row after number `after`. */
export function* eventsOf(row: StoredEvents, after: number): Generator<Event, undefined, undefined> {
  const { first, at, type, rulesetId, body } = row;
  const stored = JSON.parse(body) as unknown;
  if (type !== "rules") return void (yield { sequence: first, at, ...(stored as EventBody) });
  const events = stored as readonly [number, string, string | null, number | null, number?, number?, number?][];
  for (let index = Math.max(0, after + 1 - first); index < events.length; index++) {
    const [kind, key, name, expiresAt, createdAt = at, updatedAt = at, eventAt = at] = events[index]!;
    const rule = ruleOfValues([key, name, expiresAt, createdAt, updatedAt]);
    yield { sequence: first + index, at: eventAt, type: RULE_EVENTS[kind]!, rulesetId: rulesetId!, rule };
  }
}
