import type { Transaction } from "kysely";
import type { EventPart } from "../../decide/_decision.ts";
import type { TouchedRules } from "../../decide/_touched-rules.ts";
import type { Engine } from "../_engine.ts";
import { EventParts } from "../events/_event-parts.ts";
import { KeptParts } from "../history/_kept-parts.ts";
import { deleteRules, upsertRules } from "../_rule-rows.ts";
import type { Tables } from "../_tables.ts";

/** Writes what a command does to the rules of a ruleset while it is decided, some thousand rules at a time. */
export class TouchedRulesWriter {
  readonly #engine: Engine;
  readonly #within: Transaction<Tables>;
  /** The ruleset's number. */
  readonly #number: number;
  readonly #touched: TouchedRules;
  readonly #parts: KeptParts;
  readonly #events: EventParts;

  constructor(engine: Engine, within: Transaction<Tables>, number: number, touched: TouchedRules, at: number) {
    this.#engine = engine;
    this.#within = within;
    this.#number = number;
    this.#touched = touched;
    this.#parts = new KeptParts(engine, within, at);
    this.#events = new EventParts(within, at);
  }

  /** The id of the kept parts; null if there are none. */
  get kept(): string | null {
    return this.#parts.id;
  }

  /** The part of the feed that has been written. */
  get eventParts(): readonly EventPart[] {
    return this.#events.written;
  }

  /** Writes the waiting rules, if there are enough for a statement. */
  async write(): Promise<void> {
    const { rowsAtOnce } = this.#engine;
    const { upserts, deletes, texts } = this.#touched.waiting;
    const { events } = this.#touched;
    if (upserts >= rowsAtOnce) await this.#writeUpserts();
    if (deletes >= rowsAtOnce) await this.#writeDeletes();
    if (texts >= rowsAtOnce) await this.#writeTexts();
    if (events.length >= rowsAtOnce) await this.#events.write(events.take());
  }

  async writeRest(): Promise<void> {
    await this.#writeDeletes();
    await this.#writeUpserts();
    await this.#writeTexts();
    if (!this.#touched.isListed) await this.#events.write(this.#touched.events.take());
  }

  async #writeUpserts(): Promise<void> {
    const rows = this.#touched.takeUpserts().map((values) => [this.#number, ...values] as const);
    await upsertRules(this.#engine, this.#within, rows);
  }

  async #writeDeletes(): Promise<void> {
    const keys = this.#touched.takeDeletes().map((key) => [this.#number, key] as const);
    await deleteRules(this.#engine, this.#within, keys);
  }

  /** A few rules are kept with the change itself. */
  async #writeTexts(): Promise<void> {
    if (this.#touched.isListed) return;
    const texts = this.#touched.takeTexts();
    if (this.#touched.isKept) await this.#parts.write(texts);
    else await this.#parts.drop();
  }
}
