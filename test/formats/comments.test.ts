/** Comments name a deployment; nothing in its name becomes part of the list. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parsePrefix } from "../../src/address/prefix.ts";
import { commentOf } from "../../src/formats/comment.ts";
import type { Format } from "../../src/formats/format.ts";
import { FORMATS } from "../../src/formats/formats.ts";
import {
  canComment,
  exportRules,
  RULE_EXPORT_FORMATS,
  type RuleExportFormat,
} from "../../src/rulesets/export-rules.ts";
import { codePoint } from "../code-points.ts";
import { hostileNames } from "./hostile-rules.ts";

const NOW = Date.UTC(2026, 5, 1);
const RULES = ["192.0.2.1", "198.51.100.0/24"].map((text) => ({ prefix: parsePrefix(text), expiresAt: null }));
/** How a comment is written next to each entry. */
const WITH_ENTRIES: Partial<Record<RuleExportFormat, (comment: string) => string>> = {
  csv: (comment) => `,${comment},\n`,
  "ranges-csv": (comment) => `,${comment},\n`,
  json: (comment) => `"name":"${comment}"`,
  ndjson: (comment) => `"name":"${comment}"`,
  paloalto: (comment) => ` ${comment}`,
  mikrotik: (comment) => ` comment="${comment}"`,
  checkpoint: (comment) => `,AB,${comment}\n`,
  "cloudflare-list": (comment) => `,"comment":"${comment}"`,
};

/** In formats with names, the comment is the name of each rule. */
function listOf(format: RuleExportFormat, comment?: string): string {
  const rules = RULES.map((rule) => ({ ...rule, name: comment ?? null, createdAt: NOW, updatedAt: NOW }));
  return [...exportRules(rules, format, { setName: "list", now: NOW, ...(comment && { comment }) })].join("");
}

const anyName = fc.oneof(
  fc.constantFrom(
    ...hostileNames,
    "a\n10.0.0.0/8",
    "a\r\n0.0.0.0/0",
    "a\u2028b",
    "*/ deny all",
    "",
    " ",
    "é".repeat(200),
  ),
  fc.string({ unit: codePoint, maxLength: 100 }),
);

test("in every format a comment contains no character that ends it, and is never empty", () => {
  fc.assert(
    fc.property(anyName, (name) => assert.match(commentOf(name), /^[A-Za-z0-9][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*$/)),
    { seed: 20_261_125, numRuns: 5000 },
  );
  assert.equal(commentOf("Bürgerbüro; Nord\n10.0.0.0/8"), "Burgerburo Nord 10.0.0.0 8");
});

describe("apart from the comment, a list is the same as without comments", () => {
  // In MMDB it is a name, as mmdb.test.ts reads them.
  for (const format of RULE_EXPORT_FORMATS.filter((each) => canComment(each) && each !== "mmdb"))
    test(format, () => {
      const plain = listOf(format);
      fc.assert(
        fc.property(anyName, (name) => {
          const comment = commentOf(name);
          const commented = listOf(format, comment);
          const { comments } = FORMATS[format] as Format<"rules">;
          if (comments !== "entries") return assert.equal(commented, `${comments} ${comment}\n${plain}`);
          assert.equal(commented.split(WITH_ENTRIES[format]!(comment)).length, RULES.length + 1);
          assert.equal(commented.split("\n").length, plain.split("\n").length);
        }),
        { seed: 20_261_125, numRuns: 50 },
      );
    });
});

test("formats without comments are unchanged", () => {
  const others = RULE_EXPORT_FORMATS.filter((format) => !canComment(format));
  assert.ok(others.includes("aws-waf") && others.includes("fortinet"));
  for (const format of others) assert.deepEqual(listOf(format, "Some comment"), listOf(format), format);
});
