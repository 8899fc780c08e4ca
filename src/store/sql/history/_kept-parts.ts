import { randomUUID } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Engine } from "../_engine.ts";
import { type KeptTexts, textOfParts } from "../../decide/_kept-texts.ts";
import type { Tables } from "../_tables.ts";

/** Days for which rules are kept, so that changes can be undone for as long. */
const KEPT_DAYS = 30;
const DAY = 86_400_000;

/** The rules that a large change touches, written part by part while it is made; dropped if there are too many. */
export class KeptParts {
  readonly #engine: Engine;
  readonly #within: Transaction<Tables>;
  readonly #at: number;
  readonly #id = randomUUID();
  #parts = 0;

  constructor(engine: Engine, within: Transaction<Tables>, at: number) {
    this.#engine = engine;
    this.#within = within;
    this.#at = at;
  }

  /** The id of the parts; null if there are none. */
  get id(): string | null {
    return this.#parts === 0 ? null : this.#id;
  }

  async write(texts: KeptTexts): Promise<void> {
    if (this.#parts === 0) await this.#forgetOld();
    await sql`insert into kept_rules (id, part, at, rules) values (${this.#id}, ${this.#parts++}, ${this.#at}, ${textOfParts(texts)})`.execute(
      this.#within,
    );
  }

  async drop(): Promise<void> {
    if (this.#parts > 0) await sql`delete from kept_rules where id = ${this.#id}`.execute(this.#within);
    this.#parts = 0;
  }

  /** Parts that others are deleting at the moment are left to them. */
  async #forgetOld(): Promise<void> {
    await sql`
      delete from kept_rules where (id, part) in
      (select id, part from kept_rules where at < ${this.#at - KEPT_DAYS * DAY} ${this.#engine.name === "postgres" ? sql`for update skip locked` : sql``})`.execute(
      this.#within,
    );
  }
}
