import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { AS_SOURCE, Catalogue, type CatalogueSource } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { primarySentence } from "../../src/cbs/primary.ts";
import { freeze } from "../../src/table/freeze.ts";
import { CREATED } from "./catalogues.ts";

const NAMES = {
  "/cloud/aws": "Amazon Web Services",
  "/cloud/aws/by-service/amazon": "Amazon (all of AWS)",
  "/cloud/aws/by-service/ec2": "Amazon EC2",
  "/cloud/aws/by-service/globalaccelerator": "AWS Global Accelerator",
  "/cloud/aws/by-service/s3": "Amazon S3",
  "/cloud/azure": "Microsoft Azure",
  "/cloud/azure/by-service/azurecloud": "AzureCloud",
  "/cloud/azure/by-service/storage": "Storage",
  "/cloud/linode": "Linode",
  "/saas/github": "GitHub",
  "/saas/github/actions": "Actions",
  "/saas/acme": "Acme",
  "/bot/google": "Google",
  "/bot/google/googlebot": "Googlebot",
  "/bot/openai": "OpenAI",
  "/bot/openai/gptbot": "GPTBot",
  "/cdn/akamai": "Akamai",
  "/cdn/akamai/edge": "All services",
  "/isp/carrier": "Carrier",
};

const LISTED = "the list";

function source(id: string): CatalogueSource {
  const nothing = { version: null, url: null, license: null, attribution: null, publishedAt: null };
  return { id, name: id, ...nothing, fetchedAt: null, changedAt: null };
}

/** The claims `prefix id`, with `asn` before those that only AS numbers show; the answer about one address, as a sentence. */
function answer(claims: readonly string[], address: string): string | null {
  const builder = new CatalogueBuilder();
  for (const [id, name] of Object.entries(NAMES)) builder.addNode(id, name);
  for (const claim of claims) {
    const [prefix, id, key] = claim.startsWith("asn ")
      ? [...claim.split(" ").slice(1), AS_SOURCE]
      : [...claim.split(" "), LISTED];
    builder.add(parsePrefix(prefix!), id!, key);
  }
  const sources = [source(AS_SOURCE), source(LISTED)];
  const { trie, metadata } = builder.build({ title: "Test", createdAt: CREATED, sources });
  return primarySentence(identifyText(new Catalogue(metadata, freeze(trie)), address).primary);
}

const EC2 = ["10.1.0.0/16 /cloud/aws/by-service/ec2/eu-west-3", "10.1.0.0/16 /cloud/aws/by-region/eu-west-3/ec2"];
const AMAZON = "10.1.0.0/16 /cloud/aws/by-service/amazon/eu-west-3";

/** What is expected of 10.1.2.3, and why. */
const CASES: readonly (readonly [why: string, expected: string, ...claims: string[]])[] = [
  ["the service rather than all of the provider", "Amazon EC2 in eu-west-3", AMAZON, ...EC2],
  [
    "a more particular service than the one most customers rent",
    "Amazon S3 in eu-west-3",
    AMAZON,
    ...EC2,
    "10.1.0.0/16 /cloud/aws/by-service/s3/eu-west-3",
  ],
  ["all of the provider, if nothing else is listed", "Amazon Web Services in eu-west-3", AMAZON],
  ["the most specific prefix", "Amazon S3 in eu-west-3", ...EC2, "10.1.2.0/24 /cloud/aws/by-service/s3/eu-west-3"],
  [
    "the region of a wider prefix of the same provider",
    "AWS Global Accelerator in eu-west-3",
    AMAZON,
    "10.1.2.0/24 /cloud/aws/by-service/globalaccelerator",
  ],
  ["GLOBAL is no region", "AWS Global Accelerator", "10.1.0.0/16 /cloud/aws/by-service/globalaccelerator/GLOBAL"],
  [
    "a service of a wider prefix rather than the whole of a narrower one",
    "Microsoft Azure Storage in westeurope",
    "10.1.0.0/16 /cloud/azure/by-service/storage/westeurope",
    "10.1.2.0/24 /cloud/azure/by-service/azurecloud/westeurope",
  ],
  [
    "a crawler in a rented block",
    "OpenAI GPTBot",
    "10.1.2.0/24 /bot/openai/gptbot",
    "10.1.0.0/16 /cloud/azure/by-service/azurecloud/westeurope",
  ],
  [
    "a crawler also where its landlord names less",
    "OpenAI GPTBot",
    "10.1.0.0/16 /bot/openai/gptbot",
    "10.1.2.0/24 /cloud/azure/by-service/storage/westeurope",
  ],
  ["a crawler that begins with its provider's name", "Googlebot", "10.1.2.0/24 /bot/google/googlebot"],
  ["a service inside a rented block of the same size", "GitHub Actions", "10.1.0.0/16 /saas/github/actions", ...EC2],
  [
    "a service inside a block whose owner lists parts of it",
    "GitHub Actions",
    "10.1.0.0/16 /saas/github/actions",
    "10.1.2.0/24 /cloud/azure/by-service/azurecloud/westeurope",
  ],
  [
    "but a particular service of the owner inside it",
    "Microsoft Azure Storage in westeurope",
    "10.1.0.0/16 /saas/github/actions",
    "10.1.2.0/24 /cloud/azure/by-service/storage/westeurope",
  ],
  [
    "a list inside a block that is known by AS number",
    "Linode in us-tx",
    "asn 10.1.0.0/16 /cdn/akamai",
    "10.1.2.0/24 /cloud/linode/by-region/us-tx",
  ],
  [
    "a list rather than an AS number about the same prefix",
    "Linode in us-tx",
    "asn 10.1.0.0/16 /cdn/akamai",
    "10.1.0.0/16 /cloud/linode/by-region/us-tx",
  ],
  ["an AS number inside a cloud: a network of its own", "Acme", "asn 10.1.2.0/24 /saas/acme", ...EC2],
  [
    "a list of a wider block than that of an AS number",
    "GitHub Actions",
    "10.1.0.0/16 /saas/github/actions",
    "asn 10.1.2.0/24 /isp/carrier",
  ],
  ["the most specific of AS numbers", "Carrier", "asn 10.1.0.0/16 /cdn/akamai", "asn 10.1.2.0/24 /isp/carrier"],
  [
    "who is inside before clouds, and these before access providers",
    "Acme",
    "asn 10.1.0.0/16 /saas/acme",
    "asn 10.1.0.0/16 /isp/carrier",
    "asn 10.1.0.0/16 /cloud/linode",
  ],
  ["a service that is all of its provider", "Akamai", "10.1.0.0/16 /cdn/akamai/edge"],
  ["a label of a user's list", "office", "10.1.0.0/16 office", "asn 10.1.2.0/24 /isp/carrier"],
];

for (const [why, expected, ...claims] of CASES)
  test(`primary: ${why}`, () => {
    assert.equal(answer(claims, "10.1.2.3"), expected);
    assert.equal(answer(claims.toReversed(), "10.1.2.3"), expected, "in any order");
  });

test("an address that nothing covers has no primary", () => {
  assert.equal(answer(EC2, "192.0.2.1"), null);
});

test("a sentence has what is known of the network in parentheses", () => {
  const primary = { name: "Amazon EC2", region: "eu-west-3" };
  const network = { asn: 16509, name: "Amazon.com", country: "FR" };
  const sentences = [
    primarySentence(primary, network),
    primarySentence(primary, { ...network, country: null }),
    primarySentence(primary, { ...network, name: null }),
    primarySentence({ name: "Tor", region: null }, { ...network, name: null, country: null }),
    primarySentence(null, network),
    primarySentence(null, { ...network, name: null }),
    primarySentence(null, { ...network, country: null }),
    primarySentence(null),
  ];
  assert.deepEqual(sentences, [
    "Amazon EC2 in eu-west-3 (AS16509 Amazon.com, FR)",
    "Amazon EC2 in eu-west-3 (AS16509 Amazon.com)",
    "Amazon EC2 in eu-west-3 (AS16509, FR)",
    "Tor (AS16509)",
    "Amazon.com (AS16509, FR)",
    "AS16509, FR",
    "Amazon.com (AS16509)",
    null,
  ]);
});
