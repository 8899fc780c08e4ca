import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { lineTime } from "../../../src/batch/lines/line-time.ts";
import { LOG_FORMATS } from "../../cases/log-formats.ts";
import { rounds } from "../../rounds.ts";

const LATEST = Date.UTC(2026, 10, 28);

/** As ISO 8601 without fractions; null: none. Bytes of other lines stand around it. */
function timeIn(line: string, latest = LATEST, around = ["2001-01-01T01:01:01Z 1", "1 02:02:02Z 2001"]): string | null {
  const [before, after] = around as [string, string];
  const bytes = Buffer.from(`${before}${line}${after}`);
  const [start, end] = [Buffer.byteLength(before), bytes.length - Buffer.byteLength(after)];
  const time = lineTime(bytes, start, end, latest);
  return Number.isNaN(time) ? null : new Date(time).toISOString().replace(".000", "");
}

const TIMES: Readonly<Record<string, string | null>> = {
  "[27/Nov/2026:12:34:56 +0000]": "2026-11-27T12:34:56Z",
  "[27/Nov/2026:00:34:56 +0130]": "2026-11-26T23:04:56Z",
  "[7/Nov/2026:00:34:56 -0130]": "2026-11-07T02:04:56Z",
  "2026-11-27T12:34:56.789123456Z": "2026-11-27T12:34:56Z",
  "2026-11-27T12:34Z": "2026-11-27T12:34:00Z",
  "2026-11-27 12:34": "2026-11-27T12:34:00Z",
  "2026-11-27T12:34:56,789+02": "2026-11-27T12:34:56Z",
  "2026-11-27T12:34:56+02:00": "2026-11-27T10:34:56Z",
  "2026-11-27 12:34:56 +0200": "2026-11-27T10:34:56Z",
  "2026-11-27\t12:34:56\t-1234": "2026-11-27T12:34:56Z",
  "2026-11-27_12:34:56": "2026-11-27T12:34:56Z",
  "2026/11/27 12:34:56 [error]": "2026-11-27T12:34:56Z",
  '{"t":"2026-11-27T12:34:56Z"}': "2026-11-27T12:34:56Z",
  "Fri, 27 Nov 2026 12:34:56 GMT": "2026-11-27T12:34:56Z",
  "27 Nov 2026 12:34:56 -0000": "2026-11-27T12:34:56Z",
  "27-nov-2026 12:34:56.789": "2026-11-27T12:34:56Z",
  "27/Nov/2026 12:34:56": "2026-11-27T12:34:56Z",
  "Nov 27 2026 12:34:56: %ASA-6": "2026-11-27T12:34:56Z",
  "Nov  7, 2026 12:34:56": "2026-11-07T12:34:56Z",
  "Fri Nov 27 12:34:56.123456 2026": "2026-11-27T12:34:56Z",
  "Fri Nov 27 12:34:56 2025 x": "2025-11-27T12:34:56Z",
  "Nov 27 12:34:56 host": "2026-11-27T12:34:56Z",
  "Nov  7 12:34:56 host": "2026-11-07T12:34:56Z",
  "Nov 7 12:34:56 host": "2026-11-07T12:34:56Z",
  "Nov 28 23:59:59": "2026-11-28T23:59:59Z",
  "Nov 29 00:00:00": "2026-11-29T00:00:00Z",
  "Nov 30 00:00:00": "2025-11-30T00:00:00Z",
  "Feb 29 10:00:00": "2024-02-29T10:00:00Z",
  "Nov 27 12:34:56 20261": "2026-11-27T12:34:56Z",
  "2016-12-31T23:59:60Z": "2017-01-01T00:00:00Z",
  "1795748645.678 12": "2026-11-27T03:04:05Z",
  '{"ts":1795748645678}': "2026-11-27T03:04:05Z",
  '"__REALTIME_TIMESTAMP":"1795748645678901"': "2026-11-27T03:04:05Z",
  "@1795748645{": "2026-11-27T03:04:05Z",
  "12345678901 1795748645": "2026-11-27T03:04:05Z",
  "::1 2001:db8::12:34:56 2026-11-27T03:04:05Z": "2026-11-27T03:04:05Z",
  "a 03:04:05 b 2026-11-27 03:04:05": "2026-11-27T03:04:05Z",
  // No times: impossible dates, numbers that are something else, times without a date, and parts of other words.
  "2026-02-29T12:34:56Z": null,
  "1969-12-31T23:59:59Z": null,
  "2100-01-01T00:00:00Z": null,
  "2026-13-01T12:34:56Z": null,
  "2026-11-31 12:34:56": null,
  "2026-11-27T24:00:00Z": null,
  "2026-11-27T12:60:00Z": null,
  "2026-11-27T12:34:61Z": null,
  "2026-11-27T12:34:567": null,
  "12026-11-27T12:34:56Z": null,
  "2026-11/27 12:34:56": null,
  "27/Nov-2026:12:34:56": null,
  "27-Nov-2026:12:34:56": null,
  "31/Feb/2026:12:34:56": null,
  "Now 27 12:34:56": null,
  "aNov 27 12:34:56": null,
  "Nov 32 12:34:56": null,
  "Nov 027 12:34:56": null,
  "12:34:56": null,
  "T12:34:56": null,
  "1.1.1.1:12:34": null,
  "1795748645x": null,
  x1795748645: null,
  "1.1795748645": null,
  "tel:+49-1795748645": null,
  "1795748645.1.2": null,
  "3095748645": null,
  "0046684799": null,
  "": null,
  ":": null,
  "1:2": null,
};

test("a word that differs from the name of a month in one letter is none, unless it is another one", () => {
  const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
  const letters = "`abcdefghijklmnopqrstuvwxyz{";
  for (const month of months)
    for (let at = 0; at < 3; at++)
      for (const letter of letters) {
        const word = month.slice(0, at) + letter + month.slice(at + 1);
        const expected = months.indexOf(word) + 1;
        const day = expected === 0 ? null : `2025-${String(expected).padStart(2, "0")}-07T12:34:56Z`;
        assert.equal(timeIn(`${word} 7 2025 12:34:56`), day, word);
      }
});

test("times in the usual forms, and what looks like one", () => {
  const found = Object.fromEntries(Object.keys(TIMES).map((line) => [line, timeIn(line)]));
  assert.deepEqual(found, TIMES);
});

test("every beginning of these lines is read within itself", () => {
  for (const line of Object.keys(TIMES))
    for (let length = 0; length <= line.length; length++) {
      const part = line.slice(0, length);
      const alone = timeIn(part, LATEST, ["", ""]);
      assert.equal(timeIn(part), alone, part);
      assert.equal(timeIn(part, LATEST, ["\n", "\n"]), alone, part);
      assert.equal(timeIn(part, LATEST, ["Nov 27 2026 1", "2:34:56 2026"]), alone, part);
    }
});

/** Formats of the corpus that name a time, and the first one of each. */
const WITHOUT_TIME = [
  "a log whose fields are as in a URL",
  "W3C between tabs, with a tab in a string",
  "Windows event",
  "Docker around an application's JSON",
  "Cloudflare Logpush",
  "tcpdump",
  "netstat of a BSD",
  "Received of a mail",
  "Traefik",
  "Forwarded of RFC 7239",
  "Kinesis Firehose",
  "colored text",
];

test("of all formats of the corpus, the lines with a time have one, and only those", () => {
  const without = LOG_FORMATS.filter(({ line }) => timeIn(line) === null).map(({ name }) => name);
  assert.deepEqual(without, WITHOUT_TIME);
});

/** The first second of ten digits, and some in the far future. */
const [FIRST, LAST] = [1_000_000_000, Date.UTC(2099, 0) / 1000];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Each writes a time as a format does, by JavaScript's own calendar; `offset`: minutes east of UTC, if it has zones. */
const WRITERS: readonly ((date: Date, offset: number) => string)[] = [
  (date) => date.toISOString(),
  (date) => date.toUTCString(),
  (date) => date.toISOString().slice(0, 19).replace("T", " "),
  (date) => date.toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " "),
  (date, offset) => `${local(date, offset).toISOString().slice(0, 19)}${zone(offset, ":")}`,
  (date, offset) => {
    const at = local(date, offset);
    return `[${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}:${clock(at)} ${zone(offset, "")}]`;
  },
  (date) => `${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()} ${clock(date)}.123`,
  (date) => `${MONTHS[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ${clock(date)}`,
  (date) => `[Mon ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())} ${clock(date)} ${date.getUTCFullYear()}]`,
  (date) => `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()} ${date.getUTCFullYear()} ${clock(date)}`,
  (date) => `${date.getTime() / 1000}.5`,
  (date) => String(date.getTime()),
];

const two = (number: number): string => String(number).padStart(2, "0");
const clock = (date: Date): string => date.toISOString().slice(11, 19);
const local = (date: Date, offset: number): Date => new Date(date.getTime() + 60_000 * offset);
const zone = (offset: number, between: string): string =>
  `${offset < 0 ? "-" : "+"}${two(Math.trunc(Math.abs(offset) / 60))}${between}${two(Math.abs(offset) % 60)}`;

test("random times of this century in every form are what JavaScript's calendar says", () => {
  const random = new Random(20261128);
  for (let round = rounds({ short: 2000, long: 200_000 }); round > 0; round--) {
    const seconds = FIRST + random.below(LAST - FIRST);
    const date = new Date(1000 * seconds);
    const offset = 15 * (random.below(105) - 52);
    const write = WRITERS[random.below(WRITERS.length)]!;
    const around = ["", "x ", '"', "<134>", "10.1.2.3 - - ", "2001:db8::5 "];
    const line = around[random.below(around.length)]! + write(date, offset) + [" x", "", '"', "]"][random.below(4)]!;
    // Without a year, it is the last such day.
    const latest = date.getTime() + 1000 * random.below(300 * 86_400);
    assert.equal(timeIn(line, latest), date.toISOString().replace(".000", ""), line);
  }
});
