import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { BatchError } from "../../src/batch/batch-error.ts";
import type { TimeUnit } from "../../src/batch/engine/time-counter.ts";
import { identify } from "../../src/batch/identify.ts";
import type { IdentifyOptions } from "../../src/batch/identify-options.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { ENGINE, makeSnapshot, RENDERER, temporaryFolder } from "./fixture.ts";

const folder = temporaryFolder();
const snapshot = await makeSnapshot(folder);
const input = join(folder, "times.log");
const LENGTH: Readonly<Record<TimeUnit, number>> = { minute: 16, hour: 13, day: 10 };

/** Addresses with a match (by a prefix of the fixture), without one, and none. */
const ADDRESSES = ["1.2.3.4", "192.0.2.7", "2001:db8::1", "198.51.100.1", "fec0::1", "-"];
const MATCHED = new Set(ADDRESSES.slice(0, 3));

interface LogLine {
  readonly text: string;
  /** Undefined: no time. */
  readonly time: string | undefined;
  readonly address: string;
}

function randomLine(random: Random): LogLine {
  const seconds = 1_790_000_000 + random.below(400) * random.below(1000);
  const time = random.below(9) === 0 ? undefined : new Date(1000 * seconds).toISOString();
  const address = ADDRESSES[random.below(ADDRESSES.length)]!;
  const end = random.below(4) === 0 ? "x".repeat(random.below(300)) : "";
  return { text: `${address} [${time ?? "never"}] ${end}`, time, address };
}

/** Line by line, by the text that was written. */
function expectedTimes(lines: readonly LogLine[], unit: TimeUnit): object {
  const counts = new Map<string, { lines: number; addresses: number; matched: number }>();
  let withoutTime = 0;
  for (const { time, address } of lines) {
    if (time === undefined) withoutTime++;
    const key = time?.slice(0, LENGTH[unit]) ?? "";
    const count = counts.get(key) ?? { lines: 0, addresses: 0, matched: 0 };
    counts.set(key, count);
    count.lines++;
    if (address !== "-") count.addresses++;
    if (MATCHED.has(address)) count.matched++;
  }
  counts.delete("");
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return { withoutTime, counts: sorted.map(([key, count]) => ({ key, ...count })) };
}

async function foundTimes(unit: TimeUnit, options: Partial<IdentifyOptions>): Promise<object> {
  const output = new PassThrough();
  output.resume();
  const { times } = await identify({
    inputs: [input],
    snapshot,
    format: "none",
    renderer: RENDERER,
    engine: ENGINE,
    countTimes: unit,
    output,
    ...options,
  });
  const counts = times!.counts.map(({ from, ...count }) => ({
    key: new Date(from).toISOString().slice(0, LENGTH[unit]),
    ...count,
  }));
  return { withoutTime: times!.withoutTime, counts };
}

test("lines by minute, hour and day are those of the lines one by one, whatever is done with them", async () => {
  const random = new Random(1128);
  for (let round = rounds({ short: 3, long: 15 }); round > 0; round--) {
    const lines = Array.from({ length: 1 + random.below(3000) }, () => randomLine(random));
    const ends = random.below(2) === 0 ? "\n" : "\r\n";
    writeFileSync(input, lines.map(({ text }) => text + ends).join(""));
    const shardBytes = [1 << 21, 700, 60_000][random.below(3)]!;
    const limits = { shardBytes, workerBytes: random.below(2) === 0 ? 1 : 1 << 30 };
    for (const unit of ["minute", "hour", "day"] as const) {
      const expected = expectedTimes(lines, unit);
      for (const options of [
        {},
        { countMatches: true, topAddresses: 3 },
        { format: "tsv", rows: "matched" },
        { format: "jsonl", rowText: true },
        { format: "append" },
        { address: "last" },
        { further: [{ label: "other", snapshot, renderer: RENDERER }], format: "tsv" },
        { fieldSyntax: "space", field: 1 },
        { inputs: [Readable.from([lines.map(({ text }) => text + ends).join("")])] },
      ] satisfies Partial<IdentifyOptions>[])
        assert.deepEqual(await foundTimes(unit, { limits, threads: 2, ...options }), expected, JSON.stringify(options));
    }
  }
});

test("records of CSV and objects of JSON have one time each, the first", async () => {
  writeFileSync(input, 'time,ip\n"2026-11-27 03:04:05",1.2.3.4\n2026-11-27 04:00:00,"a\nb 2026-01-01 00:00:00"\n');
  const csv = await foundTimes("hour", { fieldSyntax: "csv", field: "ip" });
  const matched = { key: "2026-11-27T03", lines: 1, addresses: 1, matched: 1 };
  const without = { key: "2026-11-27T04", lines: 1, addresses: 0, matched: 0 };
  assert.deepEqual(csv, { withoutTime: 0, counts: [matched, without] });
  writeFileSync(
    input,
    '{"ip":"1.2.3.4","t":"2026-11-27T03:00:00Z"} {"t":1795752000,"ip":"x","u":"2026-11-01T03:00:00Z"}\n',
  );
  const json = await foundTimes("hour", { fieldSyntax: "jsonl", field: "ip", now: Date.UTC(2026, 11, 1) });
  assert.deepEqual(json, { withoutTime: 0, counts: [{ ...without, key: "2026-11-01T03" }, matched] });
});

test("without countTimes there are none", async () => {
  writeFileSync(input, "1.2.3.4 2026-11-27T03:04:05Z\n");
  const { times } = await identify({ inputs: [input], snapshot, format: "none", engine: ENGINE });
  assert.equal(times, null);
  await assert.rejects(foundTimes("week" as TimeUnit, {}), {
    name: "RangeError",
    message: 'countTimes is "week"; give one of minute, hour, day',
  });
});

test("1,200,000 different times are the most", { skip: onlyLong() }, async () => {
  const minutes = Array.from({ length: 1_200_001 }, (_, at) => new Date(60_000 * at).toISOString().slice(0, 16));
  writeFileSync(input, minutes.map((minute) => `${minute}\n`).join(""));
  await assert.rejects(foundTimes("minute", {}), (error) => {
    assert.ok(error instanceof BatchError);
    assert.equal(error.code, "too-many-times");
    assert.match(error.message, /times\.log: more than 1200000 different times.*hour or day/);
    return true;
  });
  assert.equal(((await foundTimes("hour", {})) as { counts: object[] }).counts.length, 20_001);
});
