import type { Rule } from "../../../src/rulesets/rule.ts";
import { formatPrefix } from "../../../src/address/prefix.ts";

/** The reports of the writers of `killed-writer.ts`: the writes of each, in order. */
export class SaidWrites {
  /**
   * By writer: the names of its two prefixes after each of its writes, null for a deleted one; and how many of its
   * writes were acknowledged.
   */
  readonly #writers = new Map<number, { states: (readonly [string | null, string | null])[]; done: number }>();

  /** Starts the writers again from the current names of their prefixes. */
  begin(rules: Iterable<Rule>): void {
    this.#writers.clear();
    const names = namesOf(rules);
    for (let writer = 0; writer < 8; writer++) this.#writers.set(writer, { states: [stateOf(names, writer)], done: 0 });
  }

  hear(line: string): void {
    const [what, writer, number, kind] = line.split(" ");
    const own = this.#writers.get(Number(writer));
    if (own === undefined) return;
    if (what === "done") own.done++;
    if (what !== "began") return;
    const [, second] = own.states.at(-1)!;
    own.states.push(kind === "one" ? [number!, second] : kind === "both" ? [number!, number!] : [null, null]);
  }

  get acknowledged(): number {
    return this.#writers.values().reduce((sum, { done }) => sum + done, 0);
  }

  /**
   * Acknowledged writes that are missing; a write that had begun may or may not be there. Half of a batch is reported
   * too.
   */
  missingFrom(rules: Iterable<Rule>): string[] {
    const names = namesOf(rules);
    return [...this.#writers].flatMap(([writer, { states, done }]) => {
      const found = JSON.stringify(stateOf(names, writer));
      const allowed = states.slice(done, done + 2).map((state) => JSON.stringify(state));
      return allowed.includes(found) ? [] : [`writer ${writer}: found ${found}, acknowledged ${allowed.join(" or ")}`];
    });
  }
}

function namesOf(rules: Iterable<Rule>): Map<string, string | null> {
  return new Map([...rules].map(({ prefix, name }) => [formatPrefix(prefix), name]));
}

function stateOf(names: ReadonlyMap<string, string | null>, writer: number): [string | null, string | null] {
  return [names.get(`192.0.2.${2 * writer}`) ?? null, names.get(`192.0.2.${2 * writer + 1}`) ?? null];
}
