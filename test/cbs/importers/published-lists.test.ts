import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { decodeList } from "../../../src/cbs/importers/decode-list.ts";
import { geofeed } from "../../../src/cbs/importers/geofeed.ts";
import { ibm, ibmDataCenters } from "../../../src/cbs/importers/ibm.ts";
import { ImportError } from "../../../src/cbs/importers/import-error.ts";
import type { ImportedList, Importer } from "../../../src/cbs/importers/imported-list.ts";
import { keyedLists } from "../../../src/cbs/importers/keyed-lists.ts";
import { pagerdutyPage } from "../../../src/cbs/importers/pagerduty.ts";
import { GENERIC_IMPORTERS, SOURCES } from "../../../src/cbs/importers/sources.ts";
import { MANIFEST, noPublishedLists, PUBLISHED } from "../published-lists.ts";

/** A row of the manifest: the number of strings that parse, and of distinct ones, by family. */
interface Counted {
  readonly path: string;
  readonly ipv4: number;
  readonly ipv6: number;
  readonly distinct4: number;
  readonly distinct6: number;
}

function readManifest(): Counted[] {
  const sections = readFileSync(MANIFEST, "utf8").split(/^### /m).slice(1);
  return sections.flatMap((section) => {
    const [, provider, file] = /^(\S+) \/ `(.+)`/.exec(section) ?? [];
    const counts = /^- prefixes: (\d+) v4 \/ (\d+) v6 \((\d+)\/(\d+) distinct/m.exec(section)?.slice(1).map(Number);
    if (provider === undefined || counts === undefined) return [];
    const [ipv4, ipv6, distinct4, distinct6] = counts as [number, number, number, number];
    return [{ path: `${provider}/${file}`, ipv4, ipv6, distinct4, distinct6 }];
  });
}

const asn = keyedLists({ only: ["IPv4Prefixes", "IPv6Prefixes"] });
const sourceImporters = new Map(
  SOURCES.flatMap(({ files }) => files.map(({ path, importer }): [string, Importer] => [path, importer])),
);
const importerOf = (path: string): Importer => sourceImporters.get(path)!;

/**
 * Files read by the importer of another name, or that belong to no source: other editions, and lists made by third
 * parties.
 */
const OTHER_NAMES: Readonly<Record<string, Importer>> = {
  "applebot/applebot.json": importerOf("applebot/applebot.json"),
  "azure/ServiceTags_AzureGovernment_20260720.json": importerOf("azure/ServiceTags_AzureGovernment.json"),
  "azure/ServiceTags_China_20260720.json": importerOf("azure/ServiceTags_China.json"),
  "digitalocean/google-2025-07.csv": importerOf("digitalocean/google.csv"),
  "microsoft365/worldwide-2026-noipv6.json": importerOf("microsoft365/worldwide.json"),
  "pagerduty/11-Webhook-IPs.md": pagerdutyPage,
  "salesforce/hyperforce-sample.json": importerOf("salesforce/ip-ranges.json"),
  "zoom/zoom_ips.txt": importerOf("zoom/Zoom.txt"),
  // Made by others from a publisher's list or from routing data, in a format that is read too.
  "alibaba/as-prefixes.json": asn,
  "apple-private-relay/ip-ranges-merged.txt": GENERIC_IMPORTERS.text!,
  "aws/aws-geofeed-generated.csv": geofeed(),
  "flyio/as40509.json": asn,
  "hetzner/as24940.json": asn,
  "ibm/as36351.json": asn,
  "meta/as32934-ipv4.txt": GENERIC_IMPORTERS.text!,
  "meta/as32934-ipv6.txt": GENERIC_IMPORTERS.text!,
  "microsoft365/misp-microsoft-office365-ip.json": keyedLists({ only: ["list"] }),
  ...Object.fromEntries(
    ["ipv6-linklocal", "multicast", "rfc1918", "rfc3849", "rfc5735", "rfc6598"].map((name) => [
      `special-use/${name}.json`,
      keyedLists({ only: ["list"] }),
    ]),
  ),
  "ovh/as16276.json": asn,
  "tencent/as-prefixes.json": asn,
  "vultr/vultr-as20473.json": asn,
  "vultr/vultr-prefixes-derived.csv": GENERIC_IMPORTERS.csv!,
};

/** Files whose import does not match the manifest's counts, each with the reason and what holds instead. */
const EXCEPTIONS: Readonly<Record<string, { readonly why: string; check(text: string, counted: Counted): void }>> = {
  "ibm/ips.md": {
    why: "the manifest counts every address on the page: also of the private networks, and in prose and change logs; the three tables of public networks are imported",
    check(text, counted) {
      const list = ibm(text);
      // The addresses in tables of private networks and outside all tables, as the manifest counts them.
      const leftOut = list.warnings.filter(({ code }) => code !== "left-out");
      assert.deepEqual(leftOut, []);
      assert.equal(addressesIn(text), counted.ipv4);
      const tables = text
        .split(/^## /m)
        .filter((section) =>
          /^(Front-end \(public\) network|Load balancer IPs|Legacy networks)$/m.test(section.split("\n")[0]!),
        );
      assert.equal(tables.length, 3);
      assert.deepEqual(countsOf(list), { ipv4: 90, ipv6: 0, distinct4: 90, distinct6: 0 });
      assert.equal(
        tables.map(addressesIn).reduce((sum, count) => sum + count, 0),
        90,
      );
    },
  },
  "ibm/datacenters.json": {
    why: "the manifest counts every text that looks like an address: masks, wildcard masks, first and last hosts beside each prefix, and each prefix twice",
    check(text, counted) {
      const list = ibmDataCenters(text);
      const centers = (JSON.parse(text) as { data_centers: Record<string, { cidr_blocks?: string[] }[]>[] })
        .data_centers;
      const blocks = centers.flatMap((center) =>
        Object.values(center).flatMap((value) =>
          Array.isArray(value) ? value.flatMap(({ cidr_blocks = [] }) => cidr_blocks) : [],
        ),
      );
      const { ipv4, distinct4 } = countsOf(list);
      assert.equal(
        ipv4 + blocks.length + 10_782,
        counted.ipv4,
        "prefixes by network, prefixes by kind, and what is none",
      );
      assert.deepEqual(
        new Set(list.entries.map(({ prefix }) => formatPrefix(prefix))),
        new Set(blocks.map((block) => block.replace(/\/32$/, ""))),
      );
      assert.ok(distinct4 <= counted.distinct4);
    },
  },
  "microsoft365/misp-microsoft-office365.json": {
    why: "host names only",
    check: (text) => refused(keyedLists({ only: ["list"] }), text, "bad-prefix", "$.list[0]"),
  },
  "slack/Slack-unofficial.txt": {
    why: "host names, made by hand; Slack publishes no addresses",
    check: (text) => refused(GENERIC_IMPORTERS.text!, text, "bad-prefix", "line 11, column 1"),
  },
  "zoom/Zoom-unofficial.txt": {
    why: "host names and prefixes, made by hand",
    check: (text) => refused(GENERIC_IMPORTERS.text!, text, "bad-prefix", "line 6, column 1"),
  },
  "zoom/zoom-fortigate.txt": {
    why: "a firewall's configuration",
    check: (text) => refused(GENERIC_IMPORTERS.text!, text, "bad-prefix", "line 1, column 1"),
  },
};

function refused(importer: Importer, text: string, code: string, position: string): void {
  assert.throws(
    () => importer(text),
    (error) => error instanceof ImportError && error.code === code && error.position === position,
  );
}

function addressesIn(text: string): number {
  return [...text.matchAll(/\d+\.\d+\.\d+\.\d+/g)].length;
}

function countsOf({ entries }: ImportedList): Omit<Counted, "path"> {
  const of = (family: 4 | 6): string[] =>
    entries.filter(({ prefix }) => prefix.family === family).map(({ prefix }) => formatPrefix(prefix));
  return { ipv4: of(4).length, ipv6: of(6).length, distinct4: new Set(of(4)).size, distinct6: new Set(of(6)).size };
}

describe("published lists", { skip: noPublishedLists }, () => {
  const manifest =
    noPublishedLists === false ? readManifest().filter(({ path }) => existsSync(join(PUBLISHED, path))) : [];

  test("are all in the manifest", (context) => {
    context.diagnostic(`${manifest.length} lists in ${PUBLISHED}`);
    assert.ok(manifest.length >= 60);
  });

  for (const { path, ...counts } of manifest) {
    const text = decodeList(readFileSync(join(PUBLISHED, path)));
    const exception = EXCEPTIONS[path];
    if (exception !== undefined) {
      test(`${path}: ${exception.why}`, () => exception.check(text, { path, ...counts }));
      continue;
    }
    test(`${path}: ${counts.ipv4} IPv4 and ${counts.ipv6} IPv6 prefixes`, () => {
      const importer = OTHER_NAMES[path] ?? sourceImporters.get(path);
      assert.ok(importer !== undefined, "no importer reads it");
      const list = importer(text);
      assert.deepEqual(countsOf(list), counts);
      assert.equal(list.warningCounts["host-bits"], undefined, "no published prefix has host bits");
      assert.equal(list.warningCounts["unknown-member"], undefined);
    });
  }

  test("the three rows of DigitalOcean without a location count as rows without one", () => {
    const { warnings } = importerOf("digitalocean/google.csv")(
      decodeList(readFileSync(join(PUBLISHED, "digitalocean/google.csv"))),
    );
    assert.deepEqual(
      warnings.map(({ code, position }) => [code, position]),
      [
        ["location", "line 743"],
        ["location", "line 744"],
        ["location", "line 1105"],
      ],
    );
  });
});
