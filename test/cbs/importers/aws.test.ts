import assert from "node:assert/strict";
import { test } from "node:test";
import { aws, tenable } from "../../../src/cbs/importers/aws.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

const text = `{
  "syncToken": "1787433425",
  "createDate": "2026-08-22-21-17-05",
  "prefixes": [
    {"ip_prefix": "3.4.12.4/32", "region": "eu-west-1", "service": "AMAZON", "network_border_group": "eu-west-1"},
    {"ip_prefix": "64.252.64.0/18", "region": "GLOBAL", "service": "CLOUDFRONT", "network_border_group": "GLOBAL"},
    {"ip_prefix": "64.252.81.0/24", "region": "sa-east-1", "service": "CLOUDFRONT", "network_border_group": "sa-east-1"},
    {"ip_prefix": "52.94.76.0/22", "region": "us-west-2", "service": "AMAZON", "network_border_group": "us-west-2"},
    {"ip_prefix": "52.94.76.0/22", "region": "us-west-2", "service": "EC2", "network_border_group": "us-west-2-lax-1"},
    {"ip_prefix": "52.94.76.0/22", "region": "us-west-2", "service": "NEW_THING", "network_border_group": "us-west-2"}
  ],
  "ipv6_prefixes": [
    {"ipv6_prefix": "2600:1f14:802:7300::/56", "region": "eusc-de-east-1", "service": "AURORA_DSQL", "network_border_group": "x"}
  ]
}`;

test("AWS: one prefix under several services, GLOBAL, no newline at the end", () => {
  const list = aws(text);
  assert.deepEqual(entriesOf(list), [
    "3.4.12.4 amazon@eu-west-1",
    "64.252.64.0/18 cloudfront",
    "64.252.81.0/24 cloudfront@sa-east-1",
    "52.94.76.0/22 amazon@us-west-2",
    "52.94.76.0/22 ec2@us-west-2",
    "52.94.76.0/22 new_thing@us-west-2",
    "2600:1f14:802:7300::/56 aurora_dsql@eusc-de-east-1",
  ]);
  assert.deepEqual([list.publishedAt, list.version, list.warnings], ["2026-08-22T21:17:05.000Z", "1787433425", []]);
  const { ec2, new_thing, "us-west-2": oregon } = namesOf(list);
  assert.deepEqual([ec2, new_thing, oregon], ["Amazon EC2", "NEW_THING", "US West (Oregon)"]);
});

test("AWS: an edition of 2014, without IPv6 and border groups", () => {
  const list = aws(
    '{"syncToken":"1416435608","createDate":"2014-11-19-22-20-08","prefixes":[{"ip_prefix":"192.0.2.0/24","region":"us-west-1","service":"AMAZON"}]}',
  );
  assert.deepEqual(
    [entriesOf(list), list.publishedAt],
    [["192.0.2.0/24 amazon@us-west-1"], "2014-11-19T22:20:08.000Z"],
  );
});

const row = (member: string, prefix: unknown, more = '"region":"r","service":"s"') =>
  `{"${member}":${JSON.stringify(prefix)},${more}}`;
const lists = (four: string, six = "") => `{"prefixes":[${four}],"ipv6_prefixes":[${six}]}`;
const bad: BadList[] = [
  ...NO_JSON,
  ["no IPv4 array", '{"ipv6_prefixes":[]}', "bad-shape", "$.prefixes"],
  ["empty arrays", lists(""), "empty", "line 1"],
  ["a row that is no object", lists('"192.0.2.0/24"'), "bad-shape", "$.prefixes[0]"],
  ["a row without a prefix", lists('{"region":"r","service":"s"}'), "bad-shape", "$.prefixes[0].ip_prefix"],
  [
    "a row without a service",
    lists(row("ip_prefix", "192.0.2.0/24", '"region":"r"')),
    "bad-shape",
    "$.prefixes[0].service",
  ],
  [
    "a row without a region",
    lists(row("ip_prefix", "192.0.2.0/24", '"service":"s"')),
    "bad-shape",
    "$.prefixes[0].region",
  ],
  ["a list for a prefix", lists(row("ip_prefix", ["192.0.2.0/24"])), "bad-shape", "$.prefixes[0].ip_prefix"],
  ["IPv6 among IPv4", lists(row("ip_prefix", "2001:db8::/32")), "bad-prefix", "$.prefixes[0].ip_prefix"],
  [
    "a prefix that is none",
    lists(row("ip_prefix", "192.0.2.0/24"), row("ipv6_prefix", "2001:db8::/129")),
    "bad-prefix",
    "$.ipv6_prefixes[0].ipv6_prefix",
  ],
];
for (const list of bad) test(`AWS rejected: ${list[0]}`, () => assertRefused(aws, list));

test("Tenable: rows like AWS's, and arrays of their own for public authorities", () => {
  const list = tenable(
    `{"syncToken": "1774955404.950218", "createDate": "2026-03-31 11:10:04.950218+00:00", "additionalInfo": "x",
      "prefixes": [{"ip_prefix": "192.0.2.0/25", "region": "eu-west-1", "service": "tenable-scanners"}],
      "ipv6_prefixes": [{"ipv6_prefix": "2001:db8::/56", "region": "eu-west-1", "service": "tenable-scanners"}],
      "fedramp_prefixes": [{"ip_prefix": "192.0.2.200/32", "region": "static", "service": "tenable-scanners"}],
      "fedramp_ipv6_prefixes": [{"ipv6_prefix": "2001:db8:1::/64", "region": "static", "service": "tenable-scanners"}]}`,
  );
  assert.deepEqual(entriesOf(list), [
    "192.0.2.0/25 tenable-scanners@eu-west-1",
    "2001:db8::/56 tenable-scanners@eu-west-1",
    "192.0.2.200 tenable-scanners@static",
    "2001:db8:1::/64 tenable-scanners@static",
  ]);
  assert.deepEqual([list.publishedAt, list.warnings], ["2026-03-31T11:10:04.950Z", []]);
  assertRefused(tenable, ["no array for authorities", '{"prefixes": []}', "bad-shape", "$.fedramp_prefixes"]);
});
