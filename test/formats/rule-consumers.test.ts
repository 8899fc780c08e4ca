/** The programs that exported rules are for read them, and are queried about addresses at the edges of the rules. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { exportRules, ONE_FAMILY_FORMATS, type RuleExportFormat } from "../../src/rulesets/export-rules.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { onlyLong } from "../rounds.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { Random } from "../../bench/data/random.ts";
import { CONSUMERS } from "./consumers/all.ts";
import type { Consumer } from "./consumers/consumer.ts";
import { edgesOf, isListed } from "./consumers/edges.ts";
import { checkPublished, compileCase, randomCase } from "./consumers/published-lists.ts";

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
/** Programs differ in whether they take a prefix of length 0. */
const EVERYTHING = ["0.0.0.0/0", "::/0"];
const OTHER = ["1.0.0.0/25", "9.9.8.0/23", "2001:db8::/33", "fc00::/7"];

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

/** The addresses on which the program and the rules disagree. */
async function differences(
  consumer: Consumer,
  written: readonly string[],
  meant: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const families = ONE_FAMILY_FORMATS.has(consumer.format) ? [[4], [6]] : [[4, 6]];
  for (const family of families) {
    const isOfIt = (text: string): boolean => family.includes(text.includes(":") ? 6 : 4);
    const addresses = edgesOf([...LIST, ...OTHER]).filter(isOfIt);
    const answers = await answersOf(consumer, written.filter(isOfIt), addresses);
    assert.equal(answers.length, addresses.length);
    found.push(...addresses.filter((address, at) => answers[at] !== isListed(meant, address)));
  }
  return found;
}

function answersOf(consumer: Consumer, written: readonly string[], addresses: readonly string[]): Promise<boolean[]> {
  return inTemporaryFolder((root) => ask(consumer, fileOf(written, consumer.format), addresses, root));
}

function ask(consumer: Consumer, file: string, addresses: readonly string[], root: string): Promise<boolean[]> {
  const folder = join(root, "consumer");
  mkdirSync(folder);
  return consumer.listed(file, addresses, folder);
}

for (const consumer of CONSUMERS) {
  describe(`exported and read by ${consumer.name}`, { skip: consumer.missing }, () => {
    test("every edge of every rule is decided as by the rules", async () => {
      assert.deepEqual(await differences(consumer, LIST, LIST), []);
    });

    test("everything is listed by two prefixes, or their halves", { skip: onlyLong() }, async () => {
      for (const list of [EVERYTHING, ["0.0.0.0/0"], ["::/0"], ["0.0.0.0/0", "0.0.0.0/1", "::/0", "8000::/1"]])
        assert.deepEqual(await differences(consumer, list, list), [], list.join());
    });

    test("a list without rules lists nothing", { skip: onlyLong() }, async () => {
      assert.deepEqual(await differences(consumer, [], []), []);
    });

    test("negative control: a file of other rules is detected", { skip: onlyLong() }, async () => {
      assert.notDeepEqual(await differences(consumer, OTHER, LIST), []);
    });

    test("random rules, of which some have expired, without excludes", { skip: onlyLong() }, async () => {
      assert.ok((await checkPublished(consumer, randomCase(new Random(15)))) > 200);
    });

    test(
      "negative control: a list to which the excludes were added back is detected",
      { skip: onlyLong() },
      async () => {
        const each = randomCase(new Random(15));
        await assert.rejects(
          checkPublished(consumer, each, compileCase({ ...each, excludes: [] })),
          assert.AssertionError,
        );
      },
    );

    if (consumer.wrongLine !== undefined)
      test(
        "negative control: a line that the program does not understand is detected",
        { skip: onlyLong() },
        async () => {
          const addresses = edgesOf(["192.0.2.0/24"]);
          await assert.rejects(
            inTemporaryFolder((root) =>
              ask(consumer, `${fileOf(["198.51.100.1"], consumer.format)}${consumer.wrongLine}\n`, addresses, root),
            ),
            assert.AssertionError,
          );
        },
      );
  });
}
