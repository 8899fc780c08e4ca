import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatAddress } from "../../../src/address/format-address.ts";
import { AddressCounter } from "../../../src/batch/engine/address-counter.ts";
import { identify } from "../../../src/batch/identify.ts";
import type { IdentifyOptions } from "../../../src/batch/identify-options.ts";
import type { AddressCounts } from "../../../src/batch/engine/address-counts.ts";
import { addUpAddresses } from "../../../src/batch/pipeline/_add-up-addresses.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "../fixture.ts";
import { rounds } from "../../rounds.ts";

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const path = join(folder, "log");

/** Lines with a few frequent addresses and many rare ones, and the number of lines of each. */
function makeLog(lines: number): { text: string; expected: Map<string, number> } {
  const expected = new Map<string, number>();
  let state = 20261122;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const text = Array.from({ length: lines }, () => {
    const number = Math.trunc(random() < 0.5 ? random() * 40 : random() * lines);
    const ip =
      number % 3 === 0
        ? `2001:db8::${(number + 1).toString(16)}`
        : `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    const [, high, low] = /^2001:db8::(\w*?)(\w{1,4})$/.exec(ip) ?? [];
    const address = high === undefined || high === "" ? ip : `2001:db8::${high}:${low!.replace(/^0+(?=.)/, "")}`;
    expected.set(address, (expected.get(address) ?? 0) + 1);
    return `${address} GET /${number}\n`;
  }).join("");
  return { text, expected };
}

function asMap({ words4, counts4, words6, counts6 }: AddressCounts): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [at, lines] of counts4.entries())
    counts.set(formatAddress({ family: 4, w0: words4[at]!, w1: 0, w2: 0, w3: 0 }), lines);
  for (const [at, lines] of counts6.entries())
    counts.set(
      formatAddress({
        family: 6,
        w0: words6[4 * at]!,
        w1: words6[4 * at + 1]!,
        w2: words6[4 * at + 2]!,
        w3: words6[4 * at + 3]!,
      }),
      lines,
    );
  assert.equal(counts.size, counts4.length + counts6.length);
  return counts;
}

async function countsOf(keptAddresses: number, more: Partial<IdentifyOptions>): Promise<AddressCounts> {
  const { addressCounts, top } = await identify({
    inputs: [path],
    snapshot,
    engine: ENGINE,
    renderer: RENDERER,
    format: "none",
    output: { path: join(folder, "rows") },
    keptAddresses,
    limits: { shardBytes: 5000, shardLines: 100, workerBytes: 1 },
    ...more,
  });
  assert.equal(top, null);
  return addressCounts!;
}

test("lines by address are exact for up to the kept number of addresses; beyond it, each count is too low by at most a known number", async () => {
  const size = rounds({ short: 10_000, long: 30_000 });
  const { text, expected } = makeLog(size);
  writeFileSync(path, text);
  for (const threads of [1, 3]) {
    for (const format of ["none", "tsv"] as const) {
      const exact = await countsOf(expected.size, { threads, format });
      assert.equal(exact.missing, 0);
      assert.deepEqual([...asMap(exact)].sort(), [...expected].sort());

      const most = 1000;
      const { missing, ...rest } = await countsOf(most, { threads, format });
      const counts = asMap({ ...rest, missing });
      assert.ok(missing > 0 && missing < (2 * size) / most, `${missing}`);
      assert.ok(counts.size > 40 && counts.size <= most, `${counts.size}`);
      let wrong = 0;
      for (const [address, lines] of expected) {
        const counted = counts.get(address) ?? 0;
        assert.ok(
          counted <= lines && lines <= counted + missing,
          `${address}: ${counted} of ${lines}, ${missing} missing`,
        );
        if (counted !== lines) wrong++;
      }
      assert.ok(wrong > 0, "the negative control: nothing was dropped");
      for (const address of counts.keys()) assert.ok(expected.has(address), address);
    }
  }
});

test("the counts of several threads are added up in steps, and those of a single thread are used unchanged", () => {
  const part = (from: number): AddressCounts => {
    const counter = new AddressCounter(30_000);
    for (let word = from; word < from + 10_000; word++) {
      counter.add(4, Uint32Array.of(word), 0);
      counter.add(6, Uint32Array.of(0x2001_0db8, 0, 0, word), 0);
    }
    return counter.counts();
  };
  const tooMany = (): never => assert.fail("there are not too many");
  const parts = [part(0), part(5000)];
  const adding = addUpAddresses(parts, 30_000, tooMany);
  let steps = 0;
  let step = adding.next();
  for (; step.done !== true; step = adding.next()) steps++;
  assert.ok(steps >= 5, `${steps}`);
  assert.deepEqual([step.value.counts4.length, step.value.counts6.length, step.value.missing], [15_000, 15_000, 0]);
  assert.equal(
    step.value.counts4.reduce((sum, count) => sum + count, 0),
    20_000,
  );
  const none = new AddressCounter(1).counts();
  assert.equal(addUpAddresses([none, parts[0]!], 30_000, tooMany).next().value, parts[0]);
  // Too many even for one: dropped as those of several are, and known to be missing.
  let told = 0;
  const dropping = addUpAddresses([parts[0]!], 1000, () => void told++);
  for (step = dropping.next(); step.done !== true;) step = dropping.next();
  assert.deepEqual([told, step.value.missing], [1, 1]);
});

test("the work may be aborted between two steps", async () => {
  writeFileSync(path, makeLog(30_000).text);
  const end = new AbortController();
  const reason = new Error("ended");
  let pauses = 0;
  const pause = async (): Promise<void> => void (++pauses === 3 && end.abort(reason));
  await assert.rejects(
    identify({
      inputs: [path],
      snapshot,
      engine: ENGINE,
      format: "none",
      threads: 1,
      keptAddresses: 30_000,
      pause,
      signal: end.signal,
    }),
    reason,
  );
});

test("counts of all addresses and of the top addresses cannot be requested together", async () => {
  await assert.rejects(
    countsOf(10, { topAddresses: 5 }),
    /^RangeError: topAddresses and keptAddresses are both given; give one of them$/,
  );
  await assert.rejects(countsOf(0, {}), /^RangeError: keptAddresses is 0; give a whole number of 1 or more$/);
});

test("each table counts IPv6 addresses in an order of its own, so that filling one from another does not cluster at its beginning", () => {
  const orderOf = (): string => {
    const counter = new AddressCounter(1000);
    for (let word = 0; word < 1000; word++) counter.add(6, Uint32Array.of(0x2001_0db8, 0, 0, word), 0);
    return String(counter.counts().words6);
  };
  assert.notEqual(orderOf(), orderOf());
});

test("IPv4 addresses are sorted, however many were added at a time", () => {
  for (const most of [1, 70_000, 1_000_000]) {
    const counter = new AddressCounter(most);
    const expected = new Map<number, number>();
    let state = 20_261_126;
    const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
    for (let added = 0; added < rounds({ short: 120_000, long: 300_000 });) {
      // Words of both halves of the space, many of them repeatedly.
      const words = Uint32Array.from({ length: 1 + (random() >>> 18) }, () => (random() & 0xc001_ffff) >>> 0);
      const count = words.length - ((random() % words.length) >> 1);
      counter.addAll(4, words, count);
      for (const word of words.subarray(0, count)) expected.set(word, (expected.get(word) ?? 0) + 1);
      added += count;
      if (random() % 8 === 0) assert.equal(counter.isFull, expected.size > most);
    }
    const { words4, counts4 } = counter.counts();
    const sorted = [...expected].sort(([one], [other]) => one - other);
    assert.deepEqual(
      [...words4],
      Array.from(sorted, ([word]) => word),
      `${most}`,
    );
    assert.deepEqual(
      [...counts4],
      Array.from(sorted, ([, lines]) => lines),
      `${most}`,
    );
  }
});

test("counts of both families are exact beyond 32 bits, and after additions and subtractions", () => {
  const counters = [new AddressCounter(10_000), new AddressCounter(10_000)] as const;
  const expected = new Map<string, number>();
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.trunc((state / 2 ** 32) * below);
  };
  const words = new Uint32Array(4);
  for (let round = 0; round < 20_000; round++) {
    const family = round % 4 === 0 ? 6 : 4;
    const word = random(3000);
    words.set(family === 4 ? [word] : [word, 0, 0, 1]);
    const lines = random(50) === 0 ? 2 ** 32 - 1 - random(3) : 1 + random(3);
    const one = {
      words4: new Uint32Array(0),
      counts4: new Float64Array(0),
      words6: words,
      counts6: Float64Array.of(lines),
    };
    const counts = family === 6 ? one : { ...one, words4: words.subarray(0, 1), counts4: one.counts6 };
    const none = family === 6 ? {} : { words6: new Uint32Array(0), counts6: new Float64Array(0) };
    for (const _ of counters[random(2)]!.adding({ ...counts, ...none, missing: 0 }));
    const address = formatAddress({ family, w0: word, w1: 0, w2: 0, w3: family === 4 ? 0 : 1 });
    expected.set(address, (expected.get(address) ?? 0) + lines);
  }
  for (const _ of counters[0].adding(counters[1].counts()));
  assert.ok([...expected.values()].some((lines) => lines > 2 ** 33));
  assert.deepEqual(new Map([...asMap(counters[0].counts())].sort()), new Map([...expected].sort()));
  counters[0].makeRoom();
  const { missing, ...rest } = counters[0].counts();
  const left = [...expected]
    .filter(([, lines]) => lines > missing)
    .map(([ip, lines]) => [ip, lines - missing] as const);
  assert.ok(left.length > 100 && left.length < expected.size);
  assert.deepEqual(new Map([...asMap({ missing, ...rest })].sort()), new Map(left.sort()));
});
