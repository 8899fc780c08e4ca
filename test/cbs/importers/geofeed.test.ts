import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { geofeed } from "../../../src/cbs/importers/geofeed.ts";
import { vultr } from "../../../src/cbs/importers/vultr.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

describe("a geofeed (RFC 8805)", () => {
  test("of comments, a header in a comment, an empty postal code, IPv6 first", () => {
    const text =
      "# self-published\n# Last modified: 2026-01-29\n# ip_prefix, alpha2code, region, city, postal_code\n2001:db8::/32,US,US-TX,Richardson,\n192.0.2.0/24,FR,FR-13,Marseille,\n";
    const list = geofeed()(text);
    assert.deepEqual(entriesOf(list), ["2001:db8::/32 @us-tx", "192.0.2.0/24 @fr-13"]);
    assert.deepEqual(namesOf(list), {
      "us-tx": "Richardson, US-TX, United States",
      "fr-13": "Marseille, FR-13, France",
    });
    assert.deepEqual(list.warnings, []);
  });

  test("with spaces in postal codes, non-ASCII cities, CRLF, no newline at the end", () => {
    const list = geofeed()("192.0.2.0/24,NL,NL-NH,Amsterdam,1098 XH\r\n198.51.100.0/24,CM,CM-CE,Yaoundé,");
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 @nl-nh", "198.51.100.0/24 @cm-ce"]);
    assert.equal(namesOf(list)["cm-ce"], "Yaoundé, CM-CE, Cameroon");
  });

  test("placeholder and empty regions stand for the country", () => {
    const list = geofeed()("192.0.2.0/24,PH,PH-00,Manila,\n198.51.100.0/24,PH,,,\n203.0.113.0/24,ph\n");
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 @ph", "198.51.100.0/24 @ph", "203.0.113.0/24 @ph"]);
    assert.deepEqual([namesOf(list), list.warnings], [{ ph: "Philippines" }, []]);
  });

  test("a prefix counts even if its location is unknown or unreadable", () => {
    const list = geofeed()(
      "192.0.2.0/24\n198.51.100.0/24,,,,\n203.0.113.0/25,None\n203.0.113.128/25,US,CA-ON,Toronto,\n",
    );
    assert.deepEqual(entriesOf(list), [
      "192.0.2.0/24 -",
      "198.51.100.0/24 -",
      "203.0.113.0/25 -",
      "203.0.113.128/25 @us",
    ]);
    assert.deepEqual(
      list.warnings.map(({ code, position }) => [code, position]),
      [
        ["location", "line 3"],
        ["location", "line 4"],
      ],
    );
  });

  test("a region with few cities is named after them", () => {
    const rows = (...cities: string[]) =>
      geofeed()(cities.map((city, at) => `192.0.2.${at},US,US-CA,${city},`).join("\n"));
    assert.equal(namesOf(rows("San Jose", "Fremont", "San Jose"))["us-ca"], "Fremont / San Jose, US-CA, United States");
    assert.equal(namesOf(rows("A", "B", "C", "D"))["us-ca"], "US-CA, United States");
    assert.equal(namesOf(rows(""))["us-ca"], "US-CA, United States");
  });

  test("a header without #, and quotes, as other publishers write them", () => {
    assert.deepEqual(
      entriesOf(
        geofeed()('ip_prefix,country,region,city,postal\n"192.0.2.0/24","DE","DE-HE","Frankfurt, Main","60341"\n'),
      ),
      ["192.0.2.0/24 @de-he"],
    );
  });

  test("a header with any names, CRLF, spaces, single addresses, lower-case codes, comments after rows, rows of commas", () => {
    for (const header of ["ip_prefix", "IP Range", "network/subnet", "prefix-v4"]) {
      const list = geofeed()(
        `\ufeff${header},country,region,city,postal\r\n192.0.2.0/24 , us , us-ca , "San Jose, CA" , 95101 # main\r\n,,,,\r\n198.51.100.7,de,,,\r\n2001:db8::1,,,,`,
      );
      assert.deepEqual(entriesOf(list), ["192.0.2.0/24 @us-ca", "198.51.100.7 @de", "2001:db8::1 -"]);
      assert.deepEqual(list.warnings, []);
    }
  });

  const bad: BadList[] = [
    ["a header of addresses that are none", "fe80,US,,,\n10.1,US,,,\n", "bad-prefix", "line 2"],
    ["a first row that is no header", "192.0.2,US,,,\n", "bad-prefix", "line 1"],
    ["nothing", "\n", "empty", "line 1"],
    ["comments only", "# ip_prefix\n", "empty", "line 1"],
    ["a header behind the first row", "192.0.2.0/24,US,,,\nprefix,US,,,\n", "bad-prefix", "line 2"],
    ["a row without a prefix", "192.0.2.0/24,US,,,\n,US,US-CA,Fremont,\n", "bad-prefix", "line 2"],
    ["a prefix that is none", "192.0.2.0/24,US,,,\r\n\r\n192.0.2.0/x,US,,,\r\n", "bad-prefix", "line 3"],
    ["a quote that nothing closes", '192.0.2.0/24,US,US-CA,"San\nJose,\n', "bad-csv", "line 1"],
    ["a web page", "<!doctype html>", "web-page", "line 1"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(geofeed(), list));
});

describe("a geofeed as JSON", () => {
  test("has the same regions", () => {
    const list = vultr(
      JSON.stringify({
        description: "feed",
        asn: 20473,
        updated: "2026-08-21T10:00:00Z",
        subnets: [
          { ip_prefix: "192.0.2.0/24", alpha2code: "US", region: "US-NJ", city: "Piscataway", postal_code: "08854" },
          { ip_prefix: "2001:db8::/32", alpha2code: "JP", region: "", city: "" },
        ],
      }),
    );
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 @us-nj", "2001:db8::/32 @jp"]);
    assert.deepEqual(namesOf(list), { "us-nj": "Piscataway, US-NJ, United States", jp: "Japan" });
    assert.equal(list.publishedAt, "2026-08-21T10:00:00.000Z");
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["no list", "{}", "bad-shape", "$.subnets"],
    ["an empty list", '{"subnets":[]}', "empty", "line 1"],
    ["a row that is no object", '{"subnets":["192.0.2.0/24"]}', "bad-shape", "$.subnets[0]"],
    ["a row without a prefix", '{"subnets":[{"city":"x"}]}', "bad-shape", "$.subnets[0].ip_prefix"],
    ["a prefix that is none", '{"subnets":[{"ip_prefix":"x"}]}', "bad-prefix", "$.subnets[0].ip_prefix"],
    [
      "a region that is no text",
      '{"subnets":[{"ip_prefix":"192.0.2.0/24","region":7}]}',
      "bad-shape",
      "$.subnets[0].region",
    ],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(vultr, list));
});
