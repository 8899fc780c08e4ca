import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredEvents } from "../../../src/store/event.ts";
import { packEvents, type RuleEvent } from "../../../src/store/packed-events.ts";
import { keyOfPrefix } from "../../../src/store/_prefix-key.ts";
import type { Store } from "../../../src/store/store.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { EventReader } from "../../../src/service/webhooks/event-reader.ts";
import {
  messageOf,
  RuleEvents,
  singleEvent,
  typeOf,
  type WebhookEvent,
} from "../../../src/service/webhooks/webhook-event.ts";

const AT = Date.UTC(2026, 10, 27);
const ABOUT = {
  ruleset: (id: string) => (id === "r" ? { name: "blocked" } : undefined),
  baseUrl: "https://ipsieve.example",
};

function ruleEvent(sequence: number, about: object = {}, name: string | null = null): never {
  const prefix = parsePrefix(`20.0.${(sequence >> 8) & 255}.${sequence & 255}`);
  const rule = { prefix, name, expiresAt: null, createdAt: AT, updatedAt: AT };
  return { sequence, at: AT, type: "rule.created", rulesetId: "r", rule, ...about } as never;
}

/** The event of changes with these numbers, of which each has a name of its own if one is given. */
function added(count: number, name: string | null = null): WebhookEvent & { data: any } {
  const events = new RuleEvents(ruleEvent(5, {}, name));
  for (let at = 1; at < count; at++) events.add(ruleEvent(5 + at, {}, name));
  return events.event(ABOUT);
}

test("up to 20 rules of a change are listed, if they are short; more are counted", () => {
  const one = added(1);
  assert.deepEqual([one.first, one.last, one.kinds, one.at, typeOf(one)], [5, 5, ["rule.created"], AT, "rule.created"]);
  assert.equal(one.data.url, "https://ipsieve.example/v1/changes?after=4&limit=1");
  assert.deepEqual(one.data.ruleset, { id: "r", name: "blocked" });
  assert.deepEqual(one.data.counts, { created: 1, updated: 0, deleted: 0, expired: 0 });
  assert.deepEqual(
    [one.data.rules.length, one.data.rules[0].event, one.data.rules[0].ip],
    [1, "rule.created", "20.0.0.5"],
  );
  const twenty = added(20);
  assert.deepEqual([twenty.last, twenty.data.rules.length, twenty.data.sequence], [24, 20, 24]);
  const more = added(21);
  assert.deepEqual([more.data.rules, more.data.counts.created], [null, 21]);
  assert.equal(more.data.url, "https://ipsieve.example/v1/changes?after=4&limit=21");
  assert.match(added(1001).data.url, /limit=1000$/);
  const bytes = (name: string): number => Buffer.byteLength(JSON.stringify(added(20, name).data.rules ?? ""));
  const spare = 16_000 - bytes("x".repeat(255));
  assert.ok(spare > 20, "20 rules with the longest names in ASCII are listed");
  assert.equal(added(20, "é".repeat(255 + spare)).data.rules, null, "bytes count, not characters");
});

test("a change that did several things has all kinds; another ruleset or another time is another change", () => {
  const events = new RuleEvents(ruleEvent(5));
  assert.equal(events.fits(ruleEvent(6)), true);
  assert.equal(events.fits(ruleEvent(6, { rulesetId: "other" })), false);
  assert.equal(events.fits(ruleEvent(6, { at: AT + 1 })), false);
  assert.equal(events.fits(ruleEvent(6, { at: AT + 1, rulesetId: "other" })), false);
  events.add(ruleEvent(6, { type: "rule.deleted" }));
  events.add(ruleEvent(7, { type: "rule.deleted" }));
  events.add(ruleEvent(8, { type: "rule.expired" }));
  events.add(ruleEvent(9, { type: "rule.updated" }));
  const { kinds, data, ...rest } = events.event({ ...ABOUT, ruleset: () => undefined, baseUrl: "" }) as any;
  assert.deepEqual(kinds, ["rule.created", "rule.deleted", "rule.expired", "rule.updated"]);
  assert.equal(typeOf({ kinds, ...rest }), "rule.changed");
  assert.deepEqual(data.counts, { created: 1, updated: 1, deleted: 2, expired: 1 });
  assert.deepEqual([data.ruleset, data.url], [{ id: "r", name: null }, "/v1/changes?after=4&limit=5"]);
});

test("another event is a message of its own; reasons that are too long are left out", () => {
  const refused = (message: string) => {
    const list = { number: 3, reasons: [{ code: "too-wide", message }], entries: { 4: 1, 6: 0 } };
    const event = { sequence: 7, at: AT, type: "deployment.refused", deployment: { id: "d", name: "edge" }, list };
    return singleEvent(event as never, ABOUT) as any;
  };
  const { first, last, kinds, at, data } = refused("wide");
  assert.deepEqual([first, last, kinds, at], [7, 7, ["deployment.refused"], AT]);
  assert.ok(JSON.stringify(data).includes("wide"));
  const length = Buffer.byteLength(JSON.stringify(data)) - 4;
  assert.ok(JSON.stringify(refused("x".repeat(15_999 - length)).data).includes("xxx"));
  const short = refused("x".repeat(16_000 - length)).data;
  assert.deepEqual(Object.keys(short).sort(), ["deployment", "sequence", "url"]);
  assert.deepEqual([short.deployment.name, short.sequence], ["edge", 7]);
  assert.equal(
    messageOf("webhook.test", AT, { a: 1 }),
    '{"type":"webhook.test","timestamp":"2026-11-27T00:00:00.000Z","data":{"a":1}}',
  );
});

/** A row of rule events with these numbers and times. */
function row(first: number, times: readonly number[], about: Partial<StoredEvents> = {}): StoredEvents {
  const events = times.map((at, index): RuleEvent => {
    const key = keyOfPrefix(parsePrefix(`20.0.${index >> 8}.${index & 255}`));
    return [0, key, null, null, at, at, at];
  });
  const body = packEvents(events, times[0]!);
  const place = { first, last: first + times.length - 1, at: times[0]! };
  return { ...place, type: "rules", rulesetId: "r", parts: null, body, ...about } as StoredEvents;
}

const other = (sequence: number): StoredEvents =>
  ({
    first: sequence,
    last: sequence,
    at: AT,
    type: "key.created",
    rulesetId: null,
    parts: null,
    body: JSON.stringify({ type: "key.created", key: { id: "k", label: "", access: "read", expiresAt: null } }),
  }) as unknown as StoredEvents;

/** A reader of these rows, of which the store returns a few at a time, and events before `oldest` no longer. */
function readerOf(rows: readonly StoredEvents[], oldest = 1) {
  const asked: number[] = [];
  const read = (_: string, __: string, after: number) => {
    asked.push(after);
    const kept = rows.filter(({ first, last }) => last > after && first >= oldest);
    const sequence = rows.at(-1)?.last ?? 0;
    return Promise.resolve({ rows: after + 1 < oldest ? [] : kept.slice(0, 2), oldest, sequence });
  };
  return { reader: new EventReader({ read } as unknown as Store, "o", ABOUT), asked };
}

/** All messages, each as its first and last event. */
async function messagesOf(rows: readonly StoredEvents[], oldest?: number): Promise<string[]> {
  const { reader } = readerOf(rows, oldest);
  const found: string[] = [];
  for (let next = await reader.peek(); next !== undefined; next = await reader.peek()) {
    assert.equal(await reader.peek(), next, "until it is passed");
    found.push(`${next.first}-${next.last}`);
    reader.pass(next.last);
    assert.equal(reader.position, next.last);
  }
  return found;
}

const times = (count: number, at = AT): number[] => Array.from({ length: count }, () => at);

test("events of one time and ruleset are one message, over rows that are full or of one list", async () => {
  assert.deepEqual(await messagesOf([]), []);
  assert.deepEqual(await messagesOf([row(1, times(3))]), ["1-3"]);
  assert.deepEqual(await messagesOf([row(1, [AT, AT, AT + 1])]), ["1-2", "3-3"]);
  assert.deepEqual(await messagesOf([row(1, times(3)), row(4, times(2))]), ["1-3", "4-5"], "two changes at one time");
  assert.deepEqual(await messagesOf([row(1, times(1000)), row(1001, times(2))]), ["1-1002"]);
  assert.deepEqual(await messagesOf([row(1, times(999)), row(1000, times(2))]), ["1-999", "1000-1001"]);
  const full = (first: number) => row(first, times(1000));
  assert.deepEqual(await messagesOf([full(1), full(1001), full(2001), other(3001)]), ["1-3000", "3001-3001"]);
  assert.deepEqual(await messagesOf([full(1), row(1001, times(2, AT + 1))]), ["1-1000", "1001-1002"]);
  assert.deepEqual(await messagesOf([full(1), row(1001, times(2), { rulesetId: "other" })]), ["1-1000", "1001-1002"]);
  assert.deepEqual(await messagesOf([full(1), other(1001), row(1002, times(1))]), ["1-1000", "1001-1001", "1002-1002"]);
  const parts = (first: number, of: string | null) => row(first, times(2), { parts: of as never });
  assert.deepEqual(await messagesOf([parts(1, "p"), parts(3, "p"), parts(5, "q")]), ["1-4", "5-6"]);
  assert.deepEqual(await messagesOf([parts(1, "p"), parts(3, null)]), ["1-2", "3-4"]);
  assert.deepEqual(await messagesOf([other(1), other(2), parts(3, null)]), ["1-1", "2-2", "3-4"]);
});

test("events that are no longer kept are left out, and a reader goes on after a cursor within a row", async () => {
  assert.deepEqual(await messagesOf([row(1, times(3)), row(4, times(2)), other(6)], 4), ["4-5", "6-6"]);
  assert.deepEqual(await messagesOf([row(1, times(3))], 4), []);
  const { reader, asked } = readerOf([row(1, [AT, AT, AT + 1, AT + 2]), row(5, times(1)), other(6)]);
  reader.pass(2);
  assert.deepEqual([(await reader.peek())!.first, asked], [3, [2]]);
  reader.pass(1);
  assert.equal(reader.position, 2, "never back");
  reader.pass(3);
  assert.deepEqual([(await reader.peek())!.first, asked], [4, [2]], "of the row at hand");
  reader.pass(4);
  assert.deepEqual([(await reader.peek())!.first, asked], [5, [2]], "of a row that was read before");
  reader.pass(5);
  assert.deepEqual([(await reader.peek())!.first, asked], [6, [2, 5]]);
  reader.pass(6);
  assert.equal(await reader.peek(), undefined);
  const within = readerOf([row(1, times(3)), other(4)]).reader;
  const whole = await within.peek();
  within.pass(2);
  assert.equal(await within.peek(), whole, "a message of which a part was passed is still sent");
  const far = readerOf([row(1, times(1)), row(2, times(1)), other(3)]).reader;
  assert.equal((await far.peek())!.first, 1);
  far.pass(2);
  assert.equal((await far.peek())!.first, 3, "rows that are passed as a whole are not read again");
});
