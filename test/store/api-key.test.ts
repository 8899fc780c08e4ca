import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { digestOfApiKey, isApiKeyText, isSameDigest, makeApiKey } from "../../src/store/records/api-key.ts";

test("a key is ips_, 32 random URL-safe characters and a checksum; only its digest and its beginning are kept", () => {
  const { text, digest, start } = makeApiKey();
  assert.match(text, /^ips_[A-Za-z0-9_-]{32}[A-Za-z0-9]{6}$/);
  assert.equal(encodeURIComponent(text), text);
  assert.ok(isApiKeyText(text));
  assert.equal(digest, createHash("sha256").update(text).digest("base64url"));
  assert.equal(digestOfApiKey(text), digest);
  assert.equal(start, text.slice(0, 8));
});

test("a fixed key keeps its checksum across releases", () => {
  assert.ok(isApiKeyText("ips_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1XpTG1"));
});

test("10,000 keys are different, and so are their digests", () => {
  const keys = Array.from({ length: 10_000 }, makeApiKey);
  assert.equal(new Set(keys.map(({ text }) => text)).size, keys.length);
  assert.equal(new Set(keys.map(({ digest }) => digest)).size, keys.length);
});

test("every single typo is detected: a changed, lost, doubled or swapped character", () => {
  const { text } = makeApiKey();
  let typos = 0;
  const refuse = (typo: string) => {
    if (typo === text) return;
    assert.ok(!isApiKeyText(typo), typo);
    typos++;
  };
  for (let at = 0; at < text.length; at++) {
    for (const character of "AZaz09_- é/\0") refuse(text.slice(0, at) + character + text.slice(at + 1));
    refuse(text.slice(0, at) + text.slice(at + 1));
    refuse(text.slice(0, at) + text[at] + text.slice(at));
    refuse(text.slice(0, at) + (text[at + 1] ?? "") + text[at] + text.slice(at + 2));
  }
  assert.ok(typos > 500);
  for (const other of ["", "ips_", text.toUpperCase(), ` ${text}`, `${text}\n`, text.repeat(2), text.slice(4)])
    refuse(other);
});

test("digests are compared completely", () => {
  const { digest } = makeApiKey();
  assert.ok(isSameDigest(digest, `${digest}`));
  assert.ok(!isSameDigest(digest, makeApiKey().digest));
  assert.ok(!isSameDigest(digest, digest.slice(1)));
  assert.ok(!isSameDigest(digest, "é"));
});
