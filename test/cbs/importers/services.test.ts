import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atlassian } from "../../../src/cbs/importers/atlassian.ts";
import { datadog } from "../../../src/cbs/importers/datadog.ts";
import { microsoft365 } from "../../../src/cbs/importers/microsoft365.ts";
import { salesforce } from "../../../src/cbs/importers/salesforce.ts";
import { zscalerCenr } from "../../../src/cbs/importers/zscaler.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

describe("Atlassian", () => {
  const items = (...rows: unknown[]) =>
    JSON.stringify({ creationDate: "2026-06-17T04:08:46.684598", syncToken: 1781669326, items: rows });

  test("a prefix of several products and regions; an IPv6 mask is not an address; global is not a region", () => {
    const list = atlassian(
      items(
        {
          network: "52.82.172.0",
          mask_len: 22,
          cidr: "52.82.172.0/22",
          mask: "255.255.252.0",
          region: ["global"],
          product: ["email"],
          direction: ["egress"],
          perimeter: "commercial",
        },
        {
          network: "2001:db8::",
          mask_len: 36,
          cidr: "2001:db8::/36",
          mask: "ffff:ffff:f000::",
          region: ["us-east-1", "eu-west-1"],
          product: ["jira", "rovo-crawler"],
        },
        { cidr: "192.0.2.0/24", region: [], product: ["jira"] },
        { cidr: "198.51.100.0/24", region: ["us-east-1"], product: [] },
        { cidr: "203.0.113.0/24", region: [], product: [] },
      ),
    );
    assert.deepEqual(entriesOf(list), [
      "52.82.172.0/22 email",
      "2001:db8::/36 jira@us-east-1 jira@eu-west-1 rovo-crawler@us-east-1 rovo-crawler@eu-west-1",
      "192.0.2.0/24 jira",
      "198.51.100.0/24 @us-east-1",
      "203.0.113.0/24 -",
    ]);
    assert.deepEqual([list.version, list.publishedAt], ["1781669326", "2026-06-17T04:08:46.684Z"]);
  });

  test("an older edition, without products and regions", () => {
    const list = atlassian(
      '{"creationDate":"2020-04-16T15:00:01.033183","syncToken":1587049201,"items":[{"network":"192.0.2.0","mask_len":25,"cidr":"192.0.2.0/25","mask":"255.255.255.128"}]}',
    );
    assert.deepEqual(
      [entriesOf(list), list.version, list.publishedAt],
      [["192.0.2.0/25 -"], "1587049201", "2020-04-16T15:00:01.033Z"],
    );
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["no items", "{}", "bad-shape", "$.items"],
    ["empty items", items(), "empty", "line 1"],
    [
      "an item without a prefix",
      items({ region: [], product: [], network: "192.0.2.0" }),
      "bad-shape",
      "$.items[0].cidr",
    ],
    [
      "a region that is no list",
      items({ cidr: "192.0.2.0/24", region: "global", product: [] }),
      "bad-shape",
      "$.items[0].region",
    ],
    [
      "products that are no list",
      items({ cidr: "192.0.2.0/24", region: [], product: {} }),
      "bad-shape",
      "$.items[0].product",
    ],
    [
      "a product that is no text",
      items({ cidr: "192.0.2.0/24", region: [], product: [null] }),
      "bad-shape",
      "$.items[0].product[0]",
    ],
    [
      "a prefix that is none",
      items({ cidr: "192.0.2.0 / 24", region: [], product: [] }),
      "bad-prefix",
      "$.items[0].cidr",
    ],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(atlassian, list));
});

describe("Datadog", () => {
  test("services, locations of a cloud, empty arrays, and global, which is not a service", () => {
    const list = datadog(
      JSON.stringify({
        version: 62,
        modified: "2026-02-24-00-00-00",
        notice: "new",
        agents: { prefixes_ipv4: ["192.0.2.0/24"], prefixes_ipv6: ["2001:db8::/56"] },
        global: { prefixes_ipv4: ["192.0.2.0/24"], prefixes_ipv6: [] },
        synthetics: {
          prefixes_ipv4: ["198.51.100.1/32"],
          prefixes_ipv4_by_location: { "aws:af-south-1": ["198.51.100.1/32"], "gcp:us-east4": [] },
          prefixes_ipv6: [],
          prefixes_ipv6_by_location: {},
          prefixes_of_tomorrow: 7,
        },
      }),
    );
    assert.deepEqual(entriesOf(list), [
      "192.0.2.0/24 agents",
      "2001:db8::/56 agents",
      "192.0.2.0/24 -",
      "198.51.100.1 synthetics",
      "198.51.100.1 synthetics@af-south-1",
    ]);
    assert.deepEqual(
      [list.version, list.publishedAt, namesOf(list)["af-south-1"]],
      ["62", "2026-02-24T00:00:00.000Z", "Africa (Cape Town)"],
    );
    assert.deepEqual(
      list.warnings.map(({ code, position }) => [code, position]),
      [
        ["unknown-member", "$.notice"],
        ["unknown-member", "$.synthetics.prefixes_of_tomorrow"],
      ],
    );
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["no services", '{"version":62}', "empty", "line 1"],
    ["a service that is a list", '{"agents":["192.0.2.0/24"]}', "bad-shape", "$.agents"],
    ["a list that is none", '{"agents":{"prefixes_ipv4":"192.0.2.0/24"}}', "bad-shape", "$.agents.prefixes_ipv4"],
    [
      "locations that are a list",
      '{"a":{"prefixes_ipv4_by_location":["192.0.2.0/24"]}}',
      "bad-shape",
      "$.a.prefixes_ipv4_by_location",
    ],
    [
      "a location that is no list",
      '{"a":{"prefixes_ipv4_by_location":{"aws:x":7}}}',
      "bad-shape",
      '$.a.prefixes_ipv4_by_location["aws:x"]',
    ],
    [
      "a prefix that is none",
      '{"a":{"prefixes_ipv4_by_location":{"aws:x":["192.0.2.0/24",""]}}}',
      "bad-prefix",
      '$.a.prefixes_ipv4_by_location["aws:x"][1]',
    ],
    ["IPv4 among IPv6", '{"a":{"prefixes_ipv6":["192.0.2.0/24"]}}', "bad-prefix", "$.a.prefixes_ipv6[0]"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(datadog, list));
});

describe("Salesforce", () => {
  test("lists in rows like AWS's, with and without IPv6", () => {
    const text = (six: unknown) =>
      JSON.stringify({
        syncToken: "1783342800",
        createDate: "2026-07-06-09-00-00",
        prefixes: [
          { region: "af-south-1", provider: "aws", ip_prefix: ["192.0.2.0/25", "192.0.2.128/25"] },
          { region: "us-central1", provider: "gcp", ip_prefix: ["198.51.100.0/24"] },
        ],
        ipv6_prefixes: six,
      });
    const four = [
      "192.0.2.0/25 hyperforce@af-south-1",
      "192.0.2.128/25 hyperforce@af-south-1",
      "198.51.100.0/24 hyperforce@us-central1",
    ];
    const list = salesforce(text([{ region: "us-west-2", provider: "aws", ipv6_prefix: ["2001:db8::/45"] }]));
    assert.deepEqual(entriesOf(list), [...four, "2001:db8::/45 hyperforce@us-west-2"]);
    assert.deepEqual(
      [list.version, list.publishedAt, namesOf(list)["us-central1"]],
      ["1783342800", "2026-07-06T09:00:00.000Z", "Iowa"],
    );
    assert.deepEqual(entriesOf(salesforce(text(undefined))), four);
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["no list", "{}", "bad-shape", "$.prefixes"],
    ["an empty list", '{"prefixes":[]}', "empty", "line 1"],
    ["AWS's form", '{"prefixes":[{"region":"r","ip_prefix":"192.0.2.0/24"}]}', "bad-shape", "$.prefixes[0].ip_prefix"],
    ["no region", '{"prefixes":[{"ip_prefix":[]}]}', "bad-shape", "$.prefixes[0].region"],
    [
      "a prefix that is none",
      '{"prefixes":[{"region":"r","ip_prefix":["192.0.2.0/24","x"]}]}',
      "bad-prefix",
      "$.prefixes[0].ip_prefix[1]",
    ],
    [
      "IPv4 among IPv6",
      '{"prefixes":[],"ipv6_prefixes":[{"region":"r","ipv6_prefix":["192.0.2.0/24"]}]}',
      "bad-prefix",
      "$.ipv6_prefixes[0].ipv6_prefix[0]",
    ],
    ["IPv6 that is no list", '{"prefixes":[],"ipv6_prefixes":{}}', "bad-shape", "$.ipv6_prefixes"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(salesforce, list));
});

describe("Microsoft 365", () => {
  test("of another cloud: missing addresses as null or left out", () => {
    const list = microsoft365(
      '[{"id":1,"serviceArea":"Exchange","serviceAreaDisplayName":"Exchange Online","ips":["192.0.2.0/24","2001:db8::/32"],"required":true},{"id":2,"serviceArea":"Common","ips":null},{"id":3,"serviceArea":"Skype","urls":["*.example"]}]',
    );
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 exchange", "2001:db8::/32 exchange"]);
  });

  test("CRLF, no newline at the end, entries without addresses, one prefix under several ids", () => {
    const entries = [
      {
        id: 1,
        serviceArea: "Exchange",
        serviceAreaDisplayName: "Exchange Online",
        urls: ["*.outlook.com"],
        ips: ["192.0.2.0/31", "2001:db8::/32"],
        tcpPorts: "80,443",
      },
      {
        id: 2,
        serviceArea: "Exchange",
        serviceAreaDisplayName: "Exchange Online",
        ips: ["192.0.2.0/31"],
        tcpPorts: "143, 587, 993, 995",
      },
      {
        id: 8,
        serviceArea: "Exchange",
        serviceAreaDisplayName: "Exchange Online",
        urls: ["autodiscover.*.onmicrosoft.com"],
      },
      { id: 11, serviceArea: "Skype", ips: ["192.0.2.0/31"] },
    ];
    const list = microsoft365(JSON.stringify(entries, null, 2).replaceAll("\n", "\r\n"));
    assert.deepEqual(entriesOf(list), [
      "192.0.2.0/31 exchange",
      "2001:db8::/32 exchange",
      "192.0.2.0/31 exchange",
      "192.0.2.0/31 skype",
    ]);
    assert.deepEqual(
      [namesOf(list), list.warningCounts],
      [{ exchange: "Exchange Online", skype: "Skype" }, { repeat: 1 }],
    );
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["an object", "{}", "bad-shape", "$"],
    ["host names only", '[{"id":1,"serviceArea":"Exchange","urls":["*.outlook.com"]}]', "empty", "line 1"],
    ["an entry that is no object", "[7]", "bad-shape", "$[0]"],
    ["an entry without an area", '[{"id":1,"ips":["192.0.2.0/24"]}]', "bad-shape", "$[0].serviceArea"],
    ["addresses that are a text", '[{"serviceArea":"A","ips":"192.0.2.0/24"}]', "bad-shape", "$[0].ips"],
    [
      "a host among addresses",
      '[{"serviceArea":"A","ips":["192.0.2.0/24","*.outlook.com"]}]',
      "bad-prefix",
      "$[0].ips[1]",
    ],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(microsoft365, list));
});

describe("Zscaler", () => {
  const city = (rows: unknown, key = "city : Abu Dhabi II") =>
    JSON.stringify({ "zscaler.net": { "continent : EMEA": { [key]: rows } } });
  const row = {
    range: "192.0.2.0/23",
    vpn: "",
    gre: "",
    ext: "",
    hostname: "",
    latitude: "24.453884",
    longitude: "54.377344",
  };
  const emea = '$["zscaler.net"]["continent : EMEA"]';

  test("keys with a label, empty texts, single addresses beside a range, and the list at the top", () => {
    const list = zscalerCenr(
      JSON.stringify({
        "zscaler.net": {
          "continent : EMEA": {
            "city : Abu Dhabi II": [row, { ...row, range: "2001:db8::/40", gre: "198.51.100.12" }],
            "city : São Tomé": [
              { ...row, range: "203.0.113.0/24", ext: "203.0.113.9", vpn: "vpn.example", hostname: "a.example" },
            ],
          },
        },
        svpnIPs: ["2001:db8::197", "198.51.100.56", { range: "198.51.100.128/25" }],
      }),
    );
    assert.deepEqual(entriesOf(list), [
      "192.0.2.0/23 cenr@abu-dhabi-ii",
      "2001:db8::/40 cenr@abu-dhabi-ii",
      "198.51.100.12 gre@abu-dhabi-ii",
      "203.0.113.0/24 cenr@sao-tome",
      "203.0.113.9 ext@sao-tome",
      "2001:db8::197 svpn",
      "198.51.100.56 svpn",
      "198.51.100.128/25 svpn",
    ]);
    assert.equal(namesOf(list)["abu-dhabi-ii"], "Abu Dhabi II");
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["nothing in it", "{}", "empty", "line 1"],
    ["a cloud that is a list", '{"zscaler.net":[]}', "bad-shape", '$["zscaler.net"]'],
    ["a continent without its label", '{"zscaler.net":{"EMEA":{}}}', "bad-shape", '$["zscaler.net"].EMEA'],
    ["a city without its label", city([], "Paris"), "bad-shape", `${emea}.Paris`],
    ["a city that is no list", city({}), "bad-shape", `${emea}["city : Abu Dhabi II"]`],
    ["a row without a range", city([{ gre: "192.0.2.1" }]), "bad-shape", `${emea}["city : Abu Dhabi II"][0].range`],
    ["an empty range", city([{ ...row, range: "" }]), "bad-prefix", `${emea}["city : Abu Dhabi II"][0].range`],
    [
      "a host for an address",
      city([{ ...row, ext: "a.example" }]),
      "bad-prefix",
      `${emea}["city : Abu Dhabi II"][0].ext`,
    ],
    ["a number for an address", city([{ ...row, gre: 7 }]), "bad-shape", `${emea}["city : Abu Dhabi II"][0].gre`],
    ["a bad address at the top", '{"svpnIPs":["192.0.2.1",""]}', "bad-prefix", "$.svpnIPs[1]"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(zscalerCenr, list));
});
