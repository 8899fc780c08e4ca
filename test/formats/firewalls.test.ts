/** nft and ipset load the exports themselves, in the kernel, in a network namespace of their own. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { formatPrefix, parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { parseRange, rangeToPrefixes } from "../../src/address/range.ts";
import { exportRules } from "../../src/rulesets/export-rules.ts";
import { setNameOf } from "../../src/formats/set-name.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { onlyLong } from "../rounds.ts";

const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;
const NEVER = null;

function rule(text: string, expiresAt: number | null = NEVER): Rule {
  return { prefix: parsePrefix(text), name: "} flush ruleset", expiresAt, createdAt: NOW, updatedAt: NOW };
}

function file(format: "ipset" | "nftables", rules: readonly Rule[], setName = "list"): string {
  return [...exportRules(rules, format, { setName, now: NOW })].join("");
}

interface Element {
  readonly prefix: string;
  /** Seconds; null: no timeout. */
  readonly timeout: number | null;
}

/** A program that loads files into the kernel and lists the elements of a set. */
interface Firewall {
  readonly format: "ipset" | "nftables";
  readonly missing: string | false;
  /** Shell commands that load the contents of the variable FILE_n, and print a set. */
  load(variable: string): string;
  show(set: string): string;
  read(listing: string): Element[];
}

/** `1h30m` as seconds. */
function secondsOf(text: string): number {
  const units: Record<string, number> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1, ms: 0.001 };
  return [...text.matchAll(/(\d+)(ms|[wdhms])/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * units[unit!]!,
    0,
  );
}

function missing(program: string): string | false {
  const { status, error } = spawnSync("unshare", ["-n", ...program.split(" ")], { encoding: "utf8" });
  return error === undefined && status === 0
    ? false
    : `${program.split(" ")[0]} cannot be run in a network namespace here: root, and Debian's packages nftables and ipset, are needed`;
}

const FIREWALLS: readonly Firewall[] = [
  {
    format: "nftables",
    missing: missing("nft list ruleset"),
    load: (variable) => `nft -f - <<< "$${variable}"`,
    show: (set) => `nft list set inet ipsieve ${set}`,
    read: (listing) =>
      (/elements = \{([^}]*)\}/.exec(listing)?.[1] ?? "")
        .split(",")
        .filter((text) => text.trim() !== "")
        .flatMap((text) => {
          const [value, ...rest] = text.trim().split(/\s+/);
          const { first, last } = value!.includes("-") ? parseRange(value!) : { first: null, last: null };
          const prefixes = first === null ? [parsePrefix(value!)] : rangeToPrefixes(first, last);
          const timeout = rest[0] === "timeout" ? secondsOf(rest[1]!) : null;
          return prefixes.map((prefix) => ({ prefix: formatPrefix(prefix), timeout }));
        }),
  },
  {
    format: "ipset",
    missing: missing("ipset list"),
    load: (variable) => `ipset restore <<< "$${variable}"`,
    show: (set) => `ipset list ${set}`,
    read: (listing) =>
      listing
        .slice(listing.indexOf("Members:\n") + 9)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [value, , timeout] = line.split(" ");
          return { prefix: formatPrefix(parsePrefix(value!)), timeout: Number(timeout) === 0 ? null : Number(timeout) };
        }),
  },
];

/** What a script prints, in parts separated by `===`; it stops at the first error unless it says `|| true`. */
function run(script: string, files: Readonly<Record<string, string>>): string[] {
  const { status, stdout, stderr } = spawnSync("unshare", ["-n", "bash", "-ec", script], {
    encoding: "utf8",
    env: { ...process.env, ...files },
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  return stdout.split("===\n");
}

/** How long an address stays in the set, according to its elements: seconds, 0 for not at all. */
function stay(elements: readonly Element[], address: string): number {
  const found = elements.filter(({ prefix }) => prefixContains(parsePrefix(prefix), parsePrefix(address)));
  return Math.max(0, ...found.map(({ timeout }) => timeout ?? Infinity));
}

const RULES = [
  rule("0.0.0.0/1", NOW + HOUR),
  rule("10.0.0.0/8", NOW + 2 * HOUR),
  rule("10.1.0.0/16", NOW + HOUR),
  rule("10.2.0.0/16"),
  rule("10.2.3.4", NOW + HOUR),
  rule("192.0.2.0/24"),
  rule("192.0.2.128/25", NOW + HOUR),
  rule("198.51.100.7", NOW + 1),
  rule("2001:db8::/32", NOW + HOUR),
  rule("2001:db8:1::/48"),
  rule("2001:db8:2::1", Date.UTC(9999, 0, 1)),
];
/** By address: the seconds for which it must stay. */
const STAYS: Readonly<Record<string, number>> = {
  "1.2.3.4": 3600,
  "10.0.0.1": 7200,
  "10.1.0.1": 7200,
  "10.2.0.1": Infinity,
  "10.2.3.4": Infinity,
  "10.3.0.0": 7200,
  "192.0.2.200": Infinity,
  "198.51.100.7": 1,
  "198.51.100.8": 0,
  "2001:db8::1": 3600,
  "2001:db8:1::1": Infinity,
  "2001:db8:2::1": Infinity,
  "2001:db9::": 0,
};

for (const { format, missing: skip, load, show, read } of FIREWALLS) {
  describe(`loaded by ${format}`, { skip }, () => {
    test("every address stays until the last of its rules expires; names never become lines", () => {
      const [four, six] = run(`${load("FILE")}; ${show("list_4")}; echo ===; ${show("list_6")}`, {
        FILE: file(format, RULES),
      });
      const elements = [...read(four!), ...read(six!)];
      // Time passes between loading and listing.
      for (const [address, seconds] of Object.entries(STAYS)) {
        const actual = stay(elements, address);
        if (seconds === Infinity || seconds === 0) assert.equal(actual, seconds, `${address}\n${four}${six}`);
        else
          assert.ok(
            actual <= seconds && actual >= Math.min(seconds, 1) - 1 && actual > seconds - 600,
            `${address}: ${actual}\n${four}${six}`,
          );
      }
    });

    test("all addresses, and halves of them with another timeout", () => {
      const rules = [rule("0.0.0.0/0", NOW + HOUR), rule("0.0.0.0/1"), rule("::/0"), rule("8000::/1", NOW + HOUR)];
      const [four, six] = run(`${load("FILE")}; ${show("list_4")}; echo ===; ${show("list_6")}`, {
        FILE: file(format, rules),
      });
      assert.deepEqual(
        [
          stay(read(four!), "1.2.3.4"),
          stay(read(four!), "200.2.3.4") > 3000,
          stay(read(six!), "::1"),
          stay(read(six!), "ffff::"),
        ],
        [Infinity, true, Infinity, Infinity],
      );
      assert.ok(stay(read(four!), "200.2.3.4") <= 3600);
    });

    test("two lists coexist, and a list replaces only its own previous version", () => {
      const [a, b] = [setNameOf("My Blocklist rules", "1"), setNameOf("My Blocklist rules", "2")];
      const files = {
        A: file(format, [rule("192.0.2.1"), rule("192.0.2.2")], a),
        B: file(format, [rule("198.51.100.1")], b),
        NEXT: file(format, [rule("192.0.2.2"), rule("192.0.2.3", NOW + HOUR)], a),
        NONE: file(format, [], a),
      };
      const script = `${load("A")}; ${load("B")}; ${show(`${a}_4`)}; echo ===; ${load("NEXT")}; ${show(`${a}_4`)}; echo ===; ${show(`${b}_4`)}; echo ===; ${load("NONE")}; ${show(`${a}_4`)}; echo ===; ${show(`${b}_4`)}`;
      const shown = run(script, files).map((listing) =>
        read(listing)
          .map(({ prefix }) => prefix)
          .sort(),
      );
      assert.deepEqual(shown, [
        ["192.0.2.1", "192.0.2.2"],
        ["192.0.2.2", "192.0.2.3"],
        ["198.51.100.1"],
        [],
        ["198.51.100.1"],
      ]);
    });

    test("a file with a failing line changes nothing, and the next valid one is loaded", () => {
      const bad = file(format, [rule("198.51.100.1"), rule("2001:db8::1")]).replace("2001:db8::1", "2001:db8::1::1");
      const files = { GOOD: file(format, [rule("192.0.2.1")]), BAD: bad, NEXT: file(format, [rule("192.0.2.9")]) };
      const script = `${load("GOOD")}; if ${load("BAD")} 2>/dev/null; then exit 1; fi; ${show("list_4")}; echo ===; ${load("NEXT")}; ${show("list_4")}`;
      assert.deepEqual(
        run(script, files).map((listing) => read(listing).map(({ prefix }) => prefix)),
        [["192.0.2.1"], ["192.0.2.9"]],
      );
    });

    // What nft -f loads is one transaction, whatever its form.
    if (format === "ipset")
      test("control: a file that empties the set before filling it loses the old list", () => {
        const flushing = file(format, [rule("198.51.100.1"), rule("2001:db8::1")])
          .replaceAll("_new", "")
          .replace("2001:db8::1", "2001:db8::1::1")
          .replace(/^swap.*\n|^destroy.*\n/gm, "");
        const [listing] = run(`${load("GOOD")}; ${load("BAD")} 2>/dev/null || true; ${show("list_4")}`, {
          GOOD: file(format, [rule("192.0.2.1")]),
          BAD: flushing,
        });
        assert.notDeepEqual(
          read(listing!).map(({ prefix }) => prefix),
          ["192.0.2.1"],
        );
      });

    test("a firewall rule that refers to a set continues with the new list", () => {
      const refer =
        format === "nftables"
          ? "nft add chain inet ipsieve input '{ type filter hook input priority 0; }'; nft add rule inet ipsieve input ip saddr @list_4 drop"
          : "nft add table ip x; nft add chain ip x input '{ type filter hook input priority 0; }'";
      const [listing] = run(`${load("A")}; ${refer}; ${load("B")}; ${show("list_4")}`, {
        A: file(format, [rule("192.0.2.1")]),
        B: file(format, [rule("192.0.2.2")]),
      });
      assert.deepEqual(
        read(listing!).map(({ prefix }) => prefix),
        ["192.0.2.2"],
      );
    });

    test("elements are removed automatically when they time out", () => {
      const [before, after] = run(`${load("FILE")}; ${show("list_4")}; echo ===; sleep 2.2; ${show("list_4")}`, {
        FILE: file(format, [rule("192.0.2.1"), rule("192.0.2.2", NOW + 1000)]),
      });
      assert.deepEqual(
        [read(before!).some(({ prefix }) => prefix === "192.0.2.1"), read(after!).map(({ prefix }) => prefix)],
        [true, ["192.0.2.1"]],
      );
    });

    test("the longest names, and 50,000 rules with many expiries", { skip: onlyLong() }, () => {
      const name = "a".repeat(25);
      const many = Array.from({ length: 50_000 }, (_, i) =>
        rule(
          `${10 + (i >> 14)}.${(i >> 8) & 63}.${i & 255}.0/${24 + (i % 8)}`,
          i % 3 === 0 ? NEVER : NOW + HOUR + (i % 1000) * 1000,
        ),
      );
      const script = `${format === "nftables" ? "nft -f -" : "ipset restore"}; ${show(`${name}_4`)}`;
      const { status, stdout, stderr } = spawnSync("unshare", ["-n", "bash", "-ec", script], {
        encoding: "utf8",
        input: file(format, many, name),
        maxBuffer: 1 << 28,
      });
      assert.equal(status, 0, stderr);
      const elements = new Set(read(stdout).map(({ prefix }) => prefix));
      for (const { prefix } of many) assert.ok(elements.has(formatPrefix(prefix)), formatPrefix(prefix));
    });
  });
}

test("names of sets: readable, different for each id, and valid for both programs", () => {
  for (const name of [
    "My Blocklist rules",
    "",
    "日本",
    "1 2 3",
    "a".repeat(300),
    "x\n} flush ruleset",
    "Ünïcödé lists",
    "-exist",
    "__",
  ]) {
    const names = Array.from({ length: 200 }, (_, i) => setNameOf(name, `7b0fcd2c-58d3-4b2e-9f0d-${i}`));
    assert.equal(new Set(names).size, 200);
    for (const each of names) assert.match(each, /^[A-Za-z][A-Za-z0-9_]{0,24}$/);
  }
  assert.match(setNameOf("My Blocklist rules", "x"), /^My_Blocklist_rules_[0-9a-f]{6}$/);
  assert.match(setNameOf("Ünïcödé lists", "x"), /^Unicode_lists_/);
});
