/** A canonical prefix and its value ids in ascending order. */
export type Entry = readonly [prefix: string, ...values: number[]];

/**
 * A set of prefixes, queries and the expected results, all as canonical text, for everything that stores prefixes. The
 * query of an address has every prefix that covers it, least specific first: the last is the longest-prefix match, none
 * means no match, and the values are those of the entries.
 */
export interface PrefixSet {
  readonly name: string;
  /** Every prefix in order: IPv4 before IPv6, by address, the less specific first. */
  readonly entries: readonly Entry[];
  /** What is inserted, if it differs: other spellings, another order, repeated prefixes. */
  readonly given?: readonly Entry[];
  readonly addresses: readonly (readonly [address: string, covering: readonly string[]])[];
  readonly prefixes: readonly PrefixQuestion[];
}

export interface PrefixQuestion {
  readonly prefix: string;
  /** Less specific or equal, least specific first. */
  readonly covering: readonly string[];
  /** More specific or equal, in order. */
  readonly covered: readonly string[];
}

const LONGEST = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";

/** The prefixes of 0.0.0.0 (or ::) of all lengths from 0 up to and including `last`. */
function nestedZeros(address: "0.0.0.0" | "::", last: number): string[] {
  const full = address === "::" ? 128 : 32;
  return Array.from({ length: last + 1 }, (_, length) => (length === full ? address : `${address}/${length}`));
}

/** The IPv4 prefixes of 255.255.255.255 of all lengths from 0 up to and including `last`. */
function nestedOnes(last: number): string[] {
  return Array.from({ length: last + 1 }, (_, length) => {
    const octets = [0, 8, 16, 24].map((first) => 256 - 2 ** (8 - Math.min(8, Math.max(0, length - first))));
    return octets.join(".") + (length === 32 ? "" : `/${length}`);
  });
}

const numbered = (prefixes: readonly string[]): Entry[] => prefixes.map((prefix, index) => [prefix, index + 1]);

const everyHostOfTestNet = Array.from({ length: 256 }, (_, host) => `192.0.2.${host}`);

export const PREFIX_SETS: readonly PrefixSet[] = [
  {
    name: "nothing at all",
    entries: [],
    addresses: [
      ["0.0.0.0", []],
      ["255.255.255.255", []],
      ["::", []],
      [LONGEST, []],
    ],
    prefixes: [
      { prefix: "0.0.0.0/0", covering: [], covered: [] },
      { prefix: "::/0", covering: [], covered: [] },
      { prefix: "2001:db8::1", covering: [], covered: [] },
    ],
  },
  {
    name: "default routes only",
    entries: [
      ["0.0.0.0/0", 1],
      ["::/0", 2],
    ],
    addresses: [
      ["0.0.0.0", ["0.0.0.0/0"]],
      ["127.255.255.255", ["0.0.0.0/0"]],
      ["255.255.255.255", ["0.0.0.0/0"]],
      ["::", ["::/0"]],
      [LONGEST, ["::/0"]],
    ],
    prefixes: [
      { prefix: "0.0.0.0/0", covering: ["0.0.0.0/0"], covered: ["0.0.0.0/0"] },
      { prefix: "::/0", covering: ["::/0"], covered: ["::/0"] },
      { prefix: "10.0.0.0/8", covering: ["0.0.0.0/0"], covered: [] },
      { prefix: "::1", covering: ["::/0"], covered: [] },
    ],
  },
  {
    name: "a default route of one family only",
    entries: [["::/0", 9]],
    addresses: [
      ["0.0.0.0", []],
      ["::ffff:1.2.3.4", []],
      ["::1.2.3.4", ["::/0"]],
      ["::", ["::/0"]],
    ],
    prefixes: [{ prefix: "0.0.0.0/0", covering: [], covered: [] }],
  },
  {
    name: "single IPv4 addresses",
    entries: [
      ["10.20.30.40", 1],
      ["10.20.30.42", 2],
      ["10.20.30.43", 3],
    ],
    addresses: [
      ["10.20.30.39", []],
      ["10.20.30.40", ["10.20.30.40"]],
      ["10.20.30.41", []],
      ["10.20.30.42", ["10.20.30.42"]],
      ["10.20.30.43", ["10.20.30.43"]],
      ["10.20.30.44", []],
      ["138.20.30.40", []],
    ],
    prefixes: [
      { prefix: "10.20.30.40", covering: ["10.20.30.40"], covered: ["10.20.30.40"] },
      { prefix: "10.20.30.40/31", covering: [], covered: ["10.20.30.40"] },
      { prefix: "10.20.30.42/31", covering: [], covered: ["10.20.30.42", "10.20.30.43"] },
      { prefix: "10.20.30.40/30", covering: [], covered: ["10.20.30.40", "10.20.30.42", "10.20.30.43"] },
    ],
  },
  {
    name: "blocks of one size within 65,536 slots, the first and the last among them, of one value and in front of another",
    entries: [
      ["10.0.0.0/8", 9],
      ["10.7.0.0", 1],
      ["10.7.1.1", 1],
      ["10.7.1.2", 1],
      ["10.7.255.255", 1],
      ["2001:db8::/32", 9],
      ["2001:db8:0:100::/56", 1],
      ["2001:db8:0:200::/56", 2],
      ["2001:db8:0:ff00::/56", 3],
    ],
    addresses: [
      ["10.6.255.255", ["10.0.0.0/8"]],
      ["10.7.0.0", ["10.0.0.0/8", "10.7.0.0"]],
      ["10.7.0.1", ["10.0.0.0/8"]],
      ["10.7.1.1", ["10.0.0.0/8", "10.7.1.1"]],
      ["10.7.1.2", ["10.0.0.0/8", "10.7.1.2"]],
      ["10.7.1.3", ["10.0.0.0/8"]],
      ["10.7.255.254", ["10.0.0.0/8"]],
      ["10.7.255.255", ["10.0.0.0/8", "10.7.255.255"]],
      ["10.8.0.0", ["10.0.0.0/8"]],
      ["11.7.1.1", []],
      ["2001:db8:0:ff::", ["2001:db8::/32"]],
      ["2001:db8:0:1ff::", ["2001:db8::/32", "2001:db8:0:100::/56"]],
      ["2001:db8:0:200::", ["2001:db8::/32", "2001:db8:0:200::/56"]],
      ["2001:db8:0:300::", ["2001:db8::/32"]],
      ["2001:db8:0:feff::", ["2001:db8::/32"]],
      ["2001:db8:0:ffff::", ["2001:db8::/32", "2001:db8:0:ff00::/56"]],
      ["2001:db8:1:100::", ["2001:db8::/32"]],
    ],
    prefixes: [
      {
        prefix: "10.7.0.0/16",
        covering: ["10.0.0.0/8"],
        covered: ["10.7.0.0", "10.7.1.1", "10.7.1.2", "10.7.255.255"],
      },
      { prefix: "10.7.1.0/24", covering: ["10.0.0.0/8"], covered: ["10.7.1.1", "10.7.1.2"] },
      {
        prefix: "2001:db8:0:200::/55",
        covering: ["2001:db8::/32"],
        covered: ["2001:db8:0:200::/56"],
      },
    ],
  },
  {
    name: "single IPv6 addresses that differ in each of the words",
    entries: [
      ["2001:db8::", 1],
      ["2001:db8::1", 2],
      ["2001:db8:0:0:1::", 3],
      ["2001:db8:0:1::", 4],
      ["2001:db9::", 5],
    ],
    addresses: [
      ["2001:db8::", ["2001:db8::"]],
      ["2001:db8::1", ["2001:db8::1"]],
      ["2001:db8::2", []],
      ["2001:db8:0:0:1::", ["2001:db8:0:0:1::"]],
      ["2001:db8:0:0:2::", []],
      ["2001:db8:0:1::", ["2001:db8:0:1::"]],
      ["2001:db8:0:2::", []],
      ["2001:db9::", ["2001:db9::"]],
      ["2001:dba::", []],
    ],
    prefixes: [
      { prefix: "2001:db8::/127", covering: [], covered: ["2001:db8::", "2001:db8::1"] },
      { prefix: "2001:db8::/64", covering: [], covered: ["2001:db8::", "2001:db8::1", "2001:db8:0:0:1::"] },
    ],
  },
  {
    name: "the first and last address of both families",
    entries: [
      ["0.0.0.0", 1],
      ["255.255.255.255", 2],
      ["::", 3],
      [LONGEST, 4],
    ],
    addresses: [
      ["0.0.0.0", ["0.0.0.0"]],
      ["0.0.0.1", []],
      ["255.255.255.254", []],
      ["255.255.255.255", ["255.255.255.255"]],
      ["::", ["::"]],
      ["::1", []],
      ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", []],
      [LONGEST, [LONGEST]],
    ],
    prefixes: [
      { prefix: "0.0.0.0/0", covering: [], covered: ["0.0.0.0", "255.255.255.255"] },
      { prefix: "::/0", covering: [], covered: ["::", LONGEST] },
      { prefix: "128.0.0.0/1", covering: [], covered: ["255.255.255.255"] },
    ],
  },
  {
    name: "all 33 lengths of IPv4, zeros",
    entries: numbered(nestedZeros("0.0.0.0", 32)),
    addresses: [
      ["0.0.0.0", nestedZeros("0.0.0.0", 32)],
      ["0.0.0.1", nestedZeros("0.0.0.0", 31)],
      ["0.0.0.128", nestedZeros("0.0.0.0", 24)],
      ["0.0.255.1", nestedZeros("0.0.0.0", 16)],
      ["64.0.0.0", nestedZeros("0.0.0.0", 1)],
      ["128.0.0.0", nestedZeros("0.0.0.0", 0)],
    ],
    prefixes: [
      { prefix: "0.0.0.0", covering: nestedZeros("0.0.0.0", 32), covered: ["0.0.0.0"] },
      { prefix: "0.0.0.0/20", covering: nestedZeros("0.0.0.0", 20), covered: nestedZeros("0.0.0.0", 32).slice(20) },
      { prefix: "0.0.16.0/20", covering: nestedZeros("0.0.0.0", 19), covered: [] },
    ],
  },
  {
    name: "all 33 lengths of IPv4, ones",
    entries: numbered(nestedOnes(32)),
    addresses: [
      ["255.255.255.255", nestedOnes(32)],
      ["255.255.255.254", nestedOnes(31)],
      ["255.255.255.127", nestedOnes(24)],
      ["255.255.0.0", nestedOnes(16)],
      ["127.255.255.255", nestedOnes(0)],
    ],
    prefixes: [
      { prefix: "255.255.255.254/31", covering: nestedOnes(31), covered: nestedOnes(32).slice(31) },
      { prefix: "255.255.255.252/31", covering: nestedOnes(30), covered: [] },
    ],
  },
  {
    name: "all 129 lengths of IPv6",
    entries: numbered(nestedZeros("::", 128)),
    addresses: [
      ["::", nestedZeros("::", 128)],
      ["::1", nestedZeros("::", 127)],
      ["::1:0:0", nestedZeros("::", 95)],
      ["::8000:0:0:0", nestedZeros("::", 64)],
      ["0:0:0:1::", nestedZeros("::", 63)],
      ["0:1::", nestedZeros("::", 31)],
      ["8000::", nestedZeros("::", 0)],
    ],
    prefixes: [
      { prefix: "::", covering: nestedZeros("::", 128), covered: ["::"] },
      { prefix: "::/100", covering: nestedZeros("::", 100), covered: nestedZeros("::", 128).slice(100) },
    ],
  },
  {
    name: "siblings without a common prefix of their own",
    entries: [
      ["10.0.0.0/9", 1],
      ["10.128.0.0/9", 2],
      ["2001:db8::/33", 3],
      ["2001:db8:8000::/33", 4],
    ],
    addresses: [
      ["9.255.255.255", []],
      ["10.0.0.0", ["10.0.0.0/9"]],
      ["10.127.255.255", ["10.0.0.0/9"]],
      ["10.128.0.0", ["10.128.0.0/9"]],
      ["10.255.255.255", ["10.128.0.0/9"]],
      ["11.0.0.0", []],
      ["2001:db8:7fff:ffff:ffff:ffff:ffff:ffff", ["2001:db8::/33"]],
      ["2001:db8:8000::", ["2001:db8:8000::/33"]],
      ["2001:db9::", []],
    ],
    prefixes: [
      { prefix: "10.0.0.0/8", covering: [], covered: ["10.0.0.0/9", "10.128.0.0/9"] },
      { prefix: "2001:db8::/32", covering: [], covered: ["2001:db8::/33", "2001:db8:8000::/33"] },
    ],
  },
  {
    name: "more specific prefixes at both ends of a covering one, and in its middle",
    entries: [
      ["198.51.100.0/24", 5],
      ["198.51.100.0/26", 1],
      ["198.51.100.0", 2],
      ["198.51.100.100", 3],
      ["198.51.100.192/26", 4],
      ["198.51.100.255", 2],
    ],
    addresses: [
      ["198.51.99.255", []],
      ["198.51.100.0", ["198.51.100.0/24", "198.51.100.0/26", "198.51.100.0"]],
      ["198.51.100.63", ["198.51.100.0/24", "198.51.100.0/26"]],
      ["198.51.100.64", ["198.51.100.0/24"]],
      ["198.51.100.100", ["198.51.100.0/24", "198.51.100.100"]],
      ["198.51.100.191", ["198.51.100.0/24"]],
      ["198.51.100.192", ["198.51.100.0/24", "198.51.100.192/26"]],
      ["198.51.100.255", ["198.51.100.0/24", "198.51.100.192/26", "198.51.100.255"]],
      ["198.51.101.0", []],
    ],
    prefixes: [
      {
        prefix: "198.51.100.0/25",
        covering: ["198.51.100.0/24"],
        covered: ["198.51.100.0/26", "198.51.100.0", "198.51.100.100"],
      },
      { prefix: "198.51.100.128/25", covering: ["198.51.100.0/24"], covered: ["198.51.100.192/26", "198.51.100.255"] },
      {
        prefix: "198.51.100.255",
        covering: ["198.51.100.0/24", "198.51.100.192/26", "198.51.100.255"],
        covered: ["198.51.100.255"],
      },
    ],
  },
  {
    name: "IPv4 lengths around the octet boundaries",
    entries: [
      ["10.0.0.0/7", 1],
      ["10.0.0.0/8", 2],
      ["10.128.0.0/9", 3],
      ["172.16.0.0/15", 4],
      ["172.16.0.0/16", 5],
      ["172.16.128.0/17", 6],
      ["203.0.112.0/23", 7],
      ["203.0.113.0/24", 8],
      ["203.0.113.128/25", 9],
      ["203.0.113.254/31", 10],
      ["203.0.113.255", 11],
    ],
    addresses: [
      ["11.255.255.255", ["10.0.0.0/7"]],
      ["10.127.255.255", ["10.0.0.0/7", "10.0.0.0/8"]],
      ["10.128.0.0", ["10.0.0.0/7", "10.0.0.0/8", "10.128.0.0/9"]],
      ["12.0.0.0", []],
      ["172.17.0.0", ["172.16.0.0/15"]],
      ["172.16.127.255", ["172.16.0.0/15", "172.16.0.0/16"]],
      ["172.16.128.0", ["172.16.0.0/15", "172.16.0.0/16", "172.16.128.0/17"]],
      ["172.18.0.0", []],
      ["203.0.112.255", ["203.0.112.0/23"]],
      ["203.0.113.127", ["203.0.112.0/23", "203.0.113.0/24"]],
      ["203.0.113.253", ["203.0.112.0/23", "203.0.113.0/24", "203.0.113.128/25"]],
      ["203.0.113.255", ["203.0.112.0/23", "203.0.113.0/24", "203.0.113.128/25", "203.0.113.254/31", "203.0.113.255"]],
      ["203.0.114.0", []],
    ],
    prefixes: [
      {
        prefix: "203.0.113.0/24",
        covering: ["203.0.112.0/23", "203.0.113.0/24"],
        covered: ["203.0.113.0/24", "203.0.113.128/25", "203.0.113.254/31", "203.0.113.255"],
      },
    ],
  },
  {
    name: "IPv6 lengths around the word boundaries",
    entries: [
      ["2001:db8::/31", 1],
      ["2001:db8::/32", 2],
      ["2001:db8:8000::/33", 3],
      ["2001:db8:ffff:fffe::/63", 4],
      ["2001:db8:ffff:ffff::/64", 5],
      ["2001:db8:ffff:ffff:8000::/65", 6],
      ["2001:db8:ffff:ffff:ffff:fffe::/95", 7],
      ["2001:db8:ffff:ffff:ffff:ffff::/96", 8],
      ["2001:db8:ffff:ffff:ffff:ffff:8000:0/97", 9],
      ["2001:db8:ffff:ffff:ffff:ffff:ffff:fffe/127", 10],
      ["2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", 11],
    ],
    addresses: [
      ["2001:db9::", ["2001:db8::/31"]],
      ["2001:db8:7fff:ffff:ffff:ffff:ffff:ffff", ["2001:db8::/31", "2001:db8::/32"]],
      ["2001:db8:8000::", ["2001:db8::/31", "2001:db8::/32", "2001:db8:8000::/33"]],
      ["2001:db8:ffff:fffe::1", ["2001:db8::/31", "2001:db8::/32", "2001:db8:8000::/33", "2001:db8:ffff:fffe::/63"]],
      [
        "2001:db8:ffff:ffff:8000::",
        [
          "2001:db8::/31",
          "2001:db8::/32",
          "2001:db8:8000::/33",
          "2001:db8:ffff:fffe::/63",
          "2001:db8:ffff:ffff::/64",
          "2001:db8:ffff:ffff:8000::/65",
        ],
      ],
      [
        "2001:db8:ffff:ffff:ffff:ffff:7fff:ffff",
        [
          "2001:db8::/31",
          "2001:db8::/32",
          "2001:db8:8000::/33",
          "2001:db8:ffff:fffe::/63",
          "2001:db8:ffff:ffff::/64",
          "2001:db8:ffff:ffff:8000::/65",
          "2001:db8:ffff:ffff:ffff:fffe::/95",
          "2001:db8:ffff:ffff:ffff:ffff::/96",
        ],
      ],
      ["2001:dba::", []],
    ],
    prefixes: [
      {
        prefix: "2001:db8:ffff:ffff:ffff:ffff::/96",
        covering: [
          "2001:db8::/31",
          "2001:db8::/32",
          "2001:db8:8000::/33",
          "2001:db8:ffff:fffe::/63",
          "2001:db8:ffff:ffff::/64",
          "2001:db8:ffff:ffff:8000::/65",
          "2001:db8:ffff:ffff:ffff:fffe::/95",
          "2001:db8:ffff:ffff:ffff:ffff::/96",
        ],
        covered: [
          "2001:db8:ffff:ffff:ffff:ffff::/96",
          "2001:db8:ffff:ffff:ffff:ffff:8000:0/97",
          "2001:db8:ffff:ffff:ffff:ffff:ffff:fffe/127",
          "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        ],
      },
    ],
  },
  {
    name: "the same leading bits in both families",
    entries: [
      ["32.1.13.0/24", 1],
      ["32.1.13.184", 2],
      ["2001:d00::/24", 3],
      ["2001:db8::/32", 4],
    ],
    addresses: [
      ["32.1.13.184", ["32.1.13.0/24", "32.1.13.184"]],
      ["32.1.13.185", ["32.1.13.0/24"]],
      ["2001:db8::", ["2001:d00::/24", "2001:db8::/32"]],
      ["2001:db9::", ["2001:d00::/24"]],
      ["::32.1.13.184", []],
    ],
    prefixes: [
      { prefix: "32.1.0.0/16", covering: [], covered: ["32.1.13.0/24", "32.1.13.184"] },
      { prefix: "2001::/16", covering: [], covered: ["2001:d00::/24", "2001:db8::/32"] },
    ],
  },
  {
    name: "IPv4-mapped IPv6 is IPv4",
    given: [
      ["::/0", 1],
      ["::fffe:0:0/95", 2],
      ["::ffff:192.0.2.0/120", 3],
      ["::FFFF:C000:0205", 4],
      ["192.0.2.0/24", 5],
      ["::ffff:128.0.0.0/97", 6],
    ],
    entries: [
      ["128.0.0.0/1", 6],
      ["192.0.2.0/24", 3, 5],
      ["192.0.2.5", 4],
      ["::/0", 1],
      ["::fffe:0:0/95", 2],
    ],
    addresses: [
      ["192.0.2.5", ["128.0.0.0/1", "192.0.2.0/24", "192.0.2.5"]],
      ["::ffff:192.0.2.5", ["128.0.0.0/1", "192.0.2.0/24", "192.0.2.5"]],
      ["::ffff:c000:204", ["128.0.0.0/1", "192.0.2.0/24"]],
      ["::fffe:192.0.2.5", ["::/0", "::fffe:0:0/95"]],
      ["::192.0.2.5", ["::/0"]],
    ],
    prefixes: [
      { prefix: "::ffff:192.0.2.0/125", covering: ["128.0.0.0/1", "192.0.2.0/24"], covered: ["192.0.2.5"] },
      { prefix: "::/0", covering: ["::/0"], covered: ["::/0", "::fffe:0:0/95"] },
    ],
  },
  {
    name: "several values per prefix, united however they come",
    given: [
      ["10.0.0.0/8", 7, 3],
      ["2001:DB8:0:0::/32", 2],
      ["10.0.0.0/8", 5, 3],
      ["2001:db8::/32", 9, 8, 7, 6, 5, 4, 3, 2, 1],
      ["10.1.0.0/16", 5, 4, 3, 2, 1],
      ["10.1.0.0/16", 3],
      ["10.1.1.1", 3],
    ],
    entries: [
      ["10.0.0.0/8", 3, 5, 7],
      ["10.1.0.0/16", 1, 2, 3, 4, 5],
      ["10.1.1.1", 3],
      ["2001:db8::/32", 1, 2, 3, 4, 5, 6, 7, 8, 9],
    ],
    addresses: [
      ["10.0.0.1", ["10.0.0.0/8"]],
      ["10.1.0.1", ["10.0.0.0/8", "10.1.0.0/16"]],
      ["10.1.1.1", ["10.0.0.0/8", "10.1.0.0/16", "10.1.1.1"]],
      ["2001:db8::1", ["2001:db8::/32"]],
    ],
    prefixes: [
      { prefix: "10.1.0.0/16", covering: ["10.0.0.0/8", "10.1.0.0/16"], covered: ["10.1.0.0/16", "10.1.1.1"] },
    ],
  },
  {
    name: "neighbours, nested prefixes and strangers with the same values",
    entries: [
      ["10.0.0.0/25", 1],
      ["10.0.0.128/25", 1],
      ["10.0.1.0/24", 1],
      ["10.0.1.64/26", 1],
      ["203.0.113.0/24", 1, 2],
      ["203.0.113.0/25", 1, 2],
      ["2001:db8::/48", 1],
      ["2001:db8::/64", 1],
    ],
    addresses: [
      ["10.0.0.127", ["10.0.0.0/25"]],
      ["10.0.0.128", ["10.0.0.128/25"]],
      ["10.0.1.63", ["10.0.1.0/24"]],
      ["10.0.1.64", ["10.0.1.0/24", "10.0.1.64/26"]],
      ["10.0.1.128", ["10.0.1.0/24"]],
      ["203.0.113.1", ["203.0.113.0/24", "203.0.113.0/25"]],
      ["203.0.113.129", ["203.0.113.0/24"]],
      ["2001:db8::1", ["2001:db8::/48", "2001:db8::/64"]],
      ["2001:db8:0:1::", ["2001:db8::/48"]],
    ],
    prefixes: [{ prefix: "10.0.0.0/24", covering: [], covered: ["10.0.0.0/25", "10.0.0.128/25"] }],
  },
  {
    name: "every address of a /24, each with a value of its own",
    entries: [["192.0.2.0/24", 1000], ...numbered(everyHostOfTestNet)],
    addresses: [
      ["192.0.1.255", []],
      ["192.0.2.0", ["192.0.2.0/24", "192.0.2.0"]],
      ["192.0.2.99", ["192.0.2.0/24", "192.0.2.99"]],
      ["192.0.2.255", ["192.0.2.0/24", "192.0.2.255"]],
      ["192.0.3.0", []],
    ],
    prefixes: [
      { prefix: "192.0.2.128/25", covering: ["192.0.2.0/24"], covered: everyHostOfTestNet.slice(128) },
      { prefix: "192.0.2.0/23", covering: [], covered: ["192.0.2.0/24", ...everyHostOfTestNet] },
    ],
  },
];
