/** Exported rules are read by the programs they are for, which are asked about addresses at the edges of the rules. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { addressBits } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { lastAddress } from "../../src/address/range.ts";
import { exportRules, type RuleExportFormat } from "../../src/rulesets/export-rules.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import type { Consumer } from "./consumers/consumer.ts";
import { bind, rbldnsd } from "./consumers/name-servers.ts";
import { bird, caddy, iptables, postfix } from "./consumers/tables.ts";
import { apache, haproxy, nginx, squid, varnish } from "./consumers/web-servers.ts";

const CONSUMERS: readonly Consumer[] = [
  apache,
  bind,
  bird,
  caddy,
  haproxy,
  iptables,
  nginx,
  postfix,
  rbldnsd,
  squid,
  varnish,
];

const LIST = [
  "1.0.0.0/24",
  "9.9.9.0/24",
  "9.9.9.128/25",
  "9.9.9.255",
  "100.64.0.0/10",
  "203.0.113.7",
  "223.255.255.254/31",
  "2001:db8::/32",
  "2001:db8:0:1::/64",
  "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
  "2400:0:0:1::/64",
  "2400:0:0:1:0:0:0:1",
  "2606:4700:0:0:1::/80",
  "2a00:1:2:3:4:5:6:8/125",
  "fd00::/8",
];
const OTHER = ["1.0.0.0/25", "9.9.8.0/23", "2001:db8::/33", "fc00::/7"];

/** The addresses at the edges of each prefix: the first and the last, and those before and after. */
function edgesOf(texts: readonly string[]): string[] {
  const edges = texts.flatMap((text) => {
    const prefix = parsePrefix(text);
    return [prefix, lastAddress(prefix)].flatMap((edge) => [-1, 0, 1].map((step) => moved(formatAddress(edge), step)));
  });
  return [...new Set(edges)];
}

/** The address so many further on; only the last word moves, as no edge here lies where words meet. */
function moved(text: string, step: number): string {
  const { family, w0, w1, w2, w3 } = parseAddress(text);
  const next = (word: number): number => (word + step) >>> 0;
  return formatAddress(family === 4 ? { family, w0: next(w0), w1, w2, w3 } : { family, w0, w1, w2, w3: next(w3) });
}

function fileOf(texts: readonly string[], format: RuleExportFormat): string {
  const rules = texts.map((text): Rule => ({
    prefix: parsePrefix(text),
    name: "}\n;",
    expiresAt: null,
    createdAt: 0,
    updatedAt: 0,
  }));
  return [...exportRules(rules, format, { setName: "list" })].join("");
}

function isListed(texts: readonly string[], text: string): boolean {
  const address = parseAddress(text);
  const host = { ...address, length: addressBits(address.family) };
  return texts.some((each) => prefixContains(parsePrefix(each), host));
}

/** The addresses about which the program and the rules are not of one mind. */
async function differences(
  consumer: Consumer,
  written: readonly string[],
  meant: readonly string[],
): Promise<string[]> {
  const addresses = edgesOf([...LIST, ...OTHER]);
  return inTemporaryFolder(async (root) => {
    const folder = join(root, "consumer");
    mkdirSync(folder);
    const answers = await consumer.listed(fileOf(written, consumer.format), addresses, folder);
    assert.equal(answers.length, addresses.length);
    return addresses.filter((address, at) => answers[at] !== isListed(meant, address));
  });
}

for (const consumer of CONSUMERS) {
  describe(`exported and read by ${consumer.name}`, { skip: consumer.missing }, () => {
    test("every edge of every rule is answered as by the rules", async () => {
      assert.deepEqual(await differences(consumer, LIST, LIST), []);
    });

    test("a list without rules lists nothing", async () => {
      assert.deepEqual(await differences(consumer, [], []), []);
    });

    test("negative control: a file of other rules is noticed", async () => {
      assert.notDeepEqual(await differences(consumer, OTHER, LIST), []);
    });
  });
}
