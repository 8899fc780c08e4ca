import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { comparePrefixes } from "../../../src/address/prefix.ts";
import { ImportError } from "../../../src/cbs/importers/import-error.ts";
import type { Importer } from "../../../src/cbs/importers/imported-list.ts";
import { SOURCES } from "../../../src/cbs/importers/sources.ts";
import { onlyLong } from "../../rounds.ts";
import { kinds } from "./kinds.ts";

/**
 * Imports the text and returns the number of entries, or -1 for a list that is rejected. Any other error is a defect.
 */
function outcome(importer: Importer, text: string): number {
  try {
    const { entries } = importer(text);
    for (const { prefix, places } of entries) assert.ok(comparePrefixes(prefix, prefix) === 0 && places.length > 0);
    return entries.length;
  } catch (error) {
    assert.ok(error instanceof ImportError, `${JSON.stringify(text).slice(0, 300)}: ${String((error as Error).stack)}`);
    return -1;
  }
}

/** A list of each kind, to be corrupted: purely random text never gets past the first check. */
const lists = [
  "192.0.2.0/24\t\n# c\n2001:db8::/32\r\n192.0.2.1-192.0.2.9",
  'prefix,service,region\n192.0.2.0/24,api,eu\n"2001:db8::/32",,',
  "# geofeed\n192.0.2.0/24,US,US-CA,Fremont,\n2001:db8::/32,PH,PH-00,,",
  "## Front-end (public) network\n|Data center|City|IP range|\n|---|---|---|\n|ams03|Amsterdam|192.0.2.0/24 \\n 192.0.2.1|\n",
  "### US Service Region\n\n    192.0.2.1\n",
  "probe1.example.net 192.0.2.1\nprobe1.example.net 2001:db8::1\n",
  ...[
    ["192.0.2.1", "2001:db8::1"],
    {
      creationTime: "2026-01-01",
      prefixes: [{ ipv4Prefix: "192.0.2.0/24" }, { ipv6Prefix: "2001:db8::/32", service: "a", scope: "global" }],
    },
    { prefixes: [{ ip_prefix: "192.0.2.0/24", region: "a", service: "b" }], ipv6_prefixes: [] },
    { prefixes: [{ ip_prefix: ["192.0.2.0/24"], region: "a" }] },
    { prefixes: [{ prefix: "192.0.2.0/26" }] },
    { values: [{ name: "A.B", properties: { region: "b", addressPrefixes: ["192.0.2.0/24"] } }] },
    { regions: [{ region: "a", cidrs: [{ cidr: "192.0.2.0/24", tags: ["OCI"] }] }] },
    { subnets: [{ ip_prefix: "192.0.2.0/24", alpha2code: "US", region: "US-CA", city: "Fremont" }] },
    { items: [{ cidr: "192.0.2.0/24", region: ["a"], product: ["b"] }] },
    [{ serviceArea: "A", ips: ["192.0.2.0/24"] }],
    { agents: { prefixes_ipv4: ["192.0.2.0/24"], prefixes_ipv4_by_location: { "aws:a": ["192.0.2.0/24"] } } },
    {
      "zscaler.net": { "continent : EMEA": { "city : Paris": [{ range: "192.0.2.0/24", gre: "192.0.2.1" }] } },
      svpnIPs: ["192.0.2.1"],
    },
    { IPRanges: { jobs: ["192.0.2.1"] } },
    { cell: { ip_ranges: ["192.0.2.1"] } },
    { ip_ranges: [{ range: "192.0.2.1", region: "a", service: "b" }] },
    { ips: [{ ip_address: "192.0.2.1" }] },
    { addresses: ["192.0.2.1"], ipv6_addresses: [], ipv4: ["192.0.2.1"], ipv6: [] },
    { lan: { ip: "192.0.2.1", ipv6: "" }, mia: { ip: "192.0.2.2", ipv6: "2001:db8::1" } },
    { prefixes: [{ region: "a", type: "inbound", ipv4Prefixes: ["192.0.2.0/24"], ipv6Prefixes: [] }] },
    { addresses: ["192.0.2.1/32", "172.31.0.7/32"], addresses_v6: ["2001:db8::/32"] },
    { ips: { ingress: { all: ["192.0.2.0/24"] }, egress: { all: [] } } },
    { data_centers: [{ key: "a", city: "b", cidr_networks: [{ service: "c", cidr_notation: "10.0.0.0/8" }] }] },
  ].map((list) => JSON.stringify(list)),
];
const put = fc.oneof(
  fc.constantFrom(
    '"',
    "{}",
    "[]",
    "null",
    "7",
    ",",
    "}",
    "__proto__",
    "constructor",
    "\n",
    "|",
    "#",
    "0.0.0.0/0",
    "/33",
    "global",
    "東京",
    "\u0000",
    "\ufeff",
    "<br>",
    "-",
  ),
  fc.string({ maxLength: 6 }),
);
const text = fc.oneof(
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.json()) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...lists), fc.nat(), fc.nat({ max: 9 }), fc.oneof(fc.constant(""), put))
      .map(([list, at, taken, given]) => {
        const place = at % (list.length + 1);
        return list.slice(0, place) + given + list.slice(place + taken);
      }),
  },
);

test("any text is imported or rejected with an ImportError", (context) => {
  const runs = { numRuns: 1500, seed: 20261121 };
  const counts = { imported: 0, refused: 0 };
  fc.assert(
    fc.property(text, (list) => {
      for (const importer of kinds) {
        if (outcome(importer, list) > 0) counts.imported++;
        else counts.refused++;
      }
    }),
    runs,
  );
  context.diagnostic(
    `${kinds.length} importers, ${runs.numRuns} lists: ${counts.imported} imported, ${counts.refused} refused, seed ${runs.seed}`,
  );
  assert.ok(counts.imported > 500 && counts.refused > 10_000);
});

test("each intact list is imported by some importer", () => {
  for (const list of lists)
    assert.ok(
      kinds.some((importer) => outcome(importer, list) > 0),
      list,
    );
});

test("a list cut off anywhere in JSON is rejected", () => {
  const list =
    '{"creationTime": "2026-08-20T14:46:45", "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}, {"ipv6Prefix": "2001:db8::/32"}]}';
  const importer = SOURCES.find(({ id }) => id === "bingbot")!.files[0]!.importer;
  assert.equal(outcome(importer, list), 2);
  for (let end = 0; end < list.length; end++)
    assert.equal(outcome(importer, list.slice(0, end)), -1, list.slice(0, end));
});

test("the description of a list may have any shape, and becomes one short line", () => {
  const importer = SOURCES.find(({ id }) => id === "bingbot")!.files[0]!.importer;
  const depth = 200_000;
  const listOf = (head: string): string => `{${head}, "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}`;
  const list = importer(listOf(`"creationTime": ${"[".repeat(depth)}${"]".repeat(depth)}`));
  assert.deepEqual(
    [list.publishedAt, list.warnings],
    [null, [{ code: "time", position: "$.creationTime", message: "$.creationTime: an array is not a time" }]],
  );
  assert.equal(importer(listOf(String.raw`"syncToken": "7\u001b[31m\u009b\n\u202ered"`)).version, "7 [31m red");
  assert.equal(importer(listOf(`"syncToken": "${"7".repeat(100_000)}"`)).version!.length, 200);
});

test("an error shows the text at its position, but nothing that a terminal would interpret", () => {
  const importer = SOURCES.find(({ id }) => id === "github")!.files[0]!.importer;
  const hostile = String.raw`\u001b[31m\u009b31m\u202e\u2028\u2069`;
  for (const list of [`{"web": ["20.0.0.0/24", "${hostile}"]}`, `{"${hostile}": ["20.0.0.0/24", "1.x"]}`]) {
    assert.throws(
      () => importer(list),
      (error: Error) => {
        assert.ok(error.message.includes(hostile), error.message);
        // oxlint-disable-next-line no-control-regex -- they are what it looks for
        assert.doesNotMatch(error.message, /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        return true;
      },
    );
  }
});

/**
 * Reads the long texts in a separate process, which the system ends after a limit of processor seconds; returns how it
 * ended.
 */
function readLongTexts(importers: "ours" | "quadratic"): string | number | null {
  const program = fileURLToPath(new URL("./read-long-texts.ts", import.meta.url));
  const { status, signal, stderr } = spawnSync(
    "sh",
    ["-c", `ulimit -t ${SECONDS}; exec "$0" "$@"`, process.execPath, program, importers],
    { encoding: "utf8" },
  );
  assert.doesNotMatch(stderr, /Error/);
  return signal ?? status;
}

/**
 * Several times what all texts take together, and a small fraction of what one text takes if it is read again from each
 * of its characters.
 */
const SECONDS = 15;

const noLimit = process.platform === "win32" && "there is no ulimit";

test("long texts take time linear in their length", { skip: noLimit }, () => {
  assert.equal(readLongTexts("ours"), 0);
});

// It uses all of the seconds.
test("negative control: an importer that backtracks at every character", { skip: noLimit || onlyLong() }, () => {
  assert.match(String(readLongTexts("quadratic")), /^SIG(KILL|XCPU)$|^(137|152)$/);
});
