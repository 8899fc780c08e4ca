import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatAddress, formatAddressInto } from "../../../src/address/format-address.ts";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { createFound, findAddress, STOP } from "../../../src/batch/lines/find-address.ts";
import { LOG_LINES } from "../../cases/log-lines.ts";
import { oracleAddressOf } from "../../oracle/line-oracle.ts";
import { rounds } from "../../rounds.ts";

type Finder = (bytes: Uint8Array, start: number, end: number, found: Uint32Array) => 0 | 4 | 6;

const SEED = 20240131;
const found = createFound();
const text = new Uint8Array(64);

/** The canonical text of the line's address by the scanner, with the line between other lines full of addresses. */
function scan(line: string, finder: Finder = findAddress): string | null {
  const bytes = Buffer.from(`9.9.9.9\n${line}\n8.8.8.8\n`, "latin1");
  const family = finder(bytes, 8, 8 + line.length, found);
  assert.ok(found[STOP]! >= 8 && found[STOP]! <= 8 + line.length, `stops inside the line: ${JSON.stringify(line)}`);
  if (family === 0) return null;
  return Buffer.from(text.subarray(0, formatAddressInto(family, found, text, 0))).toString();
}

function oracle(line: string): string | null {
  const bytes = oracleAddressOf(line);
  if (bytes === null) return null;
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16));
  return formatAddress(parseAddress(groups.join(":")));
}

test(`the scanner and the oracle read ${LOG_LINES.length} lines as in the table`, () => {
  for (const { line, address } of LOG_LINES) {
    assert.equal(scan(line), address, `scanner: ${JSON.stringify(line)}`);
    assert.equal(oracle(line), address, `oracle: ${JSON.stringify(line)}`);
  }
});

// Parts of tokens, joined without anything between: nearly addresses, labels, ports, versions, times.
const octet = fc.oneof(fc.nat(255).map(String), fc.constantFrom("0", "00", "01", "256", "999", "1000", ""));
const quad = fc.array(octet, { minLength: 3, maxLength: 5 }).map((octets) => octets.join("."));
const goodQuad = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }).map((octets) => octets.join("."));
const group = fc.oneof(
  fc.nat(0xffff).map((value) => value.toString(16)),
  fc.constantFrom("0", "", "ffff", "12345", "g"),
);
const six = fc.array(group, { minLength: 1, maxLength: 9 }).map((groups) => groups.join(":"));
const goodIpv6 = fc.ipV6();
const part = fc.oneof(
  { weight: 6, arbitrary: goodQuad },
  { weight: 6, arbitrary: goodIpv6 },
  { weight: 3, arbitrary: quad },
  { weight: 3, arbitrary: six },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ":",
      "::",
      ":::",
      ".",
      "...",
      "ip",
      "db",
      "a",
      "_",
      ":80",
      "::ffff:",
      "12:34:56",
      "120.0.0.0",
      "Chrome/",
      ":58430",
      ".443",
      ".65536",
      "x2001",
    ),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "\\",
      "\\t",
      "\\\\n",
      "\\u003c",
      "\\u0041",
      "\\x22",
      "\\0",
      "\\011",
      "\\/",
      "%22",
      "%2F",
      "%25",
      "%",
      "#011",
      "#033",
      "\x1b[",
      "\\u001b[",
      "\\e[",
      "^[[",
      "32m",
      "1;31m",
      ";",
    ),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(" ", ",", "/", "-", "[", "]", '"', "\r", "\t", "\0", "%", "=", "\x80", "\xff", "{", "}"),
  },
);
const grammarLine = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
const byteLine = fc
  .array(fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from("0123456789abcf.::. /"))), { maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString("latin1").replaceAll("\n", "\r"));

/** How many of `runs` lines the finder reads differently from the oracle, and the number of addresses. */
function disagreements(
  lines: fc.Arbitrary<string>,
  runs: number,
  finder: Finder,
): { wrong: string[]; addresses: number } {
  const wrong: string[] = [];
  let addresses = 0;
  for (const line of fc.sample(lines, { seed: SEED, numRuns: runs })) {
    const expected = oracle(line);
    if (expected !== null) addresses++;
    if (scan(line, finder) !== expected) wrong.push(line);
  }
  return { wrong, addresses };
}

for (const [name, lines, runs] of [
  ["token grammar", grammarLine, rounds({ short: 60_000, long: 1_000_000 })],
  ["random bytes", byteLine, 60_000],
] as const) {
  test(`the scanner equals the oracle: ${name}`, (t) => {
    const { wrong, addresses } = disagreements(lines, runs, findAddress);
    t.diagnostic(`${runs} lines, seed ${SEED}: ${addresses} with an address, ${wrong.length} disagreements`);
    assert.deepEqual(wrong.slice(0, 5), []);
    assert.ok(addresses > runs / 200, "the lines must hold addresses");
  });
}

// What a program writes about an address, with characters that JSON escapes: once, and once more in a text in a text.
const framed = fc
  .tuple(
    fc.constantFrom("\t", "\n", "\r\n\t", "\f", "\b", '"', "<", "é", "\u2028", "\x1b[32m", "\x1b[0;1m", "\0", " "),
    fc.oneof(goodQuad, goodIpv6),
    fc.constantFrom("\t", "\n", '"', ">", "é", "\x1b[0m", "\0", "/", ":58430", ".443", ""),
  )
  .filter(([, address, after]) => !(address.endsWith(":") && after.startsWith(":")))
  // \f and \b are hexadecimal digits, too: what is then a whole group stands as it is written.
  .filter(([before, address]) => !/[\f\b]$/.test(before) || !/^[0-9A-Fa-f]{3}:/.test(address))
  .map(([before, address, after]) => ({ text: `from${before}${address}${after}`, address }));

test("an address is found behind every character that JSON escapes, escaped once and twice", (t) => {
  const runs = rounds({ short: 20_000, long: 200_000 });
  let unread = 0;
  for (const { text, address } of fc.sample(framed, { seed: SEED, numRuns: runs })) {
    const ascii = JSON.stringify(text).replace(
      /[\u007f-\uffff<>]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const expected = formatAddress(parseAddress(address));
    for (const line of [ascii, JSON.stringify(ascii), JSON.stringify(`{"log":${ascii}}`)])
      assert.equal(scan(line), expected, line);
    if (scan(ascii.replaceAll("\\", "_")) !== expected) unread++;
  }
  t.diagnostic(`${runs} texts, seed ${SEED}; without their backslashes ${unread} addresses are not read`);
  assert.ok(unread > runs / 10, "the escapes must matter");
});

// Negative controls: errors that a careless change to the scanner would make must be detected.
const BROKEN: Record<string, Finder> = {
  "takes a quad that goes on": (bytes, start, end, out) => {
    const line = Buffer.from(bytes.subarray(start, end))
      .toString("latin1")
      .replace(/(\d)\.(\d+\.\d+\.\d+\.\d+)$/, "$1 $2");
    const copy = Buffer.from(`${line}\n`, "latin1");
    const family = findAddress(copy, 0, line.length, out);
    out[STOP] = end;
    return family;
  },
  "ignores the last byte": (bytes, start, end, out) => {
    const copy = Buffer.concat([bytes.subarray(start, Math.max(start, end - 1)), Buffer.from("\n")]);
    const family = findAddress(copy, 0, copy.length - 1, out);
    out[STOP] = end;
    return family;
  },
  "finds no IPv6": (bytes, start, end, out) => {
    const family = findAddress(bytes, start, end, out);
    return family === 6 ? 0 : family;
  },
};

for (const [name, finder] of Object.entries(BROKEN)) {
  test(`a scanner that ${name} is caught`, (t) => {
    const { wrong } = disagreements(grammarLine, 5_000, finder);
    t.diagnostic(`${wrong.length} of 5000 lines`);
    assert.ok(wrong.length > 0);
  });
}

test("it reads nothing before the field and stops at its end", () => {
  const bytes = Buffer.from("Chrome/10.0.0.0,x 1.2.3.4\n");
  assert.equal(findAddress(bytes, 7, 15, found), 4, "what stands in front of the start does not count");
  assert.equal(found[0], 0x0a000000);
  assert.equal(findAddress(bytes, 16, 17, found), 0);
  assert.equal(found[STOP], 17);
  assert.equal(findAddress(bytes, 16, 25, found), 4);
});
