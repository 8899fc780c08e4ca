import assert from "node:assert/strict";
import { after, describe, test, type TestContext } from "node:test";
import { LimitExchange } from "../../../src/service/access/limit-exchange.ts";
import { FailureLimits, KeyLimits, SteadyClock } from "../../../src/service/access/rate-limits.ts";
import { SignInLimits } from "../../../src/service/access/sign-in-limits.ts";
import { ServiceError } from "../../../src/service/service-error.ts";
import { openStore, type StoreLocation } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { databases } from "../../store/harness/stores.ts";
import { onlyLong } from "../../rounds.ts";

/** One second into a minute. */
const START = Date.UTC(2026, 10, 21, 12, 0, 1);
const LIMIT = 10;

/** The limits of a server, with a clock that the test sets; it exchanges only when it is told to. */
class Server {
  readonly clock: { now: number };
  readonly keyLimits: KeyLimits;
  readonly failureLimits: FailureLimits;
  readonly signIns: SignInLimits;
  readonly exchange: LimitExchange;

  constructor(store: Pick<Store, "record">, now = START) {
    const clock = { now };
    const steady = new SteadyClock(() => clock.now);
    this.clock = clock;
    this.keyLimits = new KeyLimits(steady);
    this.failureLimits = new FailureLimits(steady);
    this.signIns = new SignInLimits(LIMIT, steady);
    this.exchange = new LimitExchange({ ...this, store: store as Store, now: () => clock.now }, steady);
  }

  /** How many of this many requests with a key are allowed. */
  pass(requests: number, keyId = "k"): number {
    const allowance = { perMinute: LIMIT, perMonth: 1e9 };
    const taken = Array.from({ length: requests }, () => this.keyLimits.take(keyId, "edl", this.clock.now, allowance));
    return taken.filter(({ isExceeded }) => !isExceeded).length;
  }

  /** How many of this many attempts are allowed. */
  try(tries: number, take: (signIns: SignInLimits) => void): number {
    return Array.from({ length: tries }, () => {
      try {
        take(this.signIns);
        return 1;
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.code === "too-many-requests");
        return 0;
      }
    }).reduce<number>((sum, passed) => sum + passed, 0);
  }
}

for (const { name, skip, make, stop } of await databases()) {
  describe(`limits of several servers on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    async function openStores(context: TestContext, count: number, at?: StoreLocation): Promise<Store[]> {
      const location = at ?? (await make());
      const stores: Store[] = [];
      for (let i = 0; i < count; i++) stores.push(await openStore(location));
      context.after(() => Promise.all(stores.map((store) => store.close())));
      return stores;
    }

    test("the counts of one server are added once by the others: keys by plan, sign-ins by name, address and device, failures", async (context) => {
      const [one, two, three] = (await openStores(context, 3)).map((store) => new Server(store));
      assert.equal(one!.pass(6), 6);
      assert.equal(two!.pass(3), 3);
      for (let i = 0; i < 7; i++) one!.failureLimits.take("2001:db8::1", LIMIT);
      const takes: readonly ((signIns: SignInLimits) => void)[] = [
        (signIns) => signIns.takeName("ann"),
        (signIns) => signIns.takeAddress("192.0.2.1"),
        (signIns) => signIns.takeKnown("device"),
      ];
      assert.deepEqual(
        takes.map((take) => one!.try(4, take)),
        [4, 4, 4],
      );
      assert.equal(
        three!.failureLimits.peek("2001:db8::1", LIMIT).headers["ratelimit-remaining"],
        "10",
        "not told yet",
      );
      // Each learns what was written before its exchange; repeating the exchange adds nothing.
      for (const server of [one, two, three, one, two, three, one, two, three]) await server!.exchange.exchange();
      assert.equal(three!.failureLimits.peek("2001:db8:0:ff::", LIMIT).headers["ratelimit-remaining"], "3");
      assert.deepEqual(
        takes.map((take) => three!.try(20, take)),
        [6, 6, 6],
      );
      assert.equal(
        three!.try(20, (signIns) => signIns.takeName("anne")),
        10,
        "another name",
      );
      const { minute } = three!.keyLimits.peek("k", "edl", START, { perMinute: LIMIT, perMonth: 1e9 });
      assert.deepEqual(minute, { limit: 10, remaining: 1, reset: 59 });
      const other = three!.keyLimits.peek("k", "cti", START, { perMinute: LIMIT, perMonth: 1e9 });
      assert.equal(other.minute.remaining, 10, "another plan");
      assert.deepEqual(
        [three!.pass(20), one!.pass(20), two!.pass(20)],
        [1, 1, 1],
        "each may overshoot until it is told",
      );
      for (const server of [one, two, three, one]) await server!.exchange.exchange();
      assert.equal(one!.keyLimits.peek("k", "edl", START, { perMinute: LIMIT, perMonth: 1e9 }).minute.remaining, 0);
    });

    test("a restarted server continues its counts; the next minute begins at zero", async (context) => {
      const [store, another] = await openStores(context, 2);
      const before = new Server(store!);
      before.pass(8);
      await before.exchange.stop();
      const again = new Server(another!);
      await again.exchange.exchange();
      assert.equal(again.pass(20), 2);
      again.clock.now += 60_000;
      await again.exchange.exchange();
      assert.equal(again.pass(20), 10);
    });

    test("clocks that differ by any amount: counts are added to the minute with the largest overlap", async (context) => {
      const ahead = [0, 20_000, -20_000, 3_600_000, -86_400_000 + 10_000];
      const stores = await openStores(context, ahead.length);
      const servers = stores.map((store, i) => new Server(store, START + 29_000 + ahead[i]!));
      servers[0]!.pass(9);
      for (const server of servers) await server.exchange.exchange();
      assert.deepEqual(
        servers.map((server) => server.pass(20)),
        [1, 1, 1, 1, 1],
      );
    });

    test("a server whose minute has not begun yet adds early counts when it begins", async (context) => {
      const [one, two] = (await openStores(context, 2)).map((store) => new Server(store));
      two!.clock.now = START - 5000;
      one!.pass(9);
      await one!.exchange.exchange();
      await two!.exchange.exchange();
      assert.equal(two!.pass(20), 10, "of the minute that ends");
      two!.clock.now += 10_000;
      await two!.exchange.exchange();
      assert.equal(two!.pass(20), 1);
    });

    test("a database that fails before or after writing loses nothing and adds nothing twice while the minute lasts", async (context) => {
      const [store, another] = await openStores(context, 2);
      let fails: "before" | "after" | undefined;
      const failing: Pick<Store, "record"> = {
        record(...request) {
          if (fails === "before") return Promise.reject(new Error("away"));
          return store!.record(...request).then((answer) => {
            if (fails === "after") throw new Error("the answer was lost");
            return answer;
          });
        },
      };
      const [one, two] = [new Server(failing), new Server(another!)];
      for (fails of ["before", "after", "before", undefined] as const) {
        assert.equal(one.pass(2), 2, "it goes on alone");
        await one.exchange.exchange();
      }
      await one.exchange.exchange();
      await two.exchange.exchange();
      assert.equal(two.pass(20), 2);
      fails = "before";
      one.clock.now += 60_000;
      assert.equal(one.pass(9), 9);
      await one.exchange.exchange();
      fails = undefined;
      one.clock.now += 60_000;
      two.clock.now += 120_000;
      await one.exchange.exchange();
      await two.exchange.exchange();
      assert.equal(two.pass(20), 10, "of a minute that is over no one is told");
    });

    test("a flood of addresses hides no client near the limit, and messages stay short", async (context) => {
      const [store, another] = await openStores(context, 2);
      const lengths: number[] = [];
      const watched: Pick<Store, "record"> = {
        record(...request) {
          lengths.push(JSON.stringify(request).length);
          return store!.record(...request);
        },
      };
      const [one, two] = [new Server(watched), new Server(another!)];
      for (let round = 0; round < 9; round++) {
        for (let i = 0; i < 5000; i++) one.failureLimits.take(`2001:db8:${round}:${(i << 8).toString(16)}::`, LIMIT);
        one.failureLimits.take("192.0.2.1", LIMIT);
        one.failureLimits.take("x".repeat(16_000), LIMIT);
        await one.exchange.exchange();
      }
      await two.exchange.exchange();
      const remaining = Number(two.failureLimits.peek("192.0.2.1", LIMIT).headers["ratelimit-remaining"]);
      context.diagnostic(
        `of 9 tries amid 45,000 addresses ${10 - remaining} were told; longest message ${Math.max(...lengths)}`,
      );
      assert.ok(remaining <= 7, `${remaining} of 10 left`);
      assert.ok(Math.max(...lengths) < 50_000);
    });
  });
}
