import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { identify, identifyText } from "../../src/cbs/identify.ts";
import { addresses, catalogueOf, entries, prefixes } from "./catalogues.ts";
import { missed } from "./missed.ts";

const names = { "/cloud/aws": "Amazon Web Services", "/saas/github": "GitHub" };
const catalogue = catalogueOf(
  [
    ["52.0.0.0/8", "/cloud/aws"],
    ["52.94.0.0/16", "/cloud/aws/by-service/ec2/us-east-1", "/cloud/aws/by-region/us-east-1/ec2"],
    ["52.94.76.0/24", "/cloud/aws/by-service/cloudfront/GLOBAL", "/saas/github/actions"],
    ["2600:1f00::/24", "/cloud/aws"],
  ],
  names,
);

const NO_SOURCE = { source: null, source_updated_at: null };

describe("the contract's lookup document", () => {
  test("of an address in nested prefixes", () => {
    assert.deepEqual(identifyText(catalogue, "52.94.76.9"), {
      ip: "52.94.76.9",
      found: true,
      cidr: "52.94.76.0/24",
      primary: {
        name: "GitHub actions",
        cbs_id: "/saas/github/actions",
        provider: "github",
        type: "saas",
        service: "actions",
        region: null,
        cidr: "52.94.76.0/24",
        source: null,
      },
      labels: [
        "Cloud > Amazon Web Services",
        "Cloud > Amazon Web Services > By region > us-east-1 > ec2",
        "Cloud > Amazon Web Services > By service > cloudfront > GLOBAL",
        "Cloud > Amazon Web Services > By service > ec2 > us-east-1",
        "SaaS > GitHub > actions",
      ],
      cbs_ids: [
        "/cloud/aws",
        "/cloud/aws/by-region/us-east-1/ec2",
        "/cloud/aws/by-service/cloudfront/GLOBAL",
        "/cloud/aws/by-service/ec2/us-east-1",
        "/saas/github/actions",
      ],
      providers: ["aws", "github"],
      types: ["cloud", "saas"],
      services: ["actions", "cloudfront", "ec2"],
      regions: ["us-east-1"],
      matches: [
        {
          provider: "aws",
          type: "cloud",
          service: "cloudfront",
          region: null,
          cidr: "52.94.76.0/24",
          cbs_id: "/cloud/aws/by-service/cloudfront/GLOBAL",
          label: "Cloud > Amazon Web Services > By service > cloudfront > GLOBAL",
          ...NO_SOURCE,
        },
        {
          provider: "github",
          type: "saas",
          service: "actions",
          region: null,
          cidr: "52.94.76.0/24",
          cbs_id: "/saas/github/actions",
          label: "SaaS > GitHub > actions",
          ...NO_SOURCE,
        },
        {
          provider: "aws",
          type: "cloud",
          service: "ec2",
          region: "us-east-1",
          cidr: "52.94.0.0/16",
          cbs_id: "/cloud/aws/by-region/us-east-1/ec2",
          label: "Cloud > Amazon Web Services > By region > us-east-1 > ec2",
          ...NO_SOURCE,
        },
        {
          provider: "aws",
          type: "cloud",
          service: "ec2",
          region: "us-east-1",
          cidr: "52.94.0.0/16",
          cbs_id: "/cloud/aws/by-service/ec2/us-east-1",
          label: "Cloud > Amazon Web Services > By service > ec2 > us-east-1",
          ...NO_SOURCE,
        },
        {
          provider: "aws",
          type: "cloud",
          service: null,
          region: null,
          cidr: "52.0.0.0/8",
          cbs_id: "/cloud/aws",
          label: "Cloud > Amazon Web Services",
          ...NO_SOURCE,
        },
      ],
    });
  });

  test("of a miss", () => {
    assert.deepEqual(identifyText(catalogue, "192.0.2.1"), missed("192.0.2.1"));
  });

  test("its members are in the order of the contract", () => {
    const members = [
      "ip",
      "found",
      "cidr",
      "primary",
      "labels",
      "cbs_ids",
      "providers",
      "types",
      "services",
      "regions",
      "matches",
    ];
    assert.deepEqual(Object.keys(identifyText(catalogue, "52.0.0.1")), members);
    assert.deepEqual(Object.keys(identifyText(catalogue, "52.0.0.1").matches[0]!), [
      "provider",
      "type",
      "service",
      "region",
      "cidr",
      "cbs_id",
      "label",
      "source",
      "source_updated_at",
    ]);
  });

  test("of a prefix: the nodes that cover all of it", () => {
    const whole = identifyText(catalogue, "52.94.0.0/17");
    assert.deepEqual([whole.ip, whole.cidr, whole.services], ["52.94.0.0/17", "52.94.0.0/16", ["ec2"]]);
    assert.equal(identifyText(catalogue, "52.0.0.0/7").found, false);
    assert.equal(identifyText(catalogue, "52.0.0.0/8").found, true);
  });

  test("keeps the text as passed, and treats an IPv4-mapped address as IPv4", () => {
    const mapped = identifyText(catalogue, "::FFFF:52.94.76.9");
    assert.deepEqual([mapped.ip, mapped.cidr], ["::FFFF:52.94.76.9", "52.94.76.0/24"]);
    assert.equal(identifyText(catalogue, "2600:1F00:0::1").cidr, "2600:1f00::/24");
  });
});

test("cached documents are those of their prefix: two families, neighbours and nestings with one match, in alternation", () => {
  const shared = catalogueOf([
    ["10.0.0.0/8", "a"],
    ["a00::/8", "a"],
    ["10.1.0.0/16", "b"],
    ["10.2.0.0/16", "b"],
    ["a00:1::/32", "c"],
    ["a00:2::/32", "c"],
  ]);
  const cidrs = {
    "10.9.9.9": "10.0.0.0/8",
    "a00:9::": "a00::/8",
    "10.1.1.1": "10.1.0.0/16",
    "10.2.1.1": "10.2.0.0/16",
    "a00:1::1": "a00:1::/32",
    "a00:2::1": "a00:2::/32",
    "::": null,
    "192.0.2.1": null,
  };
  for (let turn = 0; turn < 4; turn++) {
    for (const [text, cidr] of Object.entries(cidrs)) {
      const { ip, found, ...rest } = identifyText(shared, text);
      assert.deepEqual([ip, found, rest.cidr, rest.matches[0]?.cidr ?? null], [text, cidr !== null, cidr, cidr]);
    }
  }
  assert.throws(
    () => (identifyText(shared, "10.1.1.1").cbs_ids as string[]).push("x"),
    TypeError,
    "what documents share cannot be changed",
  );
});

test("a malformed text throws; it is never a miss", () => {
  for (const text of [
    "",
    "10.1",
    "52.94.76.009",
    "52.94.76.9 ",
    "52.94.76.9/33",
    "52.94.76.9/8",
    "fe80::1%eth0",
    "[::1]",
    "1.2.3.4:80",
    "::/129",
    "example.org",
  ]) {
    assert.throws(() => identifyText(catalogue, text), { name: "AddressError" }, text);
  }
});

/** The same lookup, answered by a scan of the lines. */
function scan(lines: readonly (readonly [string, ...string[]])[], text: string) {
  const asked = parsePrefix(text, "mask");
  const covering = lines
    .map(([prefix, ...ids]) => ({ prefix: parsePrefix(prefix, "mask"), ids }))
    .filter(({ prefix }) => prefixContains(prefix, asked));
  const pairs = covering.flatMap(({ prefix, ids }) =>
    ids.map((id) => ({ length: prefix.length, text: `${formatPrefix(prefix)} ${id}`, id })),
  );
  const ordered = [...new Map(pairs.map((pair) => [pair.text, pair])).values()].sort(
    (a, b) => b.length - a.length || (a.id < b.id ? -1 : 1),
  );
  return { ids: [...new Set(pairs.map(({ id }) => id))].sort(), matches: ordered.map((pair) => pair.text) };
}

const RUNS = { numRuns: 400, seed: 20260617 };

test("identify equals a scan of all lines", (context) => {
  let found = 0;
  fc.assert(
    fc.property(entries, fc.oneof(addresses, prefixes), (lines, text) => {
      const prefix = parsePrefix(text, "mask");
      const document = identify(catalogueOf(lines), text.includes("/") ? prefix : parseAddress(text), text);
      const expected = scan(lines, text);
      assert.deepEqual(
        document.matches.map(({ cidr, cbs_id }) => `${cidr} ${cbs_id}`),
        expected.matches,
      );
      assert.deepEqual(document.cbs_ids, expected.ids);
      assert.equal(document.found, expected.ids.length > 0);
      assert.equal(document.cidr, document.matches[0]?.cidr ?? null);
      found += Number(document.found);
    }),
    RUNS,
  );
  context.diagnostic(`${RUNS.numRuns} lookups, ${found} found, seed ${RUNS.seed}`);
  assert.ok(found > 50 && found < RUNS.numRuns);
});

test("negative control: the longest prefix alone differs from all covering ones", () => {
  const outcome = fc.check(
    fc.property(entries, addresses, (lines, text) => {
      const cut = catalogueOf(lines);
      const longestOnly = cut.ownNodesOf(cut.table.lookup(text));
      assert.deepEqual(
        longestOnly.map((node) => node.id),
        scan(lines, text).ids,
      );
    }),
    RUNS,
  );
  assert.equal(outcome.failed, true);
});
