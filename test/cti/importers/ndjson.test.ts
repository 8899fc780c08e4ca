import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recordOf } from "../../../src/cti/fields.ts";
import { assertSkipped, type BadLine, readFeed } from "../feeds.ts";

/** Every member of an extended document. */
const FULL = {
  ip: "192.0.2.10",
  seen: true,
  spoofable: false,
  classification: "malicious",
  actor: "Nobody",
  tags: ["ssh", "scanner", "ssh"],
  rdns: "host.example",
  first_seen: "2026-01-02",
  last_seen: "2026-06-17T23:30:00-02:00",
  active_days: 12,
  tag_ids: ["t1"],
  cve: ["CVE-2021-44228"],
  src: {
    asn: { number: 64500, name: "EXAMPLE" },
    geo: { country: { code: "DE", name: "Germany" }, continent: { code: "EU", name: "Europe" }, city: "Köln" },
  },
  network: { ports: [443, 22, 443], non_spoofable_ports: [22] },
  fingerprints: { muonfp: ["64240:2-4-8"], ja3: ["aa"], ja4: ["t13d"] },
  http: { path: ["/.env", "/a|b"], user_agent: ["curl/8", "x\ny"] },
};

describe("NDJSON", () => {
  test("every member of the contract", () => {
    const { entries, report } = readFeed(`${JSON.stringify(FULL)}\n`);
    assert.deepEqual(report.warnings, []);
    assert.deepEqual(entries, [
      [
        "192.0.2.10",
        {
          spoofable: false,
          classification: "malicious",
          actor: "Nobody",
          tags: ["scanner", "ssh"],
          rdns: "host.example",
          firstSeen: Date.UTC(2026, 0, 2) / 86_400_000,
          lastSeen: Date.UTC(2026, 5, 18) / 86_400_000,
          activeDays: 12,
          tagIds: ["t1"],
          cve: ["CVE-2021-44228"],
          asnNumber: 64500,
          asnName: "EXAMPLE",
          countryCode: "DE",
          countryName: "Germany",
          continentCode: "EU",
          continentName: "Europe",
          city: "Köln",
          ports: [22, 443],
          nonSpoofablePorts: [22],
          muonfp: ["64240:2-4-8"],
          ja3: ["aa"],
          ja4: ["t13d"],
          httpPaths: ["/.env", "/a|b"],
          userAgents: ["curl/8", "x\ny"],
        },
      ],
    ]);
  });

  test("null means unknown everywhere; empty lines; pieces of any size", () => {
    const text =
      '{"ip":"192.0.2.1","spoofable":null,"src":null,"http":{"path":null},"tags":null,"first_seen":null}\r\n\n {"ip":"2001:db8::/32"}';
    for (const pieceLength of [Infinity, 1, 10])
      assert.deepEqual(readFeed(text, {}, pieceLength).entries, [
        ["192.0.2.1", {}],
        ["2001:db8::/32", {}],
      ]);
  });

  test("Spamhaus DROP as JSON: cidr, unknown members, a line about the list", () => {
    const text =
      '{"cidr":"1.10.16.0/20","sblid":"SBL256894","rir":"apnic"}\n{"cidr":"1.19.0.0/16","sblid":"SBL434604","rir":"apnic"}\n{"type":"metadata","timestamp":1,"records":2}\n';
    const { entries, report } = readFeed(text, { defaults: recordOf({ tags: ["drop"] }) });
    assert.deepEqual(entries, [
      ["1.10.16.0/20", { tags: ["drop"] }],
      ["1.19.0.0/16", { tags: ["drop"] }],
    ]);
    assert.deepEqual(
      report.warnings.map(({ message, count, line }) => [message.split(" ")[0], count, line]),
      [
        ['"sblid"', 2, 1],
        ['"rir"', 2, 1],
        ["a", 1, 3],
      ],
    );
  });

  test("the caller's values fill in missing ones; tags are added", () => {
    const defaults = recordOf({ tags: ["b"], classification: "malicious", actor: "they", spoofable: true });
    const { entries } = readFeed(
      '{"ip":"192.0.2.1","tags":["a","c"],"classification":"benign","spoofable":false}\n{"ip":"192.0.2.2"}\n',
      { defaults },
    );
    assert.deepEqual(entries, [
      ["192.0.2.1", { tags: ["a", "b", "c"], classification: "benign", actor: "they", spoofable: false }],
      ["192.0.2.2", { tags: ["b"], classification: "malicious", actor: "they", spoofable: true }],
    ]);
  });

  test("a document about an unseen address is left out", () => {
    const { entries, report } = readFeed('{"ip":"192.0.2.1","seen":false}\n{"ip":"192.0.2.2"}\n');
    assert.deepEqual(
      entries.map(([prefix]) => prefix),
      ["192.0.2.2"],
    );
    const message = "a document says that its address was not seen, and is left out";
    assert.deepEqual(report.warnings, [{ message, count: 1, line: 1 }]);
  });

  test("unknown members of a malicious feed do not fill the memory", () => {
    const lines = Array.from({ length: 500 }, (_, i) => `{"ip":"192.0.2.1","x${i}":1}`);
    const { warnings } = readFeed(lines.join("\n")).report;
    assert.equal(warnings.length, 101);
    assert.deepEqual(warnings.at(-1), { message: "more kinds of warnings", count: 400, line: 101 });
  });

  const line = (members: string): string => `{"ip":"192.0.2.1",${members}}\n`;
  const bad: BadLine[] = [
    ["no JSON", '{"ip":"192.0.2.1",}\n', 1, 19, /invalid JSON at "}"; the feed/],
    ["no JSON, and more behind", `[1;${"x".repeat(30)}`, 1, 3, /invalid JSON at ";x{19}"; the feed/],
    ["cut off", '{"ip":"192.0.2.1"}\n{"ip":"192.0.2.2","tags":["a"\n', 2, 30, /the end/],
    ["no object", '{"ip":"192.0.2.1"}\n 7\n', 2, 2, /expected one object per line/],
    ["an array of documents", '[{"ip":"192.0.2.1"}]\n', 1, 1, /jq -c '\.\[\]'/],
    ["a key twice", line('"actor":"a","actor":"b"'), 1, 31, /is a duplicate/],
    ["no address", '{"tags":["a"]}\n', 1, 1, /: neither "ip" nor "cidr" is there; give one/],
    ["two addresses", '{"ip":"192.0.2.1","cidr":"192.0.2.0/24"}\n', 1, 1, /: both "ip" and "cidr" is there; give one/],
    ["an address that is no text", '{"ip":7}\n', 1, 7, /as a string, not 7/],
    ["an address that is long", `{"ip":["${"x".repeat(50)}"]}\n`, 1, 7, /as a string, not \["x{38}$/],
    ["an address that is none", '{"ip": "192.0.2.1/40"}\n', 1, 19, /0 to 32/],
    ["everything", '{"ip":"::/0"}\n', 1, 8, /every address/],
    ["seen that is no boolean", line('"seen":"yes"'), 1, 26, /seen: expected true or false/],
    ["seen that is long", line(`"seen":"${"y".repeat(50)}"`), 1, 26, /seen: expected true or false, not "y{39}$/],
    ["spoofable as text", line('"spoofable":"true"'), 1, 31, /spoofable: expected true, false or null, not "true"/],
    [
      "another classification",
      line('"classification":"evil"'),
      1,
      36,
      /"evil".*unknown, benign, promiscuous, malicious/,
    ],
    ["an actor that is no text", line('"actor":{}'), 1, 27, /expected a string, not an object/],
    ["half a character", line('"actor":"\\ud800"'), 1, 27, /half a surrogate pair/],
    ["tags that are no array", line('"tags":"a"'), 1, 26, /expected an array, not "a"/],
    ["a tag that is no text", line('"tags":["a", 5]'), 1, 32, /tags\[1\]: expected a string, not 5/],
    ["an empty tag", line('"tags":[""]'), 1, 27, /tags\[0\]/],
    ["a date that is none", line('"first_seen":"2026-02-30"'), 1, 32, /"2026-02-30" is not a date/],
    ["a date before 1970", line('"last_seen":"1969-12-31"'), 1, 31, /since 1970/],
    ["a date as a number", line('"last_seen":1750000000'), 1, 31, /a date such as/],
    ["an invalid time", line('"last_seen":"2026-01-01T25:00:00Z"'), 1, 31, /is not a date/],
    ["days that are no count", line('"active_days":1.5'), 1, 33, /whole number from 0/],
    ["an AS number that is none", line('"src":{"asn":{"number":-1}}'), 1, 42, /src\.asn\.number: .*not -1/],
    ["an object that is none", line('"src":{"geo":[]}'), 1, 32, /src\.geo: expected an object/],
    ["a port that is none", line('"network":{"ports":[22,65536]}'), 1, 42, /network\.ports\[1\].*65535/],
    ["not UTF-8", '{"ip":"192.0.2.1","actor":"\ufffd"}\n', 1, 28, /UTF-8/],
  ];
  for (const fault of bad) test(`left out: ${fault[0]}`, () => assertSkipped(fault));

  test("__proto__ and constructor are ordinary unknown members", () => {
    const { entries, report } = readFeed(
      '{"ip":"192.0.2.1","__proto__":{"actor":"x"},"constructor":1,"src":{"__proto__":{}}}\n',
    );
    assert.deepEqual(entries, [["192.0.2.1", {}]]);
    assert.equal(report.warnings.length, 3);
  });
});
