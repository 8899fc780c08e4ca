import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { formatPrefix } from "../../src/address/prefix.ts";
import { RuleError, type RuleErrorCode } from "../../src/rulesets/rule-error.ts";
import { LAST_TIME, parseTimestamp } from "../../src/rulesets/timestamp.ts";
import { formatTimestamp } from "../../src/time/format-timestamp.ts";
import { checkDescription, checkRuleName, expiryInDays, parseRulePrefix } from "../../src/rulesets/validate-rule.ts";

function refused(act: () => unknown, code: RuleErrorCode, message: RegExp, position = 0): void {
  assert.throws(act, (error) => {
    assert.ok(error instanceof RuleError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.equal(error.position, position);
    return true;
  });
}

describe("the prefix", () => {
  for (const [text, canonical] of [
    ["8.8.8.8", "8.8.8.8"],
    ["8.8.8.8/32", "8.8.8.8"],
    ["8.8.8.0/24", "8.8.8.0/24"],
    ["::ffff:8.8.8.0/120", "8.8.8.0/24"],
    ["2A00:0::/16", "2a00::/16"],
  ]) {
    test(`${text} is ${canonical}`, () => assert.equal(formatPrefix(parseRulePrefix(text)), canonical));
  }
  test("host bits are rejected with the prefix that was probably meant", () =>
    refused(
      () => parseRulePrefix("8.8.8.8/24"),
      "bad-prefix",
      /^"8.8.8.8\/24": at position 8: .*did you mean 8.8.8.0\/24\?/,
      8,
    ));
  test("not an address", () => refused(() => parseRulePrefix("8.8.8"), "bad-prefix", /four octets/, 5));
  test("not a string", () => refused(() => parseRulePrefix(8), "wrong-type", /^8: the ip must be a string/));

  const special = [
    "10.0.0.1",
    "127.0.0.0/8",
    "169.254.1.0/24",
    "224.0.0.1",
    "192.168.0.0/17",
    "192.0.2.1",
    "fe80::1",
    "::1",
    "ff02::1",
    "fc00::/7",
    "2001:db8::/64",
    "::ffff:10.0.0.1",
  ];
  for (const text of special) {
    test(`${text} is rejected, unless special-purpose addresses are allowed`, () => {
      refused(
        () => parseRulePrefix(text),
        "special-purpose",
        /is in the special-purpose block .*; rules can contain public addresses only/,
      );
      assert.ok(parseRulePrefix(text, { allowSpecialPurpose: true }));
    });
  }
  test("a prefix that contains private addresses is rejected too", () =>
    refused(
      () => parseRulePrefix("8.0.0.0/6"),
      "special-purpose",
      /it contains the special-purpose block 10.0.0.0\/8 \(Private-Use, RFC 1918\)/,
    ));
});

describe("names and descriptions", () => {
  test("are accepted up to their maximum lengths, counted in characters", () => {
    for (const name of ["", "a", " a ", "=1+1", "__proto__", "😀".repeat(255), "é".repeat(255)])
      assert.equal(checkRuleName(name), name);
    assert.equal(checkDescription("a".repeat(1000)).length, 1000);
  });
  test("longer ones are rejected", () => {
    refused(
      () => checkRuleName("a".repeat(256)),
      "too-long",
      /at most 255 characters, and this one has 256; shorten it/,
    );
    refused(() => checkRuleName("😀".repeat(256)), "too-long", /256/);
    refused(() => checkDescription("a".repeat(1001)), "too-long", /at most 1000/);
  });
  for (const character of ["\0", "\t", "\n", "\r", "\u007f", "\u0085", "\u2028", "\u2029"]) {
    test(`${JSON.stringify(character)} is rejected`, () =>
      refused(
        () => checkRuleName(`ab${character}`),
        "bad-character",
        /the control character U\+[0-9A-F]{4} at position 2/,
        2,
      ));
  }
  test("half a character is rejected", () =>
    refused(() => checkRuleName("a\ud83d"), "bad-character", /half a surrogate pair/, 1));
  for (const value of [null, 1, {}, ["a"]])
    test(`${JSON.stringify(value)} is not a name`, () =>
      refused(() => checkRuleName(value), "wrong-type", /the name must be a string/));
});

describe("timestamps", () => {
  const cases: [text: string, utc: string][] = [
    ["2026-06-01T12:00:00Z", "2026-06-01T12:00:00.000Z"],
    ["2026-06-01T12:00Z", "2026-06-01T12:00:00.000Z"],
    ["2026-06-01T12:00:00.5Z", "2026-06-01T12:00:00.500Z"],
    ["2026-06-01T12:00:00.1239999Z", "2026-06-01T12:00:00.123Z"],
    ["2026-06-01T12:00:00+02:00", "2026-06-01T10:00:00.000Z"],
    ["2026-06-01T12:00:00-0330", "2026-06-01T15:30:00.000Z"],
    ["2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"],
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00.000Z"],
  ];
  for (const [text, utc] of cases)
    test(`${text} is ${utc}`, () => assert.equal(formatTimestamp(parseTimestamp(text)), utc));

  const bad: [text: unknown, code: RuleErrorCode, message: RegExp, position?: number][] = [
    ["2026-13-01", "bad-timestamp", /this day, time or offset does not exist/, 0],
    ["2026-02-29 12:00", "bad-timestamp", /this day, time or offset does not exist/, 0],
    ["1960-01-01", "out-of-range", /between 1970 and 9999/, 0],
    ["2026-06-01T12:00:00", "bad-timestamp", /the time zone is missing; did you mean "2026-06-01T12:00:00Z"\?/, 19],
    ["2026-06-01 12:00", "bad-timestamp", /did you mean "2026-06-01T12:00Z"\?/, 16],
    ["2026-06-01", "bad-timestamp", /did you mean "2026-06-01T00:00:00Z"\?/, 10],
    ["2026-02-29T00:00:00Z", "bad-timestamp", /does not exist/],
    ["2026-04-31T00:00:00Z", "bad-timestamp", /does not exist/],
    ["2026-13-01T00:00:00Z", "bad-timestamp", /does not exist/],
    ["2026-00-01T00:00:00Z", "bad-timestamp", /does not exist/],
    ["2026-06-00T00:00:00Z", "bad-timestamp", /does not exist/],
    ["2026-06-01T24:00:00Z", "bad-timestamp", /does not exist/],
    ["2026-06-01T00:60:00Z", "bad-timestamp", /does not exist/],
    ["2026-06-01T00:00:60Z", "bad-timestamp", /does not exist/],
    ["2026-06-01T00:00:00+24:00", "bad-timestamp", /does not exist/],
    ["tomorrow", "bad-timestamp", /ISO 8601 timestamp with a time zone/],
    ["", "bad-timestamp", /ISO 8601/],
    ["2026-06-01T12:00:00Z ", "bad-timestamp", /ISO 8601/],
    ["2026-06-01T12:00:00 Z", "bad-timestamp", /ISO 8601/],
    ["+12026-06-01T12:00:00Z", "bad-timestamp", /ISO 8601/],
    ["1969-12-31T23:59:59.999Z", "out-of-range", /between 1970 and 9999/],
    ["0001-01-01T00:00:00Z", "out-of-range", /between 1970 and 9999/],
    ["1970-01-01T00:00:00+00:01", "out-of-range", /between 1970 and 9999/],
    ["9999-12-31T23:59:59-00:01", "out-of-range", /between 1970 and 9999/],
    [1_780_000_000, "wrong-type", /a timestamp must be a string/],
  ];
  for (const [text, code, message, position] of bad)
    test(`${JSON.stringify(text)} is rejected`, () => refused(() => parseTimestamp(text), code, message, position));

  test("written timestamps are read back, by the platform's parser too", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST_TIME }), fc.integer({ min: -1439, max: 1439 }), (time, offset) => {
        assert.equal(parseTimestamp(formatTimestamp(time)), time);
        const local = time + offset * 60_000;
        if (local < 0 || local > LAST_TIME) return;
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
          String(part).padStart(2, "0"),
        );
        const text = formatTimestamp(local).replace("Z", `${offset < 0 ? "-" : "+"}${hours}:${minutes}`);
        assert.equal(parseTimestamp(text), time);
        assert.equal(Date.parse(text), time);
      }),
      { seed: 20_260_601, numRuns: 2000 },
    );
  });
});

describe("days to the expiry", () => {
  const now = Date.UTC(2026, 5, 1, 12, 0, 0, 7);
  test("count from now, to the millisecond", () =>
    assert.equal(expiryInDays(30, now), Date.UTC(2026, 6, 1, 12, 0, 0, 7)));
  test("may reach the last year, but not beyond", () => {
    const most = Math.floor((LAST_TIME - now) / 86_400_000);
    assert.ok(expiryInDays(most, now) <= LAST_TIME);
    refused(() => expiryInDays(most + 1, now), "out-of-range", /end before the year 10000/);
  });
  for (const days of [0, -1, 0.5, Number.NaN, Infinity, 2 ** 53, "30", null]) {
    test(`${String(days)} is rejected`, () =>
      refused(() => expiryInDays(days, now), "out-of-range", /a whole number, 1 or more/));
  }
});
