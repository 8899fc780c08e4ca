import { EXAMPLE_ID } from "../../../src/api/schemas/rule.ts";
import { START } from "../start-server.ts";

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g;
/** The number of last digits of `EXAMPLE_ID` that are counted up. */
const LAST_DIGITS = 4;

/** What examples show instead of texts that differ in each run. */
export class StandIns {
  /**
   * One second earlier: the times of files are those of the last tick of the system's clock, several milliseconds ago.
   */
  readonly #startedAt = Date.now() - 1000;
  readonly #texts = new Map<string, string>();

  /** Shows `shown` instead of `text`; an id is mapped to itself if the one that was sent is to be shown. */
  add(text: string, shown: string): void {
    this.#texts.set(text, shown);
  }

  /**
   * The same with stand-ins: for added texts, for ids (the first is the one that the document uses for parameters), and
   * for times at which another process reports to have done something during the run: test servers have a clock of
   * their own.
   */
  in<Value>(value: Value): Value {
    let text = JSON.stringify(value);
    for (const [added, shown] of this.#texts) text = text.replaceAll(added, shown);
    const ids = new Map([...this.#texts.values()].map((shown) => [shown, shown]));
    let count = 0;
    text = text.replaceAll(ID, (id) => {
      if (!ids.has(id)) ids.set(id, numbered(count++));
      return ids.get(id)!;
    });
    const now = Date.now();
    text = text.replaceAll(TIME, (time) => {
      const at = Date.parse(time);
      return at >= this.#startedAt && at <= now ? new Date(START).toISOString() : time;
    });
    return JSON.parse(text) as Value;
  }
}

function numbered(count: number): string {
  const last = Number.parseInt(EXAMPLE_ID.slice(-LAST_DIGITS), 16) + count;
  return EXAMPLE_ID.slice(0, -LAST_DIGITS) + last.toString(16).padStart(LAST_DIGITS, "0");
}
