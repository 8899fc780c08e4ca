import assert from "node:assert/strict";
import { test } from "node:test";
import { findLink } from "../../src/update/find-link.ts";
import { UpdateError } from "../../src/update/update-error.ts";

const PAGE = "https://www.publisher.test/details?id=1";
const LINK = /\/ServiceTags_Public_\d{8}\.json$/;
const html = (...urls: string[]): string =>
  `<html>${urls.map((url) => `<a href="${url}" class="x">download</a>`).join("\n")}</html>`;

test("the newest of several, from any folder, even in a script", () => {
  const [old, newest] = [
    "https://files.publisher.test/z/ServiceTags_Public_20261109.json",
    "https://files.publisher.test/a/ServiceTags_Public_20261116.json",
  ];
  assert.equal(
    findLink(
      html("https://elsewhere.test/", newest, old, "https://files.publisher.test/ServiceTags_China_20261123.json"),
      PAGE,
      LINK,
    ),
    newest,
  );
  assert.equal(findLink(`<script>window.details={"name":"x","url":"${old}"}</script>`, PAGE, LINK), old);
});

const REFUSED: readonly [what: string, page: string, message: RegExp][] = [
  [
    "a page without the link",
    html("https://files.publisher.test/other.json"),
    /^https:\/\/www\.publisher\.test\/details\?id=1 no longer links to a list/,
  ],
  [
    "a link of another publisher",
    html("https://evil.test/ServiceTags_Public_20261116.json"),
    /links to https:\/\/evil\.test\/.*, which is not https or not on publisher\.test/,
  ],
  [
    "a host that only begins like it",
    html("https://publisher.test.evil.test/ServiceTags_Public_20261116.json"),
    /not on publisher\.test/,
  ],
  [
    "a host that only ends like it",
    html("https://evilpublisher.test/ServiceTags_Public_20261116.json"),
    /not on publisher\.test/,
  ],
  ["a link in cleartext", html("http://files.publisher.test/ServiceTags_Public_20261116.json"), /is not https/],
  [
    "the name in the query",
    html("https://files.publisher.test/?/ServiceTags_Public_20261116.json"),
    /no longer links to a list/,
  ],
  [
    "a newer one elsewhere",
    html(
      "https://files.publisher.test/ServiceTags_Public_20261109.json",
      "https://evil.test/ServiceTags_Public_20261116.json",
    ),
    /evil\.test/,
  ],
];
for (const [what, page, message] of REFUSED) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => findLink(page, PAGE, LINK),
      (error: unknown) => error instanceof UpdateError && error.code === "link" && message.test(error.message),
    );
  });
}

test("a malicious page takes time linear in its length", () => {
  for (const piece of ['"https://', '"', "https://a", '"https://publisher.test/ServiceTags_Public_', '"https://x"']) {
    assert.throws(() => findLink(piece.repeat((8 << 20) / piece.length), PAGE, LINK), UpdateError);
  }
});
