/** JSON records in every layout, read beside jq: the same records, and the same address in each. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { rounds } from "../../rounds.ts";
import { missingCommand } from "../../tools.ts";
import { clientsIn } from "../clients-in.ts";

const SEED = 20261128;
const RECORDS = 2000;
const ROUNDS = rounds({ short: 4, long: 50 });

/** Texts that a reader may take for the end of something, or for an address. */
const TEXTS = ["", "}", '"}{"', "]", '\\"', "\\", "{", "10.9.9.9", '"ip":"10.9.9.9"', "\u2028", "é", "a\nb"];

type Record = { readonly [name: string]: unknown };

function randomRecord(random: Random): Record {
  const text = () => TEXTS[random.below(TEXTS.length)]!;
  const ip = `203.0.113.${random.below(256)}`;
  const others = [
    ["note", text()],
    [`x${text()}`, [text(), { y: text() }]],
    ["n", random.below(1000) / 8],
    ["nested", { ip: "10.9.9.9" }],
    ["none", null],
  ].slice(random.below(5));
  const members = random.below(2) === 0 ? [["ip", ip], ...others] : [...others, ["ip", ip]];
  return Object.fromEntries(members) as Record;
}

/** How records are written, and how jq reads that. */
const LAYOUTS: readonly (readonly [name: string, filter: string, write: (all: readonly Record[]) => string])[] = [
  ["an object a line", ".", (all) => all.map((one) => `${JSON.stringify(one)}\n`).join("")],
  ["objects right behind each other", ".", (all) => all.map((one) => JSON.stringify(one)).join("")],
  ["objects of several lines", ".", (all) => all.map((one) => JSON.stringify(one, null, 2)).join("\n")],
  ["an array", ".[]", (all) => JSON.stringify(all)],
  ["an array of several lines", ".[]", (all) => JSON.stringify(all, null, "\t")],
  ["an array in a member", ".Records[]", (all) => JSON.stringify({ version: 1, Records: all })],
];

function addressesOfJq(text: string, filter: string): string[] {
  const { stdout, stderr, status } = spawnSync("jq", ["-r", `${filter} | .ip`], { input: text, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.split("\n").slice(0, -1);
}

for (const [name, filter, write] of LAYOUTS)
  test(`${name}: the addresses that jq reads`, { skip: missingCommand("jq", "--version", "jq") }, async () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const text = write(Array.from({ length: RECORDS }, () => randomRecord(random)));
      const expected = addressesOfJq(text, filter);
      assert.equal(expected.length, RECORDS);
      assert.deepEqual(await clientsIn(text, "ip"), expected);
      assert.notDeepEqual(await clientsIn(text, "note"), expected, "negative control: another member");
    }
  });
