import assert from "node:assert/strict";
import { test } from "node:test";
import { EXPORT_FORMATS } from "../../src/cbs/export-catalogue.ts";
import { FEED_FORMATS } from "../../src/cti/import-feed.ts";
import { RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import { chosen } from "../../src/words/chosen.ts";

test("a choice has its own name first, then further ones; all others are unknown", () => {
  for (const [word, choices, expected] of [
    ["plain", RULE_EXPORT_FORMATS, "text"],
    ["jsonl", RULE_EXPORT_FORMATS, "ndjson"],
    ["ndjson", EXPORT_FORMATS, "jsonl"],
    ["text", FEED_FORMATS, "list"],
    ["plain", FEED_FORMATS, "list"],
    ["plain", ["text", "plain"], "plain"],
    ["jsonl", ["ndjson", "jsonl"], "jsonl"],
    ["4", [4, 6], 4],
    ["list", RULE_EXPORT_FORMATS, undefined],
    ["Plain", RULE_EXPORT_FORMATS, undefined],
    ["constructor", RULE_EXPORT_FORMATS, undefined],
    ["plain", EXPORT_FORMATS, undefined],
  ] as const)
    assert.equal(chosen<string | number>(word, choices), expected, word);
});
