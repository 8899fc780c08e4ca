import type { Event } from "../../store/event.ts";
import type { EventKind } from "../../store/records/webhook.ts";
import { ruleDocument } from "../../formats/rule-document.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { aboutOf } from "../changes/change-text.ts";

/** Maximum rules that a message lists; for more, it only has the counts. */
const MAX_LISTED = 20;
/** Standard Webhooks recommends less than 20 kB. */
const MAX_BYTES = 16_000;

/** The content of one message: an event of the feed, or all events of one change of a ruleset. */
export interface WebhookEvent {
  /** The numbers of its first and last event in the feed. */
  readonly first: number;
  readonly last: number;
  /** An endpoint that wants one of these gets it. */
  readonly kinds: readonly EventKind[];
  readonly at: number;
  readonly data: object;
}

type RuleEvent = Extract<Event, { readonly rule: Rule }>;
type OtherEvent = Exclude<Event, RuleEvent>;

/** The data from which the text of a message is made. */
export interface About {
  /** For its name; undefined if it has been deleted since. */
  readonly ruleset: (id: string) => { readonly name: string } | undefined;
  /** The URL to which paths are appended; "" if the server does not know it. */
  readonly baseUrl: string;
}

export function isOfRule(event: Event): event is RuleEvent {
  return "rule" in event;
}

/** The only kind, or `rule.changed` for a change that did several things to rules. */
export function typeOf({ kinds }: Pick<WebhookEvent, "kinds">): EventKind | "rule.changed" {
  return kinds.length === 1 ? kinds[0]! : "rule.changed";
}

/** The text of a message: what is signed. */
export function messageOf(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** A single event that is not about a rule. */
export function singleEvent(event: OtherEvent, about: About): WebhookEvent {
  const { sequence, at, type } = event;
  const data = { ...placeOf(sequence, sequence, about), ...aboutOf(event) };
  return { first: sequence, last: sequence, kinds: [type], at, data: shortened(data) };
}

/** Adds up the events that one change of a ruleset has caused at one time. */
export class RuleEvents {
  readonly #first: RuleEvent;
  readonly #counts = new Map<EventKind, number>();
  readonly #listed: object[] = [];
  #last: number;

  constructor(first: RuleEvent) {
    this.#first = first;
    this.#last = first.sequence;
    this.add(first);
  }

  /** Whether the event is of the same time and ruleset. */
  fits({ rulesetId, at }: RuleEvent): boolean {
    return rulesetId === this.#first.rulesetId && at === this.#first.at;
  }

  add({ type, rule, sequence }: RuleEvent): void {
    this.#last = sequence;
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    if (this.#listed.length <= MAX_LISTED) this.#listed.push({ event: type, ...ruleDocument(rule) });
  }

  event(about: About): WebhookEvent {
    const { sequence: first, at, rulesetId } = this.#first;
    const last = this.#last;
    const isShort = this.#listed.length <= MAX_LISTED && Buffer.byteLength(JSON.stringify(this.#listed)) < MAX_BYTES;
    const count = (kind: EventKind): number => this.#counts.get(kind) ?? 0;
    const data = {
      ...placeOf(first, last, about),
      ruleset: { id: rulesetId, name: about.ruleset(rulesetId)?.name ?? null },
      counts: {
        created: count("rule.created"),
        updated: count("rule.updated"),
        deleted: count("rule.deleted"),
        expired: count("rule.expired"),
      },
      rules: isShort ? this.#listed : null,
    };
    return { first, last, kinds: [...this.#counts.keys()], at, data };
  }
}

/** The path or URL at which the events can be read. */
function placeOf(first: number, last: number, { baseUrl }: About): object {
  return { sequence: last, url: `${baseUrl}/v1/changes?after=${first - 1}&limit=${Math.min(last - first + 1, 1000)}` };
}

/** The reasons of a refused list name prefixes, and may be many. */
function shortened(data: object): object {
  if (Buffer.byteLength(JSON.stringify(data)) < MAX_BYTES) return data;
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => name === "sequence" || name === "url" || name === "deployment"),
  );
}
