/** Work that repeats: one run after the other, and none once it has been stopped. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { Periodic } from "../../src/service/periodic.ts";
import { until } from "../until.ts";

/** Exchanges that last until the test ends them. */
class Exchanges {
  begun = 0;
  running = 0;
  mostAtOnce = 0;
  #end: () => void = () => {};

  readonly exchange = async (): Promise<void> => {
    this.begun++;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.running);
    await new Promise<void>((resolve) => (this.#end = resolve));
    this.running--;
  };

  end(): void {
    this.#end();
  }
}

test("a long exchange is not overtaken by the next", async () => {
  const exchanges = new Exchanges();
  const repeated = new Periodic(exchanges.exchange, 1);
  repeated.start();
  await until("an exchange has begun", () => exchanges.begun === 1);
  await delay(20);
  assert.equal(exchanges.begun, 1);
  exchanges.end();
  await until("the next one has begun", () => exchanges.begun === 2);
  const stopped = repeated.stop();
  exchanges.end();
  await stopped;
  assert.equal(exchanges.mostAtOnce, 1);
});

test("stopping waits for the running exchange, after which there is none", async () => {
  const exchanges = new Exchanges();
  const repeated = new Periodic(exchanges.exchange, 1);
  repeated.start();
  await until("an exchange has begun", () => exchanges.begun === 1);
  let isStopped = false;
  const stopped = repeated.stop().then(() => (isStopped = true));
  await delay(10);
  assert.equal(isStopped, false);
  exchanges.end();
  await stopped;
  await delay(20);
  assert.deepEqual([exchanges.begun, exchanges.running], [1, 0]);
});

test("if stopped before the first exchange, there is none, even if started afterwards", async () => {
  const exchanges = new Exchanges();
  const repeated = new Periodic(exchanges.exchange, 1);
  repeated.start();
  await repeated.stop();
  repeated.start();
  repeated.startNow();
  await delay(20);
  assert.equal(exchanges.begun, 0);
});

test("the first run may be now, and a run says when the next one is, if not after the usual time", async () => {
  let begun = 0;
  const repeated = new Periodic(async () => (++begun === 1 ? 1 : undefined), 1e9);
  repeated.startNow();
  assert.equal(begun, 1);
  await until("the second run", () => begun === 2);
  await repeated.stop();
});
