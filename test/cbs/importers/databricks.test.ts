import assert from "node:assert/strict";
import { test } from "node:test";
import { databricks } from "../../../src/cbs/importers/databricks.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

const row = (more: object): object => ({
  platform: "aws",
  region: "eu-west-1",
  service: "Databricks",
  type: "inbound",
  ipv4Prefixes: ["192.0.2.0/25"],
  ipv6Prefixes: [],
  ...more,
});
const listOf = (...prefixes: unknown[]): string =>
  JSON.stringify({ timestampSeconds: 1770871875, schemaVersion: "1.0", prefixes });

test("Databricks: lists of prefixes by type and region, of three clouds", () => {
  const azure = { platform: "azure", region: "westeurope", type: "outbound" };
  const list = databricks(
    listOf(row({ ipv6Prefixes: ["2001:db8::/48"] }), row({ ...azure, ipv4Prefixes: ["192.0.2.9"] })),
  );
  assert.deepEqual(entriesOf(list), [
    "192.0.2.0/25 inbound@eu-west-1",
    "2001:db8::/48 inbound@eu-west-1",
    "192.0.2.9 outbound@westeurope",
  ]);
  const { inbound, "eu-west-1": ireland, westeurope } = namesOf(list);
  assert.deepEqual([inbound, ireland, westeurope], ["Inbound", "Europe (Ireland)", "westeurope"]);
  assert.deepEqual([list.publishedAt, list.warnings], ["2026-02-12T04:51:15.000Z", []]);
});

test("Databricks: without a time, or with one that is none, which is reported", () => {
  for (const [time, count] of [
    ["", undefined],
    ['"timestampSeconds": "now", ', 1],
    ['"timestampSeconds": 1e300, ', 1],
  ] as const) {
    const list = databricks(`{${time}"prefixes": [${JSON.stringify(row({}))}]}`);
    assert.deepEqual([list.publishedAt, list.warningCounts.time], [null, count], time);
  }
});

const bad: BadList[] = [
  ...NO_JSON,
  ["no rows", "{}", "bad-shape", "$.prefixes"],
  [
    "a prefix instead of a list",
    listOf(row({ ipv4Prefixes: "192.0.2.0/24" })),
    "bad-shape",
    "$.prefixes[0].ipv4Prefixes",
  ],
  ["no list of IPv6", listOf(row({ ipv6Prefixes: undefined })), "bad-shape", "$.prefixes[0].ipv6Prefixes"],
  ["the wrong family", listOf(row({ ipv6Prefixes: ["192.0.2.0/24"] })), "bad-prefix", "$.prefixes[0].ipv6Prefixes[0]"],
  ["no region", listOf(row({}), row({ region: null })), "bad-shape", "$.prefixes[1].region"],
  ["no type", listOf(row({ type: 1 })), "bad-shape", "$.prefixes[0].type"],
];
for (const list of bad) test(`Databricks rejected: ${list[0]}`, () => assertRefused(databricks, list));
