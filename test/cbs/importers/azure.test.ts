import assert from "node:assert/strict";
import { test } from "node:test";
import { azure } from "../../../src/cbs/importers/azure.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

const tag = (name: string, region: string, systemService: string, addressPrefixes: unknown) => ({
  name,
  id: name,
  properties: {
    changeNumber: 1,
    region,
    regionId: 0,
    platform: "Azure",
    systemService,
    addressPrefixes,
    networkFeatures: null,
  },
});
const cloud = (...values: unknown[]) => JSON.stringify({ changeNumber: 398, cloud: "Public", values });

test("Azure: a dot is not always a region; base tags and regional ones; both families in one array", () => {
  const list = azure(
    cloud(
      tag("Storage", "", "AzureStorage", ["192.0.2.0/24", "2001:db8::/32"]),
      tag("Storage.CanadaCentral", "canadacentral", "AzureStorage", ["192.0.2.0/25"]),
      tag("Storage.BrazilSoutheast", "brazilse", "AzureStorage", ["198.51.100.1/32"]),
      tag("AzureFrontDoor.Frontend", "", "", ["203.0.113.0/24"]),
      tag("AzureCloud.brazilse", "brazilse", "", ["198.51.100.0/24"]),
      tag("AzureCloud.eastus2euap", "eastus2euap", "", []),
      tag("Sql.EastUS2EUAP", "eastus2euap", "AzureSQL", ["203.0.113.7/32"]),
      tag("AzureCloud.newregion", "newregion", "", ["203.0.113.128/25"]),
    ),
  );
  assert.deepEqual(entriesOf(list), [
    "192.0.2.0/24 storage",
    "2001:db8::/32 storage",
    "192.0.2.0/25 storage@canadacentral",
    "198.51.100.1 storage@brazilse",
    "203.0.113.0/24 azurefrontdoor.frontend",
    "198.51.100.0/24 azurecloud@brazilse",
    "203.0.113.7 sql@eastus2euap",
    "203.0.113.128/25 azurecloud@newregion",
  ]);
  assert.deepEqual(namesOf(list), {
    storage: "Storage",
    canadacentral: "Canada Central",
    brazilse: "Brazil Southeast",
    "azurefrontdoor.frontend": "AzureFrontDoor.Frontend",
    azurecloud: "AzureCloud",
    sql: "Sql",
    eastus2euap: "East US 2 EUAP",
    newregion: "newregion",
  });
  assert.equal(list.version, "398");
});

test("Azure: as the service tag API responds, with a change number as text and without a missing region", () => {
  const list = azure(
    JSON.stringify({
      changeNumber: "63",
      cloud: "Public",
      name: "public",
      values: [
        { name: "A", properties: { region: null, addressPrefixes: ["192.0.2.0/24"] } },
        { name: "B", properties: { addressPrefixes: ["198.51.100.0/24"] } },
      ],
    }),
  );
  assert.deepEqual([entriesOf(list), list.version], [["192.0.2.0/24 a", "198.51.100.0/24 b"], "63"]);
});

const bad: BadList[] = [
  ...NO_JSON,
  ["no values", "{}", "bad-shape", "$.values"],
  ["no tags", cloud(), "empty", "line 1"],
  ["a tag without properties", cloud({ name: "A" }), "bad-shape", "$.values[0].properties"],
  ["a tag without a name", cloud({ properties: { region: "", addressPrefixes: [] } }), "bad-shape", "$.values[0].name"],
  ["a region that is no text", cloud(tag("A", 7 as never, "", [])), "bad-shape", "$.values[0].properties.region"],
  ["a tag without prefixes", cloud(tag("A", "", "", undefined)), "bad-shape", "$.values[0].properties.addressPrefixes"],
  [
    "a prefix that is none",
    cloud(tag("A", "", "", ["192.0.2.0/24", "192.0.2.0/24;"])),
    "bad-prefix",
    "$.values[0].properties.addressPrefixes[1]",
  ],
  ["null for a prefix", cloud(tag("A", "", "", [null])), "bad-shape", "$.values[0].properties.addressPrefixes[0]"],
];
for (const list of bad) test(`Azure rejected: ${list[0]}`, () => assertRefused(azure, list));
