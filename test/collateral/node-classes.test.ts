import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { findCollateral } from "../../src/collateral/find-collateral.ts";
import { classOf, NODE_CLASSES } from "../../src/collateral/node-classes.ts";
import { protectionOf } from "../../src/collateral/protection-of.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { catalogueOf } from "../cbs/catalogues.ts";

test("a node has the class of the closest one above it that has one", () => {
  for (const [id, nodeClass] of Object.entries({
    "/cloud": "rented",
    "/cloud/azure/by-service/AzureCloud/eastus": "rented",
    "/cloud/aws/by-region/eu-west-3/ec2": "rented",
    "/cloud/aws/by-region/eu-west-3/s3": "serving",
    "/cloud/aws/by-region/eu-west-3": "rented",
    "/cloud/aws/by-service/cloudfront": "serving",
    "/cloud/aws/by-service/route53/us-east-1": "serving",
    "/cloud/azure/by-service/azurefrontdoor.frontend": "serving",
    "/cloud/azure/by-region/westeurope/azureactivedirectory": "serving",
    "/saas/github": "serving",
    "/saas/github/web": "serving",
    "/saas/github/actions": "rented",
    "/saas/githubactions": "serving",
    "/cdn/akamai": "serving",
    "/cdn/gcore": "rented",
    "/cdn/akamai/private-relay": "anonymiser",
    "/security/tor/exits": "anonymiser",
    "/security/quad9": "serving",
    "/bot/censys": "scanner",
    "/bot/google/googlebot": "serving",
    "/isp/starlink": "access",
    office: "serving",
  }))
    assert.equal(classOf(id), nodeClass, id);
});

test("Tor, VPNs, relays and scanners may be blocked, one rented machine too; edges, resolvers and crawlers may not", () => {
  const services = new CatalogueTree(
    catalogueOf(
      [
        ["20.0.0.0/11", "/cloud/azure"],
        ["20.1.0.0/16", "/saas/github/actions"],
        ["13.32.0.0/15", "/cloud/aws/by-service/amazon", "/cloud/aws/by-service/cloudfront"],
        ["3.5.140.0/22", "/cloud/aws/by-region/ap-northeast-2/ec2", "/cloud/aws/by-region/ap-northeast-2/s3"],
        ["3.8.0.0/14", "/cloud/aws/by-region/eu-west-2/amazon", "/cloud/aws/by-region/eu-west-2/ec2"],
        ["13.107.246.0/24", "/cloud/azure/by-service/azurefrontdoor.frontend"],
        ["140.82.112.0/20", "/saas/github/web"],
        ["140.82.113.0/24", "/saas/github/web", "/saas/github/actions"],
        ["172.224.0.0/12", "/cdn/akamai"],
        ["92.223.64.0/19", "/cdn/gcore"],
        ["172.224.226.0/27", "/cdn/akamai/private-relay"],
        ["20.2.3.4/32", "/security/tor"],
        ["185.65.134.0/24", "/security/mullvad", "/cloud/m247"],
        ["162.142.125.0/24", "/bot/censys"],
        ["66.249.64.0/19", "/bot/google/googlebot"],
        ["1.1.1.0/24", "/cdn/cloudflare"],
        ["9.9.9.0/24", "/security/quad9"],
        ["73.0.0.0/8", "/isp/comcast"],
      ],
      {},
    ),
  );
  const protection = protectionOf({ services });
  const hits = (text: string): (string | null)[] =>
    findCollateral([parsePrefix(text)], protection).hits.map((hit) => `${hit.id} ${hit.class}`);
  for (const [text, ...expected] of [
    ["20.2.3.4"],
    ["20.1.2.3"],
    ["20.1.2.0/24", "/cloud/azure rented", "/saas/github rented"],
    ["20.2.0.0/16", "/cloud/azure rented"],
    ["13.33.0.1", "/cloud/aws serving"],
    ["13.107.246.10", "/cloud/azure serving"],
    ["3.8.1.1"],
    ["3.8.1.0/24", "/cloud/aws rented"],
    ["140.82.112.3", "/saas/github serving"],
    ["140.82.113.3", "/saas/github serving"],
    ["172.224.226.1"],
    ["92.223.65.7"],
    ["92.223.65.0/24", "/cdn/gcore rented"],
    ["172.224.225.1", "/cdn/akamai serving"],
    ["185.65.134.0/24"],
    ["162.142.125.0/24"],
    ["66.249.66.1", "/bot/google serving"],
    ["1.1.1.1", "/cdn/cloudflare serving"],
    ["9.9.9.9", "/security/quad9 serving"],
    ["73.0.0.0/16"],
  ] as const)
    assert.deepEqual(hits(text).sort(), expected, text);
  const [wide] = findCollateral([parsePrefix("172.224.0.0/12")], protection).hits;
  assert.equal(wide!.addresses.size(4), (1n << 20n) - 32n, "without the relay");
});

test("each class is protected exactly if it is chosen, from its width", () => {
  const services = new CatalogueTree(
    catalogueOf(
      [
        ["8.8.8.0/24", "/saas/google", "/cloud/gcp"],
        ["1.1.1.0/24", "/cdn/cloudflare"],
        ["66.249.64.0/19", "/bot/google/googlebot"],
        ["140.82.112.0/20", "/saas/github/web"],
        ["20.0.0.0/11", "/cloud/azure"],
        ["20.2.3.4/32", "/security/tor"],
        ["185.65.134.0/24", "/security/mullvad", "/cloud/m247"],
        ["162.142.125.0/24", "/bot/censys"],
        ["71.6.135.131/32", "/bot/shodan", "/isp/cari"],
        ["73.0.0.0/8", "/isp/comcast"],
        ["2600::/32", "/isp/comcast"],
      ],
      {},
    ),
  );
  const [serving, rented, anonymiser, scanner, access] = NODE_CLASSES;
  const values = [
    ["8.8.8.8", serving],
    ["1.1.1.1", serving],
    ["66.249.66.1", serving],
    ["140.82.113.3", serving],
    ["20.1.2.0/24", rented],
    ["20.2.3.4", anonymiser],
    ["185.65.134.7", anonymiser],
    ["162.142.125.7", scanner],
    ["71.6.135.131", scanner],
    ["73.1.2.0/24", access],
    ["2600:0:1::/48", access],
    ["20.1.2.3", undefined],
    ["73.1.2.3", undefined],
    ["2600:0:1::/64", undefined],
  ] as const;
  for (let choice = 0; choice < 2 ** NODE_CLASSES.length; choice++) {
    const classes = NODE_CLASSES.filter((_, bit) => (choice >> bit) & 1);
    const protection = protectionOf({ services, classes });
    for (const [text, nodeClass] of values) {
      const { hits } = findCollateral([parsePrefix(text)], protection);
      const isProtected = nodeClass !== undefined && classes.includes(nodeClass);
      assert.equal(hits.length > 0, isProtected, `${text}, ${classes.join()}`);
      if (isProtected) assert.equal(hits[0]!.class, nodeClass);
    }
  }
});

test("of the bundled catalogue, what people block on purpose is not protected", async () => {
  const protection = protectionOf({ services: new CatalogueTree(await openCatalogue()) });
  const ids = protection.groups.flatMap(({ members }) => members.map(({ id }) => id));
  for (const id of ["/bot/censys", "/security/mullvad", "/security/windscribe", "/isp/lumen"])
    assert.ok(!ids.includes(id), id);
  const others = protectionOf({
    services: new CatalogueTree(await openCatalogue()),
    classes: ["anonymiser", "scanner", "access"],
  });
  const chosen = others.groups.flatMap(({ members }) => members.map(({ id }) => id));
  for (const id of ["/bot/censys", "/security/mullvad", "/security/windscribe", "/isp/lumen"])
    assert.ok(chosen.includes(id), id);
  for (const id of ["/cdn/cloudflare", "/security/quad9", "/cloud/azure"]) assert.ok(!chosen.includes(id), id);
  for (const id of ["/cdn/cloudflare", "/saas/google", "/saas/github", "/security/quad9", "/cloud/azure"])
    assert.ok(ids.includes(id), id);
});
