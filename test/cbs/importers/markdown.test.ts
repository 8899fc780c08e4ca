import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ibm, ibmDataCenters } from "../../../src/cbs/importers/ibm.ts";
import { pagerdutyPage } from "../../../src/cbs/importers/pagerduty.ts";
import { assertRefused, type BadList, entriesOf, namesOf, NO_JSON } from "./lists.ts";

describe("IBM's page", () => {
  const page = `---
lastupdated: "2025-10-03"
---
# IBM Cloud IP ranges
Allow 10.0.0.0/8 and 161.26.0.0/16.

## Front-end (public) network
{: #front-end-network}

|Data center|City|IP range|
|---|---|---|
|ams03|Amsterdam |159.8.198.0/23|
|sao01|São Paulo |169.57.138.0/23|
{: caption="Front-end (public) network"}

## Load balancer IPs
|Data center|City|IP range|
|:--|:-:|--:|
|dal05|Dallas |50.23.203.0/24  \\n 108.168.157.0/24<br/>173.192.117.0/24 \\n \\n|

### Customer private network space

| City| Data center | Pod | IP range |
|---|---|---|---|
| | ams03 | BCR02 | 10.175.0.0/16  \\n 10.214.0.0/16 |

## Legacy networks
|IP range|
|---|
|216.12.193.9|
`;

  test("tables of several columns, cells joined by two characters or by <br>, private networks left out", () => {
    const list = ibm(page);
    assert.deepEqual(entriesOf(list), [
      "159.8.198.0/23 front-end@ams03",
      "169.57.138.0/23 front-end@sao01",
      "50.23.203.0/24 load-balancer@dal05",
      "108.168.157.0/24 load-balancer@dal05",
      "173.192.117.0/24 load-balancer@dal05",
      "216.12.193.9 legacy",
    ]);
    assert.deepEqual([namesOf(list).sao01, list.warningCounts], ["São Paulo (sao01)", { "left-out": 1 }]);
    assert.deepEqual(entriesOf(ibm(page.replaceAll("\n", "\r\n"))), entriesOf(list));
  });

  test("an unknown table is reported", () => {
    const list = ibm(page.replace("### Customer private network space", "### Satellite"));
    assert.deepEqual(
      list.warnings.map(({ code, position }) => [code, position]),
      [["unknown-member", "line 25"]],
    );
  });

  const table = (header: string, ...rows: string[]) =>
    ["## Legacy networks", header, header.replace(/[^|]+/g, "---"), ...rows].join("\n");
  const bad: BadList[] = [
    ["nothing", "", "empty", "line 1"],
    ["a page without a table", "# IBM\n10.0.0.0/8\n", "empty", "line 1"],
    ["the page as HTML", "<!doctype html>", "web-page", "line 1"],
    ["a row with a cell too many", table("|IP range|", "|192.0.2.0/24|x|"), "bad-shape", "line 4"],
    ["a row cut off", table("|Data center|City|IP range|", "|ams03|Amster"), "bad-shape", "line 4"],
    ["another last column", table("|IP range|Notes|", "|192.0.2.0/24|x|"), "bad-shape", "line 4"],
    [
      "a cell that is no prefix",
      table("|IP range|", "|192.0.2.0/24|", "|192.0.2.0/24, 198.51.100.0/24|"),
      "bad-prefix",
      "line 5",
    ],
    ["a cell without a prefix", table("|IP range|", "|192.0.2.0/24|", "| |"), "bad-shape", "line 5"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(ibm, list));
});

describe("IBM's data centres", () => {
  const centers = (networks: unknown) =>
    JSON.stringify({
      version: "3.0.2",
      last_updated: "10/24/2024",
      data_centers: [{ key: "ams03", city: "Amsterdam", cidr_networks: networks }],
    });

  test("masks and hosts beside a prefix are not prefixes", () => {
    const list = ibmDataCenters(
      centers([
        {
          service: "File & Block",
          cidr_notation: "10.1.243.0/24",
          subnet_mask: "255.255.255.0",
          wildcard_mask: "0.0.0.255",
          first_assignable_host: "10.1.243.1",
        },
      ]),
    );
    assert.deepEqual(
      [entriesOf(list), list.version, namesOf(list).ams03],
      [["10.1.243.0/24 file-block@ams03"], "3.0.2", "Amsterdam (ams03)"],
    );
  });

  const bad: BadList[] = [
    ...NO_JSON,
    ["no data centres", "{}", "bad-shape", "$.data_centers"],
    ["no networks", centers(undefined), "bad-shape", "$.data_centers[0].cidr_networks"],
    ["none at all", centers([]), "empty", "line 1"],
    ["a network that is no object", centers(["10.0.0.0/8"]), "bad-shape", "$.data_centers[0].cidr_networks[0]"],
    [
      "a network without a service",
      centers([{ cidr_notation: "10.0.0.0/8" }]),
      "bad-shape",
      "$.data_centers[0].cidr_networks[0].service",
    ],
    [
      "a network without a prefix",
      centers([{ service: "IMS" }]),
      "bad-shape",
      "$.data_centers[0].cidr_networks[0].cidr_notation",
    ],
    [
      "a centre without a key",
      '{"data_centers":[{"city":"x","cidr_networks":[]}]}',
      "bad-shape",
      "$.data_centers[0].key",
    ],
    [
      "a centre without a city",
      '{"data_centers":[{"key":"x","cidr_networks":[]}]}',
      "bad-shape",
      "$.data_centers[0].city",
    ],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(ibmDataCenters, list));
});

describe("PagerDuty's page", () => {
  const page = `---
tags: [webhooks]
---

# Webhook IPs

The full list of addresses (see 10.0.0.1) is:

### US Service Region

download: [plain](https://example.org/us)

    44.242.69.192
\t52.89.71.166

### EU Service Region

    18.192.91.93`;

  test("indented addresses under the heading of their region", () => {
    const expected = ["44.242.69.192 webhooks@us", "52.89.71.166 webhooks@us", "18.192.91.93 webhooks@eu"];
    assert.deepEqual(entriesOf(pagerdutyPage(page)), expected);
    assert.deepEqual(entriesOf(pagerdutyPage(page.replaceAll("\n", "\r\n"))), expected);
  });

  const bad: BadList[] = [
    ["nothing", "", "empty", "line 1"],
    ["a page without addresses", "# Webhook IPs\n", "empty", "line 1"],
    ["the page as HTML", "<html>", "web-page", "line 1"],
    ["a line of code that is no address", `${page}\n\n    curl example.org\n`, "bad-prefix", "line 20"],
  ];
  for (const list of bad) test(`refused: ${list[0]}`, () => assertRefused(pagerdutyPage, list));
});
