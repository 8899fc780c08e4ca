/** What formats say of themselves: help, media types and the choices of the API follow from it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import type { Format } from "../../src/formats/format.ts";
import { FORMATS } from "../../src/formats/formats.ts";
import { exportRules, RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";

const NOW = Date.UTC(2026, 5, 1);
const rulesOf = (...texts: string[]) =>
  texts.map((text) => ({ prefix: parsePrefix(text), name: null, expiresAt: null, createdAt: NOW, updatedAt: NOW }));
const BOTH = rulesOf("198.51.100.0/24", "2001:db8::/48");

function jsonTypeOf(text: string): string | undefined {
  const parses = (json: string): boolean => {
    try {
      return JSON.parse(json) !== undefined;
    } catch {
      return false;
    }
  };
  if (
    text
      .trimEnd()
      .split("\n")
      .every((line) => line.startsWith("{") && parses(line))
  )
    return "application/x-ndjson";
  return parses(text) ? "application/json" : undefined;
}

test("each says what it is for, and of what type its files are", () => {
  const types = /^(text\/(plain|csv|dns|tab-separated-values)|application\/(json|x-ndjson|yaml|octet-stream))$/;
  for (const [name, { about, kinds, mediaType, isBinary = false }] of Object.entries(FORMATS) as [string, Format][]) {
    assert.match(about, /^[A-Za-z].{3}/, name);
    assert.ok(kinds.length > 0 && kinds.every((kind) => ["rules", "catalogue"].includes(kind)), name);
    assert.match(mediaType, types, name);
    assert.equal(mediaType === "application/octet-stream", isBinary, name);
  }
  for (const format of RULE_EXPORT_FORMATS) {
    const type = jsonTypeOf([...exportRules(BOTH.slice(0, 1), format, { now: NOW })].join(""));
    const { mediaType } = FORMATS[format];
    assert.equal(type, mediaType.includes("json") ? mediaType : undefined, format);
  }
});

test("lists of both families are rejected by those whose files have one family", () => {
  const rejecting = RULE_EXPORT_FORMATS.filter((format) => {
    try {
      return [...exportRules(BOTH, format, { now: NOW })].length === 0;
    } catch (error) {
      return /has addresses of one family/.test((error as Error).message);
    }
  });
  assert.deepEqual(rejecting, ["aws-prefix-list", "aws-waf", "firewalld", "gcp-address-group"]);
});
