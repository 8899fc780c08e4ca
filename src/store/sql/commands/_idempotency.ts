import { sql, type Transaction } from "kysely";
import type { Answer } from "../../_answer.ts";
import { type Engine, jsonRows } from "../_engine.ts";
import { answerOfText, textOfAnswer } from "./_kept-answer.ts";
import type { Tables } from "../_tables.ts";
import type { Command } from "../../command.ts";
import { StoreError, type StoreErrorCode } from "../../store-error.ts";

/**
 * Rejections that decide nothing about the request: the key belongs to another one, the server itself repeats the
 * command, or the database failed.
 */
const UNDECIDED: ReadonlySet<StoreErrorCode> = new Set([
  "idempotency-mismatch",
  "definition-changed",
  "unavailable",
  "outcome-unknown",
  "corrupt",
  "closed",
]);

/** Milliseconds for which an idempotency key is remembered. */
const REMEMBERED = 24 * 60 * 60 * 1000;
/** A longer answer is written by a statement of its own: within an array of rows it would be quoted in one turn. */
const MAX_CHARACTERS = 100_000;
/** Old keys are deleted along with other work, at most this many with a group. */
const FORGOTTEN_AT_ONCE = 100;

interface Known {
  readonly request: string;
  /** undefined until a command with the key has been decided in this group. */
  answer: Answer | undefined;
  readonly isNew: boolean;
}

/** The idempotency keys of a group of commands. */
export class IdempotencyKeys {
  readonly #known = new Map<string, Known>();

  /**
   * Claims unused keys, and those used over a day ago, and reads the answers of the others. It waits for a key that
   * another server is using at the moment; all servers claim in the same order, so they never wait for each other in a
   * circle.
   */
  static async claim(
    engine: Engine,
    within: Transaction<Tables>,
    commands: readonly Command[],
  ): Promise<IdempotencyKeys> {
    const keys = new IdempotencyKeys();
    const claims = new Map<string, readonly unknown[]>();
    for (const command of commands) {
      const name = nameOf(command);
      // Of several requests with one key, the first is executed.
      if (name !== undefined && !claims.has(name))
        claims.set(name, [...JSON.parse(name), keyOf(command)!.request, command.at]);
    }
    if (claims.size === 0) return keys;
    const inOrder = [...claims].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, claim]) => claim);
    const { rows: claimed } = await sql<{ organisation_id: string; key: string }>`
      insert into idempotency (organisation_id, key, request, created_at)
      select value ->> 0, value ->> 1, value ->> 2, cast(value ->> 3 as bigint) from ${jsonRows(engine, inOrder)} as given where true
      on conflict (organisation_id, key) do update set request = excluded.request, answer = null, created_at = excluded.created_at
      where idempotency.created_at < excluded.created_at - ${sql.lit(REMEMBERED)}
      returning organisation_id, key`.execute(within);
    const own = new Set(claimed.map(({ organisation_id, key }) => JSON.stringify([organisation_id, key])));
    const { rows } = await sql<Tables["idempotency"]>`
      select idempotency.* from ${jsonRows(engine, inOrder)} as given cross join idempotency
      where idempotency.organisation_id = given.value ->> 0 and idempotency.key = given.value ->> 1`.execute(within);
    for (const { organisation_id, key, request, answer } of rows) {
      const name = JSON.stringify([organisation_id, key]);
      keys.#known.set(name, {
        request,
        answer: answer === null ? undefined : await answerOfText(answer, engine.pause),
        isNew: own.has(name),
      });
    }
    return keys;
  }

  /** The answer of an earlier command with the key. Throws StoreError (`idempotency-mismatch`). */
  answerOf(command: Command): Answer | undefined {
    const known = this.#knownOf(command);
    if (known === undefined) return undefined;
    const { key, request } = keyOf(command)!;
    if (known.request === request) return known.answer;
    throw new StoreError(
      "idempotency-mismatch",
      `the idempotency key ${JSON.stringify(key)} was used for another request; choose a new one for each`,
    );
  }

  /** Unless the answer decides nothing about the request, so that a repetition is to be executed. */
  remember(command: Command, answer: Answer): void {
    const known = this.#knownOf(command);
    if (known !== undefined && known.answer === undefined && isDecided(command, answer)) known.answer = answer;
  }

  /** Writes the answers of the claimed keys, gives up claims without one, and deletes keys that are over a day old. */
  async write(engine: Engine, within: Transaction<Tables>, now: number): Promise<void> {
    await this.#giveUp(within);
    const answers: [organisation: string, key: string, answer: string][] = [];
    for (const [name, { answer, isNew }] of this.#known) {
      const [organisation, key] = JSON.parse(name) as [string, string];
      if (isNew && answer !== undefined) answers.push([organisation, key, await textOfAnswer(answer, engine.pause)]);
    }
    if (answers.length === 0) return;
    const [long, short] = [answers.filter(isLong), answers.filter((each) => !isLong(each))];
    await sql`
      update idempotency set answer = given.value ->> 2 from ${jsonRows(engine, short)} as given
      where idempotency.organisation_id = given.value ->> 0 and idempotency.key = given.value ->> 1`.execute(within);
    for (const [organisation, key, answer] of long)
      await within
        .updateTable("idempotency")
        .set({ answer })
        .where("organisation_id", "=", organisation)
        .where("key", "=", key)
        .execute();
    await sql`
      delete from idempotency where (organisation_id, key) in
      (select organisation_id, key from idempotency where created_at < ${now - REMEMBERED} order by created_at limit ${FORGOTTEN_AT_ONCE}
      ${engine.name === "postgres" ? sql`for update skip locked` : sql``})`.execute(within);
  }

  /** Deletes the claims of commands that have no answer to be remembered. */
  async #giveUp(within: Transaction<Tables>): Promise<void> {
    for (const [name, { answer, isNew }] of this.#known) {
      if (!isNew || answer !== undefined) continue;
      const [organisation, key] = JSON.parse(name) as [string, string];
      await within
        .deleteFrom("idempotency")
        .where("organisation_id", "=", organisation)
        .where("key", "=", key)
        .execute();
    }
  }

  #knownOf(command: Command): Known | undefined {
    const name = nameOf(command);
    return name === undefined ? undefined : this.#known.get(name);
  }
}

function isDecided(command: Command, answer: Answer): boolean {
  if (!("rejection" in answer)) return true;
  const { code } = answer.rejection;
  const isOwn = "isOwnMatch" in command && command.isOwnMatch === true;
  return !UNDECIDED.has(code) && !(isOwn && code === "version-mismatch");
}

function isLong([, , answer]: readonly [organisation: string, key: string, answer: string]): boolean {
  return answer.length > MAX_CHARACTERS;
}

function keyOf(command: Command) {
  return "idempotency" in command ? command.idempotency : undefined;
}

function nameOf(command: Command): string | undefined {
  const idempotency = keyOf(command);
  return idempotency === undefined || !("organisationId" in command)
    ? undefined
    : JSON.stringify([command.organisationId, idempotency.key]);
}
