import assert from "node:assert/strict";
import { test } from "node:test";
import { oracle } from "../../../src/cbs/importers/oracle.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

const regions = (cidrs: unknown) =>
  JSON.stringify({
    last_updated_timestamp: "2026-07-27T06:55:33.696145",
    regions: [{ region: "mx-monterrey-1", cidrs }],
  });

test("Oracle: a prefix belongs to the service of each of its tags", () => {
  const list = oracle(
    regions([
      { cidr: "192.0.2.0/24", tags: ["OCI"] },
      { cidr: "198.51.100.0/24", tags: ["OSN", "OBJECT_STORAGE"] },
      { cidr: "203.0.113.0/24", tags: [] },
    ]),
  );
  assert.deepEqual(entriesOf(list), [
    "192.0.2.0/24 oci@mx-monterrey-1",
    "198.51.100.0/24 osn@mx-monterrey-1 object_storage@mx-monterrey-1",
    "203.0.113.0/24 @mx-monterrey-1",
  ]);
  assert.deepEqual(
    [list.publishedAt, namesOf(list)["mx-monterrey-1"], namesOf(list).osn],
    ["2026-07-27T06:55:33.696Z", "Monterrey (mx-monterrey-1)", "Oracle Services Network"],
  );
});

const bad: BadList[] = [
  ...NO_JSON,
  ["no regions", "{}", "bad-shape", "$.regions"],
  ["an empty region", regions([]), "empty", "line 1"],
  ["a region without a name", '{"regions":[{"cidrs":[]}]}', "bad-shape", "$.regions[0].region"],
  ["a region without a list", '{"regions":[{"region":"x"}]}', "bad-shape", "$.regions[0].cidrs"],
  ["no tags", regions([{ cidr: "192.0.2.0/24" }]), "bad-shape", "$.regions[0].cidrs[0].tags"],
  [
    "a tag that is no text",
    regions([{ cidr: "192.0.2.0/24", tags: [7] }]),
    "bad-shape",
    "$.regions[0].cidrs[0].tags[0]",
  ],
  ["no prefix", regions([{ tags: ["OCI"] }]), "bad-shape", "$.regions[0].cidrs[0].cidr"],
  ["a prefix that is none", regions([{ cidr: "192.0.2", tags: ["OCI"] }]), "bad-prefix", "$.regions[0].cidrs[0].cidr"],
];
for (const list of bad) test(`Oracle rejected: ${list[0]}`, () => assertRefused(oracle, list));
