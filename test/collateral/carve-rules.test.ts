import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { carvingRules } from "../../src/collateral/carve-rules.ts";
import { ANY_LENGTH } from "../../src/collateral/protected.ts";
import { desiredIn } from "../../src/rulesets/rule-columns.ts";
import { RuleList } from "../../src/rulesets/rule-list.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";

test("carving pauses at least once for 256 rules, also while rules are cut", () => {
  const list = new RuleList();
  list.add({ prefix: parsePrefix("9.0.0.0/31"), name: "kept", expiresAt: null }, 0);
  const networks = Array.from({ length: 1000 }, (_, at) => parsePrefix(`20.${at >> 8}.${at & 255}.0/31`));
  for (const prefix of networks) list.add({ prefix, name: "cut", expiresAt: null }, list.count);
  const addresses = AddressSet.of(networks.map((prefix) => ({ ...prefix, length: 32 })));
  let carved = 0;
  addresses.within = (prefix) => {
    carved++;
    return AddressSet.prototype.within.call(addresses, prefix);
  };
  const hit = { kind: "allowed", id: null, name: "allowed", addresses, longest: ANY_LENGTH } as const;
  const carving = carvingRules(finished(list.inOrder(() => {})), [hit]);
  for (;;) {
    const { done, value } = carving.next();
    assert.ok(carved <= 256, `${carved} rules without a pause`);
    if (done === true) {
      const texts = value.flatMap((part) =>
        Array.from(desiredIn(part), ({ prefix, name }) => [formatPrefix(prefix), name]),
      );
      const cut = networks.map((prefix) => [formatPrefix({ ...prefix, w0: prefix.w0 + 1, length: 32 }), "cut"]);
      assert.deepEqual(texts, [["9.0.0.0/31", "kept"], ...cut]);
      return;
    }
    carved = 0;
  }
});

test("of two rules that leave the same part, the more specific one keeps it, as it decided before", () => {
  const list = new RuleList();
  const add = (text: string, name: string, expiresAt: number | null): void =>
    list.add({ prefix: parsePrefix(text), name, expiresAt }, list.count);
  add("20.0.0.0/30", "wide", 1000);
  add("20.0.0.0/31", "narrow", null);
  add("20.0.0.3", "kept", 5);
  const addresses = AddressSet.of(["20.0.0.0"].map((text) => parsePrefix(text)));
  const hit = { kind: "allowed", id: null, name: "allowed", addresses, longest: ANY_LENGTH } as const;
  const carved = finished(carvingRules(finished(list.inOrder(() => {})), [hit]));
  assert.deepEqual(
    carved.flatMap((part) =>
      Array.from(desiredIn(part), (rule) => [formatPrefix(rule.prefix), rule.name, rule.expiresAt]),
    ),
    [
      ["20.0.0.1", "narrow", null],
      ["20.0.0.2/31", "wide", 1000],
      ["20.0.0.3", "kept", 5],
    ],
  );
});
