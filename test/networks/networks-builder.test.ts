import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { NetworksBuilder } from "../../src/networks/networks-builder.ts";
import { NetworksError } from "../../src/networks/networks-error.ts";
import { Networks, type NetworksMetadata } from "../../src/networks/networks.ts";
import {
  ASN_TABLE,
  COUNTRY_TABLE,
  IPTOASN_TABLE,
  type PublishedRange,
  readTable,
} from "../../src/networks/published-tables.ts";
import { freeze } from "../../src/table/freeze.ts";
import { rounds } from "../rounds.ts";

const SUBJECT = { title: "test", createdAt: new Date(0), sources: [] };

function networksOf(ranges: Iterable<PublishedRange>): Networks {
  const builder = new NetworksBuilder();
  for (const range of ranges) builder.add(range);
  const { source, metadata } = builder.build(SUBJECT);
  const networks = new Networks(metadata, freeze(source));
  networks.checkContents();
  return networks;
}

function rangesOf(text: string, format = ASN_TABLE): PublishedRange[] {
  const ranges: PublishedRange[] = [];
  readTable(text, format, "table.csv", (range) => ranges.push(range));
  return ranges;
}

/** Ranges of the 256 addresses 192.0.2.0 to 192.0.2.255, by their last octet. */
const span = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]): [number, number] => (a < b ? [a, b] : [b, a]));

test("each address has the AS number of the range that begins last, and its country", () => {
  const routed = fc.array(fc.tuple(span, fc.constantFrom(1, 2, 3, 4_294_967_295)), { maxLength: 12 });
  const cuts = fc.uniqueArray(fc.nat(255), { maxLength: 8 });
  fc.assert(
    fc.property(routed, cuts, fc.boolean(), (owners, boundaries, isIpv6) => {
      const family = isIpv6 ? 6 : 4;
      const base = isIpv6 ? 0x20010db8n << 96n : 0xc0000200n;
      const at = (octet: number): bigint => base + BigInt(octet);
      const ends = [...boundaries].sort((a, b) => a - b);
      // Countries alternate with gaps, and with themselves where one line follows another.
      const countries = ends.slice(1).map((end, index) => ({ from: ends[index]!, to: end - 1, index }));
      const codes = ["DE", "DE", null, "FR"];
      const networks = networksOf([
        ...owners.map(([[from, to], asn]): PublishedRange => ({
          family,
          first: at(from),
          last: at(to),
          asn,
          name: `name ${asn}`,
          country: null,
        })),
        ...countries.flatMap(({ from, to, index }): PublishedRange[] => {
          const country = codes[index % codes.length]!;
          return country === null ? [] : [{ family, first: at(from), last: at(to), asn: null, name: null, country }];
        }),
      ]);
      for (let octet = 0; octet < 256; octet++) {
        let owner: (typeof owners)[number] | undefined;
        for (const candidate of owners) {
          const [[from, to]] = candidate;
          if (from <= octet && octet <= to && (owner === undefined || from >= owner[0][0])) owner = candidate;
        }
        const here = countries.find(({ from, to }) => from <= octet && octet <= to);
        const country = here === undefined ? null : codes[here.index % codes.length];
        const text = isIpv6 ? `2001:db8::${octet.toString(16)}` : `192.0.2.${octet}`;
        const found = networks.lookup(text);
        if (owner === undefined) assert.equal(found, null, text);
        else
          assert.deepEqual(
            found && [found.asn, found.name, found.country],
            [owner[1], `name ${owner[1]}`, country],
            text,
          );
      }
    }),
    { numRuns: rounds({ short: 100, long: 3000 }) },
  );
});

test("published tables are read with their quotes, unknowns and ends of lines", () => {
  assert.deepEqual(rangesOf('1.0.0.0,1.0.0.255,13335,"Cloudflare, ""Inc."""\r\n\n2001:db8::,2001:db8::1,1,x'), [
    { family: 4, first: 0x01000000n, last: 0x010000ffn, asn: 13335, name: 'Cloudflare, "Inc."', country: null },
    { family: 6, first: 0x20010db8n << 96n, last: (0x20010db8n << 96n) | 1n, asn: 1, name: "x", country: null },
  ]);
  assert.deepEqual(
    rangesOf("1.0.0.0,1.0.0.255,AU\n", COUNTRY_TABLE).map(({ asn, country }) => [asn, country]),
    [[null, "AU"]],
  );
  const text =
    "1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET\n1.0.1.0\t1.0.3.255\t0\tNone\tNot routed\n1.0.4.0\t1.0.4.9\t7\tUnknown\ta\tb\n";
  assert.deepEqual(
    rangesOf(text, IPTOASN_TABLE).map(({ asn, country, name }) => [asn, country, name]),
    [
      [13335, "US", "CLOUDFLARENET"],
      [7, null, "a\tb"],
    ],
  );
  assert.equal(networksOf(rangesOf(text, IPTOASN_TABLE)).lookup("1.0.4.1")?.name, "a b");
});

const BAD_LINES: readonly (readonly [line: string, message: RegExp])[] = [
  ["1.0.0.0,1.0.0.255,13335", /^table\.csv:2: fewer than 4 columns$/],
  ['1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc.', /^table\.csv:2: the quotes around the last column are not closed$/],
  ['1.0.0.0,1.0.0.255,13335,"Cloudflare""', /^table\.csv:2: the quotes around the last column are not closed$/],
  ['1.0.0.0,1.0.0.255,13335,"Cloudflare" Inc.', /^table\.csv:2: the quotes around the last column are not closed$/],
  ["1.0.0.0,1.0.0.256,1,x", /^table\.csv:2: .*octet 256/],
  ["1.0.0.0,::1,1,x", /^table\.csv:2: the range begins in one family and ends in the other$/],
  ["1.0.0.9,1.0.0.0,1,x", /^table\.csv:2: the range ends before it begins$/],
  ["1.0.0.0,1.0.0.9,4294967296,x", /^table\.csv:2: "4294967296" is not an AS number$/],
  ["1.0.0.0,1.0.0.9,AS1,x", /^table\.csv:2: "AS1" is not an AS number$/],
];

for (const [line, message] of BAD_LINES)
  test(`the line ${line} is rejected with its number`, () => {
    assert.throws(
      () => rangesOf(`1.1.1.0,1.1.1.1,1,x\n${line}\n`),
      (error) => error instanceof NetworksError && error.code === "bad-line" && message.test(error.message),
    );
  });

test("a country that is no code of two letters is rejected", () =>
  assert.throws(() => rangesOf("1.0.0.0,1.0.0.9,de\n", COUNTRY_TABLE), {
    code: "bad-line",
    message: 'table.csv:1: "de" is not a country code of two letters',
  }));

test("AS numbers without a name are called by their number", () =>
  assert.equal(
    networksOf([{ family: 4, first: 0n, last: 9n, asn: 64500, name: null, country: null }]).lookup("0.0.0.1")?.name,
    "AS64500",
  ));

test("metadata of any other shape is rejected, and wrong contents are found by the deep check", () => {
  const builder = new NetworksBuilder();
  for (const range of rangesOf("1.0.0.0,1.0.0.255,1,one\n1.0.1.0,1.0.1.255,2,two\n")) builder.add(range);
  const { source, metadata } = builder.build(SUBJECT);
  const table = freeze(source);
  const open = (changes: Partial<Record<keyof NetworksMetadata, unknown>>) =>
    new Networks({ ...metadata, ...changes }, table);
  const shapes: Partial<Record<keyof NetworksMetadata, unknown>>[] = [
    { format: 2 },
    { title: 1 },
    { createdAt: "yesterday" },
    { sources: {} },
    { sources: [{ name: "x" }] },
    { asns: "x" },
    { asns: new Uint8Array(4) },
    { asns: new Uint8Array(7) },
    { countries: new Uint8Array(3) },
    { names: null },
  ];
  for (const changes of shapes) assert.throws(() => open(changes), { name: "NetworksError", code: "bad-metadata" });
  assert.throws(() => new Networks(null, table), { name: "NetworksError", code: "bad-metadata" });
  const contents: Partial<Record<keyof NetworksMetadata, unknown>>[] = [
    { asns: new Uint8Array(8) },
    { firstValues: new Uint8Array(8) },
    { firstValues: Uint8Array.of(1, 0, 0, 0, 9, 0, 0, 0) },
    { countries: Uint8Array.of(1, 2, 3, 4) },
    { countries: Uint8Array.of(0, 0) },
    { names: Uint8Array.of(0xff, 0xff, 0xff, 0x41, 0x41, 0x41) },
    { names: new Uint8Array(0) },
    { nameEnds: Uint8Array.of(3, 0, 0, 0, 1, 0, 0, 0) },
  ];
  for (const changes of contents)
    assert.throws(() => open(changes).checkContents(), { name: "NetworksError" }, JSON.stringify(changes));
  open({}).checkContents();
  assert.throws(() => open({ countries: Uint8Array.of(0, 0) }).lookup("1.0.1.1"), { code: "unknown-value" });
});
