import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { BodyQueue } from "../../../src/api/http/body-queue.ts";

/** More milliseconds than any test takes. */
const LONG = 1e9;
/** So that every waiting body has waited for too long. */
const OVER = -1;

/** A queue and the outcomes of the bodies that entered it, in order. */
class Watched {
  readonly queue: BodyQueue;
  readonly admitted: string[] = [];
  readonly givenUp: string[] = [];

  constructor(maxWaiting: number, maxWait: number) {
    this.queue = new BodyQueue(maxWaiting, maxWait);
  }

  enter(caller: string, name: string): void {
    const admit = (): void => void this.admitted.push(name);
    this.queue.enter({ caller, admit, giveUp: () => void this.givenUp.push(name) });
  }

  enterMany(caller: string, count: number): void {
    for (let index = 0; index < count; index++) this.enter(caller, `${caller}${index}`);
  }
}

describe("the queue of bodies to be read", () => {
  test("one caller gets half of the slots, then half of the waiting room, and is admitted in order", () => {
    const watched = new Watched(20, LONG);
    watched.enterMany("a", 30);
    assert.equal(watched.admitted.length, 8);
    assert.equal(watched.queue.length, 10);
    assert.deepEqual(
      watched.givenUp,
      Array.from({ length: 12 }, (_, index) => `a${18 + index}`),
    );
    for (let index = 0; index < 18; index++) watched.queue.leave("a");
    assert.deepEqual(
      watched.admitted,
      Array.from({ length: 18 }, (_, index) => `a${index}`),
    );
    assert.equal(watched.queue.length, 0);
  });

  test("callers take turns, however many bodies of each are waiting", () => {
    const watched = new Watched(100, LONG);
    for (const caller of ["x", "y", "z", "v"]) watched.enterMany(caller, 8);
    const before = watched.admitted.length;
    watched.enterMany("a", 20);
    watched.enter("b", "b0");
    const [own] = watched.admitted.splice(0, before);
    assert.ok(own?.startsWith("x"));
    for (const name of ["a", "a", "a", "a", "b"]) watched.queue.leave(name);
    assert.ok(watched.admitted.includes("b0"), "one of many callers is not kept waiting by the most of another");
  });

  test("bodies that have waited too long are given up, at their turn or when the queue is checked", () => {
    const watched = new Watched(100, OVER);
    watched.enterMany("a", 12);
    watched.queue.leave("a");
    assert.deepEqual([watched.admitted.length, watched.givenUp], [8, ["a8", "a9", "a10", "a11"]]);
    watched.enterMany("a", 4);
    watched.queue.giveUpLate();
    assert.deepEqual([watched.admitted.length, watched.givenUp.length, watched.queue.length], [9, 7, 0]);
  });

  test("the negative control: bodies that have not waited too long stay", () => {
    const watched = new Watched(100, LONG);
    watched.enterMany("a", 12);
    watched.queue.giveUpLate();
    assert.deepEqual([watched.givenUp, watched.queue.length], [[], 4]);
  });

  test("10,000 random steps: each body is admitted or given up once, and no slot is lost", () => {
    const random = new Random(1);
    const watched = new Watched(30, LONG);
    const callers = ["a", "b", "c", "d", "e"];
    const callerOf = new Map<string, string>();
    let [entered, left] = [0, 0];
    for (let step = 0; step < 10_000; step++) {
      if (random.below(5) < 3) {
        const caller = callers[random.below(callers.length)]!;
        callerOf.set(`${entered}`, caller);
        watched.enter(caller, `${entered++}`);
      } else if (left < watched.admitted.length) {
        watched.queue.leave(callerOf.get(watched.admitted[left++]!)!);
      }
      assert.ok(watched.admitted.length - left <= 4 * callers.length + 16);
    }
    while (left < watched.admitted.length) watched.queue.leave(callerOf.get(watched.admitted[left++]!)!);
    assert.equal(watched.queue.length, 0);
    const ended = [...watched.admitted, ...watched.givenUp];
    assert.equal(new Set(ended).size, ended.length);
    assert.equal(ended.length, entered);
    watched.admitted.length = 0;
    watched.enterMany("new", 8);
    assert.equal(watched.admitted.length, 8, "all places are free again");
  });
});
