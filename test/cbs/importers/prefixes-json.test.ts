import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { googleCloud } from "../../../src/cbs/importers/google-cloud.ts";
import { anyPrefixesJson, prefixesJson } from "../../../src/cbs/importers/prefixes-json.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

describe('the "prefixes" JSON of crawlers', () => {
  const googlebot = prefixesJson({ service: { id: "googlebot", name: "Googlebot" } });

  test("IPv6 first, expanded, six digits of a second and no zone", () => {
    const list = googlebot(`{
    "creationTime": "2026-08-20T14:46:45.000000",
    "prefixes": [
        {
            "ipv6Prefix": "2001:4860:4801:10::/64"
        },
        {
            "ipv4Prefix": "66.249.64.0/27"
        }
    ]
}`);
    assert.deepEqual(entriesOf(list), ["2001:4860:4801:10::/64 googlebot", "66.249.64.0/27 googlebot"]);
    assert.deepEqual(
      [list.publishedAt, list.version, namesOf(list)],
      ["2026-08-20T14:46:45.000Z", null, { googlebot: "Googlebot" }],
    );
  });

  test("all on one line, a zone, no newline at the end, CRLF, a byte order mark", () => {
    for (const text of [
      '{"creationTime": "2026-04-29T21:03:15.207621", "prefixes": [{"ipv4Prefix": "192.0.2.0/28"}]}',
      '{"creationTime":"2026-04-29T21:03:15.207Z","prefixes":[\r\n{ "ipv4Prefix": "192.0.2.0/28" }\r\n]}\r\n',
      '\ufeff{"creationTime":"2026-04-29T23:03:15.207+02:00","prefixes":[{"ipv4Prefix":"192.0.2.0/28","note":"new"}]}',
    ]) {
      const list = prefixesJson()(text);
      assert.deepEqual([entriesOf(list), list.publishedAt], [["192.0.2.0/28 -"], "2026-04-29T21:03:15.207Z"]);
    }
  });

  test("times with a zone without a colon, in words, and without seconds; members that do not apply as null", () => {
    for (const [time, utc] of [
      ["2023-11-14T20:00:00+0000", "2023-11-14T20:00:00.000Z"],
      ["2023-11-14 21:30:00-0130", "2023-11-14T23:00:00.000Z"],
      ["2023-11-14 20:00:00 UTC", "2023-11-14T20:00:00.000Z"],
      ["2023-11-14T20:15Z", "2023-11-14T20:15:00.000Z"],
    ] as const) {
      const list = prefixesJson()(
        `{"creationTime":"${time}","prefixes":[{"ipv4Prefix":"192.0.2.0/28","ipv6Prefix":null},{"ipv4Prefix":null,"ipv6Prefix":"2001:db8::/32"}]}`,
      );
      assert.deepEqual(
        [entriesOf(list), list.publishedAt, list.warnings],
        [["192.0.2.0/28 -", "2001:db8::/32 -"], utc, []],
      );
    }
  });

  test("without a time, and with a malformed one", () => {
    assert.equal(prefixesJson()('{"prefixes":[{"ipv4Prefix":"192.0.2.0/28"}]}').publishedAt, null);
    for (const time of ['"yesterday"', "7", '"2026-13-01"', '["2026-08-20"]']) {
      const list = prefixesJson()(`{"creationTime":${time},"prefixes":[{"ipv4Prefix":"192.0.2.0/28"}]}`);
      assert.deepEqual(
        [list.publishedAt, list.warnings.map(({ code, position }) => [code, position])],
        [null, [["time", "$.creationTime"]]],
      );
    }
  });

  test("a key twice: the error names it", () => {
    assert.throws(() => prefixesJson()('{"prefixes":[{"ipv4Prefix":1,"ipv4Prefix":2}]}'), /the key "ipv4Prefix" is a/);
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["no list", '{"creationTime":"2026-01-01"}', "bad-shape", "$.prefixes"],
    ["an object for a list", '{"prefixes":{}}', "bad-shape", "$.prefixes"],
    ["an empty list", '{"prefixes":[]}', "empty", "line 1"],
    ["an item with nothing but null", '{"prefixes":[{"ipv4Prefix":null}]}', "bad-shape", "$.prefixes[0]"],
    [
      "all of the internet",
      '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv4Prefix":"0.0.0.0/0"}]}',
      "bad-prefix",
      "$.prefixes[1].ipv4Prefix",
    ],
    ["a text for an item", '{"prefixes":["192.0.2.0/24"]}', "bad-shape", "$.prefixes[0]"],
    [
      "a key of another publisher",
      '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"IPv4Prefix":"192.0.2.0/24"}]}',
      "bad-shape",
      "$.prefixes[1]",
    ],
    ["a number for a prefix", '{"prefixes":[{"ipv4Prefix":7}]}', "bad-shape", "$.prefixes[0].ipv4Prefix"],
    ["a list for a prefix", '{"prefixes":[{"ipv4Prefix":["192.0.2.0/24"]}]}', "bad-shape", "$.prefixes[0].ipv4Prefix"],
    [
      "a prefix that is none",
      '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8:::/32"}]}',
      "bad-prefix",
      "$.prefixes[1].ipv6Prefix",
    ],
    [
      "IPv6 under the key of IPv4",
      '{"prefixes":[{"ipv4Prefix":"2001:db8::/32"}]}',
      "bad-prefix",
      "$.prefixes[0].ipv4Prefix",
    ],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(prefixesJson(), list));
});

describe("its relatives", () => {
  test("Google Cloud: a service, a scope, a token that is a text of milliseconds; global is no region", () => {
    const list = googleCloud(`{"syncToken": "1787299542583", "creationTime": "2026-08-21T01:05:42.583377", "prefixes": [
      {"ipv4Prefix": "34.1.208.0/20", "service": "Google Cloud", "scope": "africa-south1"},
      {"ipv6Prefix": "2600:1900::/35", "service": "Google Cloud", "scope": "us-new1"},
      {"ipv4Prefix": "34.96.64.0/18", "service": "Google Cloud", "scope": "global"}]}`);
    assert.deepEqual(entriesOf(list), [
      "34.1.208.0/20 google-cloud@africa-south1",
      "2600:1900::/35 google-cloud@us-new1",
      "34.96.64.0/18 google-cloud",
    ]);
    assert.deepEqual(namesOf(list), {
      "google-cloud": "Google Cloud",
      "africa-south1": "Johannesburg",
      "us-new1": "us-new1",
    });
    assert.deepEqual([list.publishedAt, list.version], ["2026-08-21T01:05:42.583Z", "1787299542583"]);
    assertRefused(googleCloud, [
      "no scope",
      '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","service":"x"}]}',
      "bad-shape",
      "$.prefixes[0].scope",
    ]);
  });

  test("Exoscale: a capital I, and a zone; the same prefix in several", () => {
    const exoscale = prefixesJson({ ipv4: "IPv4Prefix", ipv6: "IPv6Prefix", regionMember: "zone" });
    const list = exoscale(
      '{"prefixes":[{"IPv4Prefix":"192.0.2.0/24","zone":"de-fra-1"},{"IPv6Prefix":"2001:db8::/32","zone":"de-fra-1"},{"IPv6Prefix":"2001:db8::/32","zone":"at-vie-1"}]}',
    );
    assert.deepEqual(entriesOf(list), ["192.0.2.0/24 @de-fra-1", "2001:db8::/32 @de-fra-1", "2001:db8::/32 @at-vie-1"]);
    assert.deepEqual(list.warnings, []);
    assertRefused(exoscale, [
      "a small i",
      '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","zone":"x"}]}',
      "bad-shape",
      "$.prefixes[0]",
    ]);
  });

  test("Intercom: other names, a service and a region", () => {
    const intercom = prefixesJson({
      items: "ip_ranges",
      either: "range",
      serviceMember: "service",
      regionMember: "region",
    });
    const list = intercom(
      '{"ip_ranges":[{"range":"192.0.2.1/32","region":"US","service":"INTERCOM-OUTBOUND"}],"date":"2026-01-29"}',
    );
    assert.deepEqual(
      [entriesOf(list), list.publishedAt],
      [["192.0.2.1 intercom-outbound@us"], "2026-01-29T00:00:00.000Z"],
    );
    assertRefused(intercom, [
      "a service that is no text",
      '{"ip_ranges":[{"range":"192.0.2.1","region":"US","service":7}]}',
      "bad-shape",
      "$.ip_ranges[0].service",
    ]);
  });

  test("CDN77: one key for both families", () => {
    assert.deepEqual(
      entriesOf(
        prefixesJson({ either: "prefix" })('{"prefixes":[{"prefix":"192.0.2.0/26"},{"prefix":"2001:db8::/32"}]}'),
      ),
      ["192.0.2.0/26 -", "2001:db8::/32 -"],
    );
  });
});

describe("the generic form", () => {
  test("an array of texts or objects, or an object with such an array", () => {
    const expected = ["192.0.2.0/24 -", "2001:db8::/32 -"];
    for (const text of [
      '["192.0.2.0/24", "2001:db8::/32"]',
      '[{"cidr": "192.0.2.0/24"}, {"ip_address": "2001:db8::/32"}]',
      '{"prefixes": ["192.0.2.0/24", {"IPv6Prefix": "2001:db8::/32"}]}',
      '{"prefixes": [{"ipv4Prefix": "192.0.2.0/24", "ipv6Prefix": "2001:db8::/32"}]}',
    ])
      assert.deepEqual(entriesOf(anyPrefixesJson()(text)), expected, text);
  });

  test("each of the usual names of a prefix, a service and a region, in any case", () => {
    const prefixes =
      "prefix ip_prefix ipv4_prefix ipv6_prefix ipv4prefix ipv6prefix cidr range network ip_address address ip";
    for (const [names, expected] of [
      [prefixes, "192.0.2.0/24 -"],
      ["service product", "192.0.2.0/24 it"],
      ["region scope zone location", "192.0.2.0/24 @it"],
    ] as const)
      for (const name of names.split(" ").flatMap((each) => [each, each.toUpperCase()])) {
        const item = names === prefixes ? { [name]: "192.0.2.0/24" } : { cidr: "192.0.2.0/24", [name]: "it" };
        assert.deepEqual(entriesOf(anyPrefixesJson()(JSON.stringify([item]))), [expected], name);
      }
  });

  test("services and regions under the usual names", () => {
    const list = anyPrefixesJson()(
      '{"updated":"2026-01-02","prefixes":[{"ip_prefix":"192.0.2.0/24","Service":"EC2","region":"us-east-1"},{"prefix":"192.0.2.0/25","scope":"global"}]}',
    );
    assert.deepEqual(
      [entriesOf(list), list.publishedAt],
      [["192.0.2.0/24 ec2@us-east-1", "192.0.2.0/25 -"], "2026-01-02T00:00:00.000Z"],
    );
  });

  const bad: BadList[] = [
    ...NO_JSON.filter(([what]) => !["number", "null", "text"].some((kind) => what.endsWith(kind))),
    ["a number", "7", "bad-shape", "$"],
    ["an object without a list", '{"list":["192.0.2.0/24"]}', "bad-shape", "$.prefixes"],
    ["an empty array", "[]", "empty", "line 1"],
    ["an item that is a number", '["192.0.2.0/24", 7]', "bad-shape", "$[1]"],
    ["an item without a prefix", '[{"name":"x"}]', "bad-shape", "$[0]"],
    ["a prefix that is none", '{"prefixes":[{"cidr":"192.0.2.0/33"}]}', "bad-prefix", "$.prefixes[0].cidr"],
    ["a region that is no text", '[{"cidr":"192.0.2.0/24","region":["eu"]}]', "bad-shape", "$[0].region"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(anyPrefixesJson(), list));
});
