import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { AS_SOURCE, Catalogue, type CatalogueSource } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { claimedCrawler, CrawlerJudge, crawlersIn, mayNameCrawler } from "../../src/cbs/crawler-verdict.ts";
import { CRAWLERS } from "../../src/cbs/crawlers.ts";
import { SOURCES } from "../../src/cbs/importers/sources.ts";
import { userAgentOf } from "../../src/cbs/user-agent-of.ts";
import { freeze } from "../../src/table/freeze.ts";
import { rounds } from "../rounds.ts";
import { crawlerLog, freshCatalogue } from "./crawler-log.ts";

const NOW = Date.parse("2026-11-28T00:00:00Z");
const DAY = 86_400_000;

function source(id: string, days: number, more: Partial<CatalogueSource> = {}): CatalogueSource {
  const nothing = { version: null, url: null, license: null, attribution: null, publishedAt: null, changedAt: null };
  return { id, name: id, ...nothing, fetchedAt: new Date(NOW - days * DAY).toISOString(), ...more };
}

const GOOGLE = ["googlebot", "special-crawlers", "user-triggered-fetchers", "user-triggered-fetchers-google"];

/** Google's lists, `days` old; prefixes of other lists and AS numbers beside them. */
function catalogueOf(days: number, more: Partial<CatalogueSource> = {}, lists: readonly string[] = GOOGLE): Catalogue {
  const builder = new CatalogueBuilder();
  const add = (prefix: string, id: string, key: string): void => void builder.add(parsePrefix(prefix), id, key);
  for (const [at, list] of lists.entries()) add(`66.249.${64 + at}.0/27`, `/bot/google/${list}`, "googlebot");
  add("157.55.39.0/24", "/bot/microsoft/bingbot", "bingbot");
  add("3.0.0.0/16", "/bot/semrush", AS_SOURCE);
  add("8.8.8.0/24", "/saas/google", AS_SOURCE);
  add("54.36.148.0/24", "/bot/ahrefs", AS_SOURCE);
  const sources = [source("googlebot", days, more), source("bingbot", days, more), source(AS_SOURCE, 0)];
  const { trie, metadata } = builder.build({ title: "Test", createdAt: new Date(NOW), sources });
  return new Catalogue(metadata, freeze(trie));
}

const BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const verdict = (catalogue: Catalogue, address: string, agent = BOT) =>
  claimedCrawler(catalogue, address, agent, NOW)?.verdict ?? null;

describe("the crawler that a user agent names", () => {
  test("is verified by its list, an impostor elsewhere", () => {
    const catalogue = catalogueOf(1);
    assert.deepEqual(claimedCrawler(catalogue, "66.249.64.1", BOT, NOW), {
      verdict: "verified",
      name: "Googlebot",
      cbs_id: "/bot/google",
    });
    assert.equal(verdict(catalogue, "66.249.65.1"), "verified", "any list of the operator's will do");
    for (const address of ["192.0.2.1", "157.55.39.1", "66.249.64.32", "2001:db8::1"])
      assert.equal(verdict(catalogue, address), "impostor", address);
    assert.equal(verdict(catalogue, "8.8.8.8"), "unlisted", "another network of the operator proves nothing");
    assert.equal(verdict(catalogue, "192.0.2.1", "curl/8"), null);
    assert.equal(verdict(catalogue, "192.0.2.1", ""), null);
  });

  test("is no impostor by a list that is old, in part, or missing; such a list still verifies", () => {
    for (const [why, catalogue] of [
      ["old", catalogueOf(31)],
      ["in part", catalogueOf(1, { isPartial: true })],
      ["without a date", catalogueOf(1, { fetchedAt: null })],
      ["one of four lists is missing", catalogueOf(1, {}, GOOGLE.slice(0, 3))],
    ] as const) {
      assert.equal(verdict(catalogue, "192.0.2.1"), "unlisted", why);
      assert.equal(verdict(catalogue, "66.249.64.1"), "verified", why);
    }
    assert.equal(verdict(catalogueOf(30), "192.0.2.1"), "impostor", "30 days are not old yet");
    assert.equal(verdict(catalogueOf(1), "192.0.2.1", "AhrefsBot/7.0"), "unlisted", "AS numbers are no list");
    assert.equal(verdict(catalogueOf(1), "54.36.148.1", "AhrefsBot/7.0"), "unlisted");
    assert.equal(verdict(catalogueOf(1), "3.0.0.1", "SemrushBot/7"), "unlisted", "it publishes none");
  });

  test("of several, the one that is verified counts, then one without a verdict", () => {
    const catalogue = catalogueOf(1);
    const both = `${BOT} bingbot/2.0`;
    assert.equal(claimedCrawler(catalogue, "157.55.39.1", both, NOW)?.name, "Bingbot");
    assert.equal(verdict(catalogue, "157.55.39.1", both), "verified");
    assert.equal(verdict(catalogue, "192.0.2.1", both), "impostor");
    assert.equal(verdict(catalogue, "192.0.2.1", `${BOT} YandexBot/3.0`), "unlisted");
  });

  test("is a word of its own, in any case, and not what somebody is like", () => {
    const names = (agent: string) => crawlersIn(agent).map(({ name }) => name);
    assert.deepEqual(names("GOOGLEBOT-Image/1.0"), ["Googlebot"]);
    assert.deepEqual(names("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"), ["GPTBot"]);
    assert.deepEqual(names("MyGooglebot/1.0 not-bingbot"), []);
    assert.deepEqual(names("Safari/601 (Applebot/0.1; like Googlebot)"), ["Applebot"]);
    assert.deepEqual(names("Mozilla/5.0 (Windows NT 10.0) Chrome/120"), []);
  });
});

test("the table of tokens: each once, with documentation, and nodes that lists have", () => {
  const tokens = CRAWLERS.map(({ token }) => token.toLowerCase());
  assert.equal(new Set(tokens).size, tokens.length);
  const roots = new Set(SOURCES.map(({ type, provider }) => `/${type}/${provider}`)).add("/bot/amazon");
  for (const { token, node, complete = [], source: documentation } of CRAWLERS) {
    assert.ok(URL.canParse(documentation), token);
    assert.deepEqual(
      crawlersIn(`Mozilla/5.0 (compatible; ${token}/1.0)`).map((crawler) => crawler.token),
      [token],
    );
    for (const id of node === null ? [] : [node, ...complete])
      assert.ok(roots.has(id.split("/").slice(0, 3).join("/")), `${token}: ${id}`);
  }
});

test("a log made from the bundled lists: no verdict is wrong", async (context) => {
  const catalogue = await freshCatalogue(NOW);
  const judge = new CrawlerJudge(catalogue, NOW);
  const counts = { lines: 0, verified: 0, impostor: 0, unlisted: 0, none: 0, wrong: 0 };
  const lines = rounds({ short: 50_000, long: 1_000_000 });
  for (const { line, expected } of crawlerLog(catalogue, new Random(20_261_128))) {
    const address = parseAddress(line.slice(0, line.indexOf(" ")));
    const actual =
      judge.judge(catalogue.table.lookupAddress(address), crawlersIn(userAgentOf(line)!))?.verdict ?? "none";
    counts.lines++;
    counts[actual]++;
    if (actual !== expected) counts.wrong++;
    if (counts.lines === lines) break;
  }
  context.diagnostic(JSON.stringify(counts));
  assert.equal(counts.wrong, 0);
  assert.ok(counts.verified > lines / 20 && counts.impostor > lines / 20 && counts.unlisted > lines / 20);
});

test("no line that names a crawler is skipped", () => {
  for (const { token } of CRAWLERS)
    for (const line of [`x\t${token}`, `"a ${token.toUpperCase()}"`])
      assert.ok(mayNameCrawler(JSON.stringify({ line })), token);
  assert.ok(mayNameCrawler('{"text":"{\\"ua\\":\\"\\\\u0047ooglebot\\"}"}'), "an escape may hide it");
  assert.ok(!mayNameCrawler('{"text":"Mozilla/5.0 (X11) Chrome/130"}'));
});

test("the user agent of a line: a member of JSON, otherwise the last words in quotes", () => {
  const combined = (tail: string): string => `192.0.2.1 - - [x] "GET /?q=Googlebot HTTP/1.1" 200 5 ${tail}`;
  const cases: readonly (readonly [line: string, agent: string | null])[] = [
    [combined('"-" "Mozilla/5.0 (compatible; bingbot/2.0)"'), "Mozilla/5.0 (compatible; bingbot/2.0)"],
    [combined('"https://x.test/bingbot" "curl/8"'), "curl/8"],
    [combined('"-" "curl/8" "192.0.2.1, 2001:db8::1"'), "curl/8"],
    [combined('"https://x.test/bingbot" "-"'), null],
    [combined('"-" "a \\"quoted\\" word"'), 'a \\"quoted\\" word'],
    [combined('"-" "curl/8" "cut off: Googlebot'), "curl/8"],
    [combined('"-" "curl/8" "cut off: \\"Googlebot\\"'), "curl/8"],
    [combined('"-" "curl/8" "cut off: Googlebot\\'), "curl/8"],
    ["192.0.2.1 Googlebot", null],
    ['{"ip":"192.0.2.1","url":"/Googlebot","user_agent":"curl/8"}', "curl/8"],
    ['{"request":{"headers":{"User-Agent":["curl/8"]}}}', "curl/8"],
    ['{"httpRequest":{"userAgent":"curl/8"}}', "curl/8"],
    ['{"path":"/bingbot"}', null],
  ];
  for (const [line, agent] of cases) assert.equal(userAgentOf(line), agent, line);
});
