import { randomUUID } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { packEvents, type RuleEvent } from "../../packed-events.ts";
import type { EventPart } from "../../decide/_decision.ts";
import type { Tables } from "../_tables.ts";

/** Events of rules per row; reading any of them reads the whole row. */
export const EVENTS_OF_ROW = 1000;

/**
 * Writes the events of a long list while it is decided. Their numbers are known only at the end, when no other server
 * can number events.
 */
export class EventParts {
  readonly #within: Transaction<Tables>;
  readonly #at: number;
  readonly #id = randomUUID();
  readonly #written: EventPart[] = [];

  constructor(within: Transaction<Tables>, at: number) {
    this.#within = within;
    this.#at = at;
  }

  get written(): readonly EventPart[] {
    return this.#written;
  }

  async write(events: readonly RuleEvent[]): Promise<void> {
    for (let from = 0; from < events.length; from += EVENTS_OF_ROW) {
      const some = events.slice(from, from + EVENTS_OF_ROW);
      const part: EventPart = { id: this.#id, part: this.#written.length, count: some.length };
      await sql`insert into event_parts (id, part, body) values (${part.id}, ${part.part}, ${packEvents(some, this.#at)})`.execute(
        this.#within,
      );
      this.#written.push(part);
    }
  }
}
