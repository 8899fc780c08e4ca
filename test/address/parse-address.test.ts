import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AddressError } from "../../src/address/address-error.ts";
import { formatAddress, formatAddressInto } from "../../src/address/format-address.ts";
import {
  addressErrorOf,
  isAddress,
  parseAddress,
  parseAddressBytes,
  parseAddressInto,
} from "../../src/address/parse-address.ts";
import { MALFORMED_ADDRESSES, VALID_ADDRESSES } from "../cases/addresses.ts";
import { numberOf } from "./address-differential.ts";
import { quadText, seededRandom, sixText } from "./address-texts.ts";
import { oracleFormat, oracleParse } from "../oracle/address-oracle.ts";

/** The properties of the error, in addition to being an AddressError. */
function refusal(text: string, code: string, position: number, cure: string) {
  return (error: unknown) => {
    assert.ok(error instanceof AddressError);
    assert.deepEqual(
      { code: error.code, value: error.value, position: error.position },
      { code, value: text, position },
    );
    assert.ok(error.message.includes(`at position ${position}: `), error.message);
    assert.ok(error.message.includes(cure), `${error.message} does not name the cure: ${cure}`);
    assert.ok(error.message.endsWith(error.problem) && !/\p{Cc}/u.test(error.message), error.message);
    return true;
  };
}

test("every spelling of the table is read as its canonical form, by every function", () => {
  const out = new Uint32Array(4);
  for (const [text, canonical] of VALID_ADDRESSES) {
    const address = parseAddress(text);
    assert.equal(formatAddress(address), canonical);
    assert.equal(numberOf(address), oracleParse(text));
    assert.ok(isAddress(text));
    assert.equal(parseAddressInto(text, out), address.family);
    assert.equal(out[0], address.w0);
    if (address.family === 6) assert.deepEqual([...out], [address.w0, address.w1, address.w2, address.w3]);
  }
});

test("every malformed text of the table is rejected with its code, its position and the remedy", () => {
  for (const [text, code, position, cure] of MALFORMED_ADDRESSES) {
    assert.throws(() => parseAddress(text), refusal(text, code, position, cure));
    assert.throws(() => parseAddressInto(text, new Uint32Array(4)), AddressError);
    assert.ok(!isAddress(text));
    assert.equal(oracleParse(text), null);
  }
});

test("a remedy that proposes an address proposes a valid one", () => {
  const proposals = MALFORMED_ADDRESSES.flatMap(
    ([, , , cure]) => /(?:did you mean|write) ([0-9a-f:.]+[.:][0-9a-f]+)/.exec(cure)?.[1] ?? [],
  );
  assert.ok(proposals.length >= 8);
  for (const proposal of proposals) assert.ok(isAddress(proposal), proposal);
});

test("a malformed text that lies beyond 64 MiB of a buffer still reports its own position", () => {
  const start = 70 << 20;
  const bytes = new Uint8Array(start + 7);
  bytes.set(Buffer.from("1.2.3.x"), start);
  const result = parseAddressBytes(bytes, start, bytes.length, new Uint32Array(4));
  assert.equal(addressErrorOf(result, "1.2.3.x").position, 6);
});

test("a shared buffer and Node's Buffer are read like any bytes", () => {
  const out = new Uint32Array(4);
  const shared = new Uint8Array(new SharedArrayBuffer(9));
  shared.set(Buffer.from("192.0.2.1"));
  assert.equal(parseAddressBytes(shared, 0, 9, out), 4);
  assert.equal(out[0], 0xc0000201);
  assert.equal(parseAddressBytes(Buffer.from("x2001:db8::1x"), 1, 12, out), 6);
  assert.deepEqual([...out], [0x20010db8, 0, 0, 1]);
});

test("a long text is shortened in the message and complete in the error", () => {
  const text = "1".repeat(100_000);
  assert.throws(
    () => parseAddress(text),
    (error: AddressError) => error.value === text && error.message.length < 300,
  );
});

test("an invalid character is reported exactly where it was inserted into a valid address", () => {
  const valid = fc.integer().map((seed) => {
    const random = seededRandom(seed);
    return random(2) === 0 ? quadText(random) : sixText(random);
  });
  fc.assert(
    fc.property(valid, fc.nat(), (text, place) => {
      const at = place % (text.length + 1);
      fc.pre(!(at === 1 && text.startsWith("::"))); // this makes a lone colon at 0
      const spoiled = `${text.slice(0, at)}!${text.slice(at)}`;
      assert.throws(() => parseAddress(spoiled), refusal(spoiled, "unexpected-character", at, `"!"`));
    }),
    { seed: 1, numRuns: 5000 },
  );
});

/** Words that make runs of zero groups, and ties between them, likely. */
const words = fc.array(
  fc.oneof(fc.constantFrom(0, 1, 0x10000, 0xffff, 0xffff0000, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff })),
  {
    minLength: 4,
    maxLength: 4,
  },
);

test("addresses and their canonical texts round-trip unchanged", () => {
  fc.assert(
    fc.property(words, ([w0, w1, w2, w3]) => {
      const four = { family: 4, w0: w0!, w1: 0, w2: 0, w3: 0 } as const;
      assert.deepEqual(parseAddress(formatAddress(four)), four);
      const six = { family: 6, w0: w0!, w1: w1!, w2: w2!, w3: w3! } as const;
      if (w0 === 0 && w1 === 0 && w2 === 0xffff)
        assert.deepEqual(parseAddress(formatAddress(six)), { ...four, w0: w3! });
      else assert.deepEqual(parseAddress(formatAddress(six)), six);
    }),
    { seed: 2, numRuns: 20_000 },
  );
});

test("IPv6 texts follow RFC 5952, and Node's URL agrees", () => {
  let runs = 0;
  fc.assert(
    fc.property(words, ([w0, w1, w2, w3]) => {
      if (w0 === 0 && w1 === 0 && w2 === 0xffff) return; // URL does not write these in mixed notation
      runs++;
      const address = { family: 6, w0: w0!, w1: w1!, w2: w2!, w3: w3! } as const;
      const text = formatAddress(address);
      assert.equal(text, oracleFormat(numberOf(address)));
      assert.equal(`[${text}]`, new URL(`http://[${text}]/`).hostname);
      assert.match(text, /^[0-9a-f:]{2,39}$/); // lower case, no white space
      assert.doesNotMatch(text, /(^|:)0[0-9a-f]/); // no leading zeros
      const groups = text.split(":").filter((group) => group !== "").length;
      assert.ok(text.includes("::") ? groups <= 6 : groups === 8); // no :: for one group
      if (!text.includes("::")) assert.doesNotMatch(text, /(^|:)0:0(:|$)/);
    }),
    { seed: 3, numRuns: 20_000 },
  );
  assert.ok(runs > 15_000);
});

test("formatting into bytes writes only the bytes that it returns", () => {
  const out = new Uint8Array(64).fill(0xaa);
  const longest = new Uint32Array(4).fill(0xffffffff);
  assert.equal(formatAddressInto(6, longest, out, 10), 49);
  assert.equal(Buffer.from(out.subarray(10, 49)).toString(), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  assert.ok(out.subarray(0, 10).every((byte) => byte === 0xaa) && out.subarray(49).every((byte) => byte === 0xaa));
  for (let octet = 0; octet < 256; octet++) {
    const end = formatAddressInto(4, Uint32Array.of((octet << 24) | octet), out, 0);
    assert.equal(Buffer.from(out.subarray(0, end)).toString(), `${octet}.0.0.${octet}`);
  }
});
