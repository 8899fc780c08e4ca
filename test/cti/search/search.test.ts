import assert from "node:assert/strict";
import { test } from "node:test";
import { CtiSearch } from "../../../src/cti/search/cti-search.ts";
import { countedField } from "../../../src/cti/search/field-names.ts";
import { parseQuery, QUERY_LIMITS } from "../../../src/cti/search/parse-query.ts";
import { printQuery } from "../../../src/cti/search/print-query.ts";
import { QueryError, type QueryErrorCode } from "../../../src/cti/search/query-error.ts";
import { finished } from "../../../src/turns/finished.ts";
import { SEARCH_DAY, SEARCH_QUERIES, SEARCHED } from "../../cases/search-queries.ts";
import { searchedDataset } from "./searched-dataset.ts";

const NOON = SEARCH_DAY * 86_400_000 + 43_200_000;

test(`${SEARCH_QUERIES.length} queries find the documents of the table, as written and in canonical form`, () => {
  const search = finished(CtiSearch.opening(searchedDataset(SEARCHED).dataset, null));
  for (const [text, expected] of SEARCH_QUERIES) {
    const canonical = printQuery(parseQuery(text));
    assert.equal(printQuery(parseQuery(canonical)), canonical);
    for (const each of [text, canonical]) {
      const found = finished(search.finding(parseQuery(each), NOON));
      assert.equal([...found.rows()].map((row) => row + 1).join(" "), expected, each);
      for (let skip = 0; skip <= found.count; skip++)
        assert.deepEqual([...found.rows(skip)], [...found.rows()].slice(skip), each);
    }
  }
});

test("the canonical form", () => {
  for (const [text, canonical] of [
    ["port:23", "network.port:23"],
    ["tag : mirai", 'tag:"mirai"'],
    ["tag:'mirai'", 'tag:"mirai"'],
    [`tag:"it's"`, `tag:"it's"`],
    [`tag:'a "b"'`, `tag:'a "b"'`],
    ['tag:"23"', "tag:23"],
    ["tag:07d", 'tag:"07d"'],
    ["tag:7d", "tag:7d"],
    ["last_seen:07d", "last_seen:7d"],
    ['last_seen:"2026-06-17"', "last_seen:2026-06-17"],
    ["ip:'192.0.2.1'", "ip:192.0.2.1"],
    ["2001:db8::/32", "ip:2001:db8::/32"],
    ["as13335", "src.asn.number:13335"],
    ["CVE-2024-3400", 'cve:"CVE-2024-3400"'],
    ["country in (CN,RU)", 'src.geo.country.code IN ("CN", "RU")'],
    ["port:[ 1 to 2 ]", "network.port:[1 TO 2]"],
    ["port>=5", "network.port >= 5"],
    ["tag EXISTS", "tag exists"],
    ["a or b".replaceAll(/[ab]/g, "seen:true"), "seen:true OR seen:true"],
    ["(seen:true AND (seen:true AND seen:true))", "seen:true AND seen:true AND seen:true"],
    ["not(seen:true or seen:false)and seen:true", "NOT (seen:true OR seen:false) AND seen:true"],
    ["NOT (NOT seen:true)", "NOT NOT seen:true"],
    ["(seen:true AND seen:false) OR seen:true", "seen:true AND seen:false OR seen:true"],
  ] as const)
    assert.equal(printQuery(parseQuery(text)), canonical, text);
});

/** A query, the character that is wrong, from 1, the kind of error, and what its message says. */
const BAD: readonly (readonly [text: string, at: number, code: QueryErrorCode, message: RegExp])[] = [
  ["", 1, "syntax", /expected a field.*the query ends/],
  ["   ", 4, "syntax", /expected a field/],
  ["NOT", 4, "syntax", /expected a field/],
  ["AND", 1, "syntax", /expected a field/],
  ["tag:a OR", 9, "syntax", /expected a field.*the query ends/],
  ["(tag:a", 7, "syntax", /"\)" of the "\(" at character 1/],
  ["tag:a)", 6, "syntax", /AND, OR or the end.*it says "\)"/],
  ["tag:a tag:b", 7, "syntax", /AND, OR or the end/],
  ["tag:a ANDD tag:b", 7, "syntax", /did you mean AND\?/],
  ["mirai", 1, "unknown-field", /there is no field "mirai"/],
  ["tga:x", 1, "unknown-field", /did you mean tag\?/],
  ["TAG:x", 1, "unknown-field", /did you mean tag\?/],
  ["tag:a AND contry:DE", 11, "unknown-field", /did you mean country\?/],
  ["tag:a AND (code:DE)", 12, "unknown-field", /did you mean src\.geo\.country\.code\?/],
  ["tag", 4, "syntax", /expected an operator of tag \(: !: ~: !~: = != IN exists not_exists\).*ends/],
  ["tag exsts", 5, "syntax", /did you mean exists\?/],
  ["tag > 5", 5, "bad-operator", /tag \(text\) does not have >/],
  ["seen exists", 6, "bad-operator", /seen \(bool\) does not have exists/],
  ["ip > 1.2.3.4", 4, "bad-operator", /ip \(ip\) does not have >/],
  ["last_seen != 2026-06-17", 11, "bad-operator", /date/],
  ["last_seen IN (2026-06-17)", 11, "bad-operator", /date/],
  ["tag:[a TO b]", 4, "bad-operator", /does not have range/],
  ["tag:", 5, "syntax", /expected a value, but the query ends/],
  ["tag: AND", 6, "syntax", /write it in quotes: "AND"/],
  ['tag:"', 5, "syntax", /no closing "/],
  ["tag:'a\" OR tag:b", 5, "syntax", /no closing '/],
  ['tag:""', 6, "bad-value", /tag takes a value \(or not_exists\), not ""/],
  ['tag~:"-"', 7, "bad-value", /at least one word/],
  ["country IN DE", 12, "syntax", /a list such as \(a, b\)/],
  ["country IN ()", 13, "syntax", /expected a value/],
  ["country IN (DE,)", 16, "syntax", /expected a value/],
  ["country IN (DE NL)", 16, "syntax", /"," or the "\)" of the list/],
  ["port:[1 TO]", 11, "syntax", /expected a value/],
  ["port:[1 2]", 9, "syntax", /expected TO/],
  ["port:[1 TO 2", 13, "syntax", /"\]" of the range/],
  ["port:[9 TO 1]", 7, "bad-value", /write \[1 TO 9\]/],
  ["port:x", 6, "bad-value", /network\.port takes a whole number, not "x"/],
  ["port:1.5", 6, "bad-value", /a whole number/],
  ["port:65536", 6, "bad-value", /a port from 0 to 65535/],
  ["port:-1", 6, "bad-value", /a port from 0 to 65535/],
  ["port IN (1, x)", 13, "bad-value", /a whole number, not "x"/],
  ["asn:AS1", 5, "bad-value", /a whole number/],
  ["active_days:1e999", 13, "bad-value", /a whole number/],
  ["src.geo.latitude > north", 20, "bad-value", /a number/],
  ["seen:TRUE", 6, "bad-value", /true or false, not "TRUE"; did you mean true\?/],
  [
    "classification:malicous",
    16,
    "bad-value",
    /one of unknown, benign, promiscuous, malicious.*did you mean malicious\?/,
  ],
  ["last_seen:yesterday", 11, "bad-value", /a date such as/],
  ["last_seen:2026-02-30", 11, "bad-value", /a date such as/],
  ["last_seen:2026-06-17T25:00:00Z", 11, "bad-value", /a date such as/],
  ["last_seen > 7d", 13, "bad-value", /a date such as/],
  ["last_seen:9999999999d", 11, "bad-value", /last 4,000,000 days/],
  ["ip:192.0.2", 11, "bad-value", /an IPv4 address has four octets/],
  ["ip:192.0.2.1/24", 14, "bad-value", /did you mean 192\.0\.2\.0\/24\?/],
  ["ip:[192.0.2.0/24 TO 192.0.2.255]", 5, "bad-value", /addresses at both ends/],
  ["ip:[192.0.2.0 TO 2001:db8::]", 5, "bad-value", /other family/],
  ["ip:[192.0.2.9 TO 192.0.2.1]", 5, "bad-value", /write \[192\.0\.2\.1 TO 192\.0\.2\.9\]/],
  ["192.0.2.256", 9, "bad-value", /ip takes an address/],
  ["(".repeat(33), 33, "limit", /32 levels of nesting/],
  ["NOT ".repeat(33), 129, "limit", /32 levels of nesting/],
  ["a".repeat(QUERY_LIMITS.characters + 1), QUERY_LIMITS.characters + 1, "limit", /4096 characters/],
  [`port IN (${"1,".repeat(1000)}1)`, 2010, "limit", /1000 values/],
  [`rdns:*a* ${"OR rdns:*a* ".repeat(4)}`, 53, "limit", /4 values with words \(~:\), or with a star before/],
  [`rdns:"${"*a".repeat(65)}"`, 5, "limit", /64 stars/],
  [`rdns:"*${"a".repeat(256)}"`, 5, "limit", /256 characters in a value with stars/],
  [`port>1${" AND port>1".repeat(16)}`, 181, "limit", /16 clauses that compare/],
];

test("what is wrong is said with its position, what was expected, and the nearest name", () => {
  for (const [text, at, code, message] of BAD)
    assert.throws(
      () => parseQuery(text),
      (error) => {
        assert.ok(error instanceof QueryError, `${text}: ${String(error)}`);
        assert.deepEqual([error.code, error.position], [code, at], `${text}: ${error.message}`);
        assert.match(error.message, message);
        return true;
      },
      text,
    );
});

test("no text of these pieces does anything but parse or be refused, wherever it is cut", () => {
  const all = [...SEARCH_QUERIES.map(([text]) => text), ...BAD.map(([text]) => text)];
  for (const text of all.filter(({ length }) => length < 200))
    for (let end = 0; end <= text.length; end++)
      for (const piece of [text.slice(0, end), text.slice(end), `${text.slice(0, end)}\u0000${text.slice(end)}`])
        try {
          const canonical = printQuery(parseQuery(piece));
          assert.equal(printQuery(parseQuery(canonical)), canonical, piece);
        } catch (error) {
          assert.ok(error instanceof QueryError, `${piece}: ${String(error)}`);
          assert.ok(error.position >= 1 && error.position <= piece.length + 1, piece);
        }
});

test("fields to count: by the same words in the command, the API and a query", () => {
  for (const [name, message] of [
    ["tga", 'there is no field "tga"; did you mean tag?'],
    ["country_code", /there is no field "country_code"/],
    ["ip", /an ip of its own/],
    ["\u001b", /there is no field "\\u001b"; the fields are those of documents/],
  ] as const) {
    const refused = countedField(name);
    assert.ok(typeof refused === "string", name);
    if (typeof message === "string") assert.equal(refused, message);
    else assert.match(refused, message);
    if (name === "ip") continue;
    assert.throws(() => parseQuery(`${name}:x`), name === "\u001b" ? QueryError : { code: "unknown-field" });
  }
  const field = countedField("port");
  assert.ok(typeof field !== "string" && field.name === "network.port");
});
