import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedCache } from "../../src/service/shared-cache.ts";

/** Makes a value of this size once it may, and counts how often. */
function maker(byteLength: number): {
  make: () => Promise<{ byteLength: number }>;
  let: () => void;
  count: () => number;
} {
  let count = 0;
  let let_: () => void = () => {};
  const make = (): Promise<{ byteLength: number }> => {
    count++;
    return new Promise((resolve) => (let_ = () => resolve({ byteLength })));
  };
  return { make, let: () => let_(), count: () => count };
}

test("requests during and after the computation of a value get the same one", async () => {
  const cache = new SharedCache<{ byteLength: number }>(100);
  const one = maker(10);
  const [first, second] = [cache.get("a", one.make), cache.get("a", one.make)];
  one.let();
  const values = await Promise.all([first, second, first.then(() => cache.get("a", one.make))]);
  assert.equal(new Set(values).size, 1);
  assert.deepEqual([one.count(), cache.byteLength], [1, 10]);
});

test("beyond the limit of bytes the least recently used values are dropped; one that is larger than the limit is dropped at once", async () => {
  const cache = new SharedCache<{ byteLength: number }>(100);
  const add = (key: string, byteLength: number): Promise<unknown> => cache.get(key, async () => ({ byteLength }));
  for (const key of ["a", "b", "c"]) await add(key, 40);
  assert.equal(cache.byteLength, 80);
  const made: string[] = [];
  const ask = (key: string): Promise<unknown> => cache.get(key, async () => (made.push(key), { byteLength: 40 }));
  for (const key of ["b", "c"]) await ask(key);
  assert.deepEqual(made, []);
  await ask("a");
  assert.deepEqual(made, ["a"]);
  await add("huge", 101);
  assert.equal(cache.byteLength, 0);
});

test("a value that is being computed is not dropped, and counts once", async () => {
  const cache = new SharedCache<{ byteLength: number }>(100);
  const slow = maker(60);
  const wanted = cache.get("slow", slow.make);
  for (const key of ["a", "b", "c"]) await cache.get(key, async () => ({ byteLength: 90 }));
  const again = cache.get("slow", slow.make);
  slow.let();
  assert.equal(await wanted, await again);
  assert.deepEqual([slow.count(), cache.byteLength], [1, 60]);
});

test("a failed computation is repeated for the next request", async () => {
  const cache = new SharedCache<{ byteLength: number }>(100);
  await assert.rejects(
    cache.get("a", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.deepEqual(await cache.get("a", async () => ({ byteLength: 1 })), { byteLength: 1 });
});
