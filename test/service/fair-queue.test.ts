import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FairQueue } from "../../src/service/fair-queue.ts";
import { Passwords } from "../../src/service/access/passwords.ts";
import { ServiceError } from "../../src/service/service-error.ts";

/** A queue whose tasks end when the test says so: records which have started, in order, and which were rejected. */
class Watched {
  readonly started: string[] = [];
  readonly refused: string[] = [];
  readonly #queue = new FairQueue({ atOnce: 2, what: "sign-ins" });
  readonly #ends: (() => void)[] = [];

  add(who: string, name = who, isKnown = false): void {
    const task = (): Promise<void> => {
      this.started.push(name);
      return new Promise((end) => this.#ends.push(end));
    };
    this.#queue.run({ who, isKnown }, task).catch((error: unknown) => {
      assert.ok(error instanceof ServiceError && error.code === "unavailable" && error.retryAfter! > 0);
      this.refused.push(name);
    });
  }

  /** Ends the task that has been running longest. */
  async endOne(): Promise<void> {
    this.#ends.shift()?.();
    await turn();
  }

  async endAll(): Promise<string[]> {
    for (await turn(); this.#ends.length > 0;) await this.endOne();
    return this.started;
  }
}

test("two run at a time; the others wait in the order in which they came, each once", async () => {
  const queue = new Watched();
  for (const who of ["a", "b", "c", "d", "e"]) queue.add(who);
  await turn();
  assert.deepEqual(queue.started, ["a", "b"]);
  await queue.endOne();
  assert.deepEqual(queue.started, ["a", "b", "c"]);
  assert.deepEqual(await queue.endAll(), ["a", "b", "c", "d", "e"]);
  for (const who of ["f", "g", "h"]) queue.add(who);
  await turn();
  assert.deepEqual(queue.started.slice(5), ["f", "g"]);
});

test("200 attempts from one address do not delay another: it is the next but one, however many are waiting", async () => {
  const queue = new Watched();
  for (let i = 0; i < 200; i++) queue.add("attacker");
  queue.add("other", "first of the other");
  queue.add("other", "second of the other");
  await turn();
  // Two of the attacker's tasks run, and four wait.
  assert.equal(queue.refused.length, 194);
  assert.deepEqual(await queue.endAll(), [
    "attacker",
    "attacker",
    "attacker",
    "first of the other",
    "attacker",
    "second of the other",
    "attacker",
    "attacker",
  ]);
});

test("addresses that fill the queue make room for one with fewer tasks in it", async () => {
  const queue = new Watched();
  for (let address = 0; address < 6; address++) for (let i = 0; i < 4; i++) queue.add(`attacker ${address}`);
  await turn();
  const before = queue.refused.length;
  queue.add("other");
  await turn();
  assert.deepEqual([queue.refused.length, queue.refused.includes("other")], [before + 1, false]);
  assert.ok((await queue.endAll()).includes("other"));
});

test("known applicants go first, in a queue of their own; every fourth turn is for others nevertheless", async () => {
  const queue = new Watched();
  for (let address = 0; address < 40; address++) queue.add(`${address}`, "unknown");
  for (let user = 0; user < 6; user++) queue.add(`user ${user}`, "known", true);
  await turn();
  assert.equal(queue.refused.includes("known"), false);
  const order = (await queue.endAll()).slice(2, 10);
  assert.deepEqual(order, ["known", "known", "known", "unknown", "known", "known", "known", "unknown"]);
});

test("a task that fails passes its turn on", async () => {
  const queue = new FairQueue({ atOnce: 2, what: "sign-ins" });
  const by = { who: "a", isKnown: false };
  const results = await Promise.allSettled(
    [1, 2, 3].map((i) => queue.run(by, () => (i < 3 ? Promise.reject(new Error(`${i}`)) : Promise.resolve(i)))),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected", "fulfilled"],
  );
});

test("hashes: a salt each, spellings normalized; of 200 wrong attempts from one address at most six come before a right one from another", async () => {
  const by = (who: string) => ({ who, isKnown: false });
  const costly = await new Passwords().hash("Åsa's password", by("a"));
  assert.match(costly, /^\$scrypt\$ln=16,r=8,p=2\$/);
  const passwords = new Passwords(12);
  const hash = await passwords.hash("Åsa's password", by("a"));
  const answered: string[] = [];
  const wrong = Array.from({ length: 200 }, () =>
    passwords.check("wrong", hash, by("attacker")).then(
      (isRight) => answered.push(`attacker ${isRight}`),
      () => undefined,
    ),
  );
  await passwords.check("A\u030asa's password", hash, by("other")).then((isRight) => answered.push(`other ${isRight}`));
  // Two run, four wait, and the others are rejected. Which of them ends first is up to the system.
  assert.ok(answered.length <= 7 && answered.at(-1) === "other true", answered.join());
  await Promise.all(wrong);
  assert.deepEqual(
    [await passwords.check("x", undefined, by("a")), await passwords.check("x", "none", by("a"))],
    [false, false],
  );
  assert.equal(await passwords.check("Åsa's password", costly, by("a")), false, "a hash of another cost");
});
