/** Lines of lists, put together at random, beside a reader in Python that shares no code with ours. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { ListLineError } from "../../src/reading/list-error.ts";
import { readListLine } from "../../src/reading/list-line.ts";
import { rounds } from "../rounds.ts";
import { seededRandom } from "../table/differential.ts";
import { missingCommand } from "../tools.ts";

const SEED = 20_261_127;
const LINES = rounds({ short: 10_000, long: 200_000 });
/** What a reader makes of a line: its prefixes, or null for a line that it refuses. */
type Reader = (line: string) => readonly string[] | null;

const random = seededRandom(SEED);
const pick = <Item>(items: readonly Item[]): Item => items[random() % items.length]!;
const octet = (): number => pick([0, 1, 2, 8, 9, 10, 64, 127, 128, 192, 203, 254, 255, random() % 256]);
const ipv4 = (): string => pick([`192.0.2.${octet()}`, `192.0.2.${octet()}`, [0, 0, 0, 0].map(octet).join(".")]);
const group = (): string => pick(["0", "1", "db8", "ffff", "FFFE", "2001", (random() % 65_536).toString(16)]);
const ipv6 = (): string =>
  pick([
    `2001:db8::${group()}`,
    `::${group()}:${group()}`,
    Array.from({ length: 8 }, group).join(":"),
    `::ffff:${ipv4()}`,
    `::ffff:${group()}:${group()}`,
    "::",
    `::${group()}:0:0:0`,
    `${group()}::`,
  ]);
const address = (): string => (random() % 3 === 0 ? ipv6() : ipv4());
const mask = (): string =>
  pick(["255.255.255.0", "255.0.0.0", "0.0.0.255", "0.0.255.255", "255.255.255.255", "128.0.0.0", "ffff:ffff::"]);
const length = (): string =>
  pick(["0", "8", "16", "24", "25", "31", "32", "33", "48", "64", "95", "96", "97", "120", "128", "08", ""]);

/** Most of them are entries; the others are what people write in their place. */
const ITEMS: readonly (() => string)[] = [
  address,
  address,
  () => `${pick(["192.0.2.0", "10.0.0.0", "2001:db8::", "198.51.100.128", "::"])}/${length()}`,
  () => `${address()}/${length()}`,
  () => `::ffff:192.0.2.0/${pick(["24", "95", "96", "120", "128"])}`,
  () => `${ipv4()}${pick(["-", " - ", " -", "-\t"])}${ipv4()}`,
  () => `${address()}-${address()}`,
  () => `192.0.2.1-${octet()}`,
  () => pick(["::ffff:0:0-::ffff:ffff:ffff", "0.0.0.0-255.255.255.255", "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]),
  mask,
  () => String(random() % 300),
  () =>
    pick([
      "office",
      "192.0.2",
      "10.1/16",
      "192.0.2.1:80",
      "[::1]",
      "010.0.0.1",
      "1.2.3.4.5",
      "/24",
      "-",
      "x y",
      "192.0.2.256",
    ]),
  () => `"${address()}"`,
];
const item = (): string => pick(ITEMS)();
const between = (): string => pick([" ", ",", ", ", "\t", " ,", "  ", ",,"]);
const comment = (): string =>
  pick(["", "", "", "#", ";", "//", " # ", "\t; ", " // ", ", #", "//24", " //24"]) +
  pick(["", "x", "seen, 192.0.2.9", "\u2028 a", "24", "#"]);

function line(): string {
  const count = pick([1, 1, 1, 2, 2, 3, 4]);
  let text = pick(["", "", "", " ", "\t"]);
  for (let at = 0; at < count; at++) text += (at === 0 ? "" : between()) + item();
  return text + (random() % 2 === 0 ? comment() : pick(["", " ", ",", "\t"]));
}

const ours: Reader = (text) => {
  try {
    return readListLine(text)?.entries.flatMap(({ prefixes }) => prefixes.map(formatPrefix)) ?? [];
  } catch (error) {
    if (error instanceof ListLineError) return null;
    throw error;
  }
};

function byPython(lines: readonly string[]): (readonly string[] | null)[] {
  const input = lines.map((text) => `${JSON.stringify(text)}\n`).join("");
  const { stdout, stderr, status } = spawnSync("python3", [join(import.meta.dirname, "list-oracle.py")], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  assert.equal(status, 0, stderr);
  return stdout
    .trimEnd()
    .split("\n")
    .map((text) => (JSON.parse(text) as string[] | null)?.map((each) => formatPrefix(canonical(each))) ?? null);
}

/** Python writes the whole length; `::/0` and its like are no text of ours otherwise. */
function canonical(text: string) {
  return parsePrefix(text);
}

/** The first lines of which the two say different things. */
function differences(
  reader: Reader,
  lines: readonly string[],
  expected: readonly (readonly string[] | null)[],
): string[] {
  const found: string[] = [];
  for (const [at, text] of lines.entries()) {
    const read = reader(text);
    if (JSON.stringify(read) !== JSON.stringify(expected[at]))
      found.push(`${JSON.stringify(text)}: ${JSON.stringify(read)} and ${JSON.stringify(expected[at])}`);
  }
  return found;
}

/** Each must be detected. */
const BROKEN: Readonly<Record<string, Reader>> = {
  "takes the first column": (text) => ours(text) ?? ours(text.trim().split(/[\s,]/, 1)[0]!),
  "clears host bits": (text) => {
    try {
      return (
        readListLine(text, { hostBits: "mask" })?.entries.flatMap(({ prefixes }) => prefixes.map(formatPrefix)) ?? []
      );
    } catch {
      return null;
    }
  },
  "wants a blank before a comment": (text) => (/[^\s,](?:#|;|\/\/)/.test(text) ? null : ours(text)),
  "takes an address and its mask for two entries": (text) => {
    const parts = text.split(" ");
    const both = parts.length === 2 ? parts.map((part) => ours(part)) : [null];
    return both.every((each) => each !== null && each.length === 1) ? both.flatMap((each) => each!) : ours(text);
  },
  "takes the mapped block for all of IPv4": (text) => (/^::ffff:[^\s,]*\/96$/.test(text) ? ["0.0.0.0/0"] : ours(text)),
};

const noPython = missingCommand("python3", "--version", "python3");
test(
  "a reader in Python says the same of every line, and finds readers that are wrong",
  { skip: noPython },
  (context) => {
    const lines = Array.from({ length: LINES }, line);
    const expected = byPython(lines);
    assert.equal(expected.length, lines.length);
    const found = differences(ours, lines, expected);
    assert.deepEqual(found.slice(0, 10), []);
    const several = expected.filter((each) => each !== null && each.length > 1).length;
    const refused = expected.filter((each) => each === null).length;
    const broken = Object.entries(BROKEN).map(
      ([what, reader]) => [what, differences(reader, lines, expected).length] as const,
    );
    context.diagnostic(
      `${LINES} lines: ${refused} refused, ${several} with several prefixes; ${JSON.stringify(broken)}`,
    );
    assert.ok(refused > LINES / 5 && refused < (4 * LINES) / 5 && several > LINES / 50);
    for (const [what, count] of broken) assert.ok(count > 0, `one that ${what} is not found`);
  },
);
