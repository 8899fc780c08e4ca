import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openNetworks, type Networks } from "../../src/index.ts";
import { addressBits, type Address, type Family } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { lastAddress } from "../../src/address/range.ts";
import { rounds } from "../rounds.ts";
import { sourceAnswer, sourceRanges, type SourceRange } from "./source-tables.ts";

const networks = await openNetworks();

const tables = (family: Family): { routed: SourceRange[]; countries: SourceRange[] } => ({
  routed: sourceRanges("@ip-location-db/asn", "asn", family),
  countries: sourceRanges("@ip-location-db/asn-country", "asn-country", family),
});
const sources = { 4: tables(4), 6: tables(6) };

const numberOf = ({ family, w0, w1, w2, w3 }: Address): bigint =>
  family === 4 ? BigInt(w0) : (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);

function addressOf(family: Family, number: bigint): Address {
  const word = (shift: bigint): number => Number((number >> shift) & 0xffff_ffffn);
  return family === 4
    ? { family, w0: Number(number), w1: 0, w2: 0, w3: 0 }
    : { family, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) };
}

function answerOf(from: Networks, address: Address): string | null {
  const found = from.networkOf(address);
  return found && `${found.asn} ${found.country ?? "-"} ${found.name}`;
}

/** The first, the last, the one before and the one after of every `step`-th prefix: how many differ, of how many. */
function differences(from: Networks, family: Family, step: number): { checked: number; differing: string[] } {
  const { routed, countries } = sources[family];
  const most = (1n << BigInt(addressBits(family))) - 1n;
  const differing: string[] = [];
  let [checked, index] = [0, 0];
  // The steps change, so that no pattern of the table hides anything; the same every time.
  for (const { prefix } of from.table.entries(family)) {
    if (++index % step !== (index >>> 8) % step) continue;
    const [first, last] = [numberOf(prefix), numberOf(lastAddress(prefix))];
    for (const number of [first - 1n, first, last, last + 1n]) {
      // Mapped addresses are IPv4 ones.
      if (number < 0n || number > most || (family === 6 && number >> 32n === 0xffffn)) continue;
      checked++;
      const address = addressOf(family, number);
      const [ours, theirs] = [answerOf(from, address), sourceAnswer(routed, countries, number)];
      if (ours !== theirs) differing.push(`${formatAddress(address)}: ${ours}, published ${theirs}`);
    }
  }
  return { checked, differing };
}

describe("the bundled networks are those of the published tables", () => {
  const step = rounds({ short: 50, long: 1 });

  for (const family of [4, 6] as const) {
    test(`at the boundaries of prefixes of IPv${family}`, (context) => {
      const { checked, differing } = differences(networks, family, step);
      context.diagnostic(`${checked} addresses, ${differing.length} differences`);
      assert.deepEqual(differing.slice(0, 10), []);
      assert.ok(checked * step > (family === 4 ? 2_200_000 : 650_000), String(checked));
    });

    test(`at the boundaries of published ranges of IPv${family}, of which none is missing`, (context) => {
      const { routed, countries } = sources[family];
      let checked = 0;
      for (const [index, { first, last }] of routed.entries()) {
        if (index % step !== 0) continue;
        for (const number of [first, last]) {
          const address = addressOf(family, number);
          assert.equal(answerOf(networks, address), sourceAnswer(routed, countries, number), formatAddress(address));
          checked++;
        }
      }
      context.diagnostic(`${checked} addresses`);
    });
  }

  test("negative control: a table that says one thing else is noticed", () => {
    const wrong = sources[4].routed.map((range) =>
      range.text.startsWith("13335,") ? { ...range, text: "13336,Other" } : range,
    );
    const shifted = sources[4].countries.map((range) => ({ ...range, last: range.last - 1n }));
    const address = addressOf(4, 0x01000000n);
    assert.notEqual(answerOf(networks, address), sourceAnswer(wrong, sources[4].countries, 0x01000000n));
    assert.notEqual(
      answerOf(networks, addressOf(4, 0x010000ffn)),
      sourceAnswer(sources[4].routed, shifted, 0x010000ffn),
    );
  });
});

test("nearly every routed address has an organisation and a country", (context) => {
  for (const family of [4, 6] as const) {
    let [prefixes, known, named, addresses, knownAddresses] = [0, 0, 0, 0, 0];
    for (const { prefix, match } of networks.table.entries(family)) {
      const { name, country } = networks.ownerOf(match);
      const size = 2 ** (addressBits(family) - prefix.length);
      prefixes++;
      addresses += size;
      if (name !== "") named++;
      if (country === null) continue;
      known++;
      knownAddresses += size;
    }
    const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(3)} %`;
    context.diagnostic(
      `IPv${family}: ${prefixes} prefixes, ${percent(named, prefixes)} with an organisation, ${percent(known, prefixes)} with a country, ${percent(knownAddresses, addresses)} of the addresses`,
    );
    assert.equal(named, prefixes);
    assert.ok(known / prefixes >= 0.99);
  }
});

test("every member of the file can be read, and it says where it comes from", () => {
  networks.checkContents();
  const { title, createdAt, sources: published } = networks.metadata;
  assert.equal(title, "Networks by AS number");
  assert.equal(createdAt, "2026-06-17T19:00:00.000Z");
  assert.deepEqual(
    published.map(({ name, license }) => [name, license]),
    [
      ["@ip-location-db/asn", "CC-BY-4.0"],
      ["@ip-location-db/asn-country", "CC0-1.0 AND CC-BY-4.0"],
    ],
  );
});

test("well-known addresses have the network that everybody knows", () => {
  const known = {
    "8.8.8.8": [15169, "US", "8.8.8.0/24"],
    "1.1.1.1": [13335, "AU", "1.1.1.0/24"],
    "171.64.1.1": [32, "US", "171.64.0.0/14"],
    "188.184.9.234": [513, "CH", "188.184.0.0/15"],
    "2001:4860:4860::8888": [15169, "US", "2001:4860:4840::/42"],
  } as const;
  for (const [text, expected] of Object.entries(known)) {
    const network = networks.lookup(text);
    assert.deepEqual(network && [network.asn, network.country, network.cidr], expected, text);
  }
  assert.equal(networks.lookup("10.0.0.1"), null);
  assert.equal(networks.lookup("8.0.0.0/6"), null);
  assert.equal(networks.lookup("8.8.8.0/25")?.cidr, "8.8.8.0/24");
  assert.throws(() => networks.lookup("8.8.8"), { name: "AddressError" });
});
