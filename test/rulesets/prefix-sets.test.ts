import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { finished } from "../../src/turns/finished.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { rulesetOf, storingRuleset } from "../../src/rulesets/stored/stored-ruleset.ts";
import { PREFIX_SETS, type PrefixSet } from "../cases/prefix-sets.ts";

function filled({ entries, given = entries }: PrefixSet, count = given.length): Ruleset {
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  for (const [text] of given.slice(0, count)) ruleset.add(parsePrefix(text), {}, 1);
  return ruleset;
}

/** The states of a ruleset, which must all give the same answers. */
const FORMS: Record<string, (set: PrefixSet) => Ruleset> = {
  "never frozen": (set) => filled(set),
  frozen: (set) => {
    const ruleset = filled(set);
    ruleset.freeze();
    return ruleset;
  },
  "half of it frozen": (set) => {
    const given = set.given ?? set.entries;
    const ruleset = filled(set, given.length >> 1);
    ruleset.freeze();
    for (const [text] of given) ruleset.add(parsePrefix(text), {}, 1);
    return ruleset;
  },
  "frozen with more, which has gone": (set) => {
    const ruleset = filled(set);
    const more = ["0.0.0.0/0", "::/0", "10.0.0.0/9", "2001:db8::/33"].map((text) => parsePrefix(text));
    const gone = more.filter((prefix) => ruleset.add(prefix, {}, 1).action === "created");
    ruleset.freeze();
    for (const prefix of gone) ruleset.delete(prefix);
    return ruleset;
  },
  "stored and read back": (set) => {
    const { metadata, table } = finished(storingRuleset(filled(set)));
    return rulesetOf(metadata, table);
  },
};

for (const [form, make] of Object.entries(FORMS)) {
  describe(form, () => {
    for (const set of PREFIX_SETS) {
      test(set.name, () => {
        const ruleset = make(set);
        assert.deepEqual(
          Array.from(ruleset, ({ prefix }) => formatPrefix(prefix)),
          set.entries.map(([text]) => text),
        );
        for (const [address, covering] of set.addresses) {
          const found = ruleset.covering(address).map(({ prefix }) => formatPrefix(prefix));
          assert.deepEqual(found, covering.toReversed());
          const id = ruleset.decideText(address, 2);
          assert.equal(id === 0 ? undefined : formatPrefix(ruleset.prefixAt(id)), covering.at(-1));
        }
        for (const { prefix, covering } of set.prefixes) {
          const found = ruleset.checkAll(parsePrefix(prefix), 2).map((rule) => formatPrefix(rule.prefix));
          assert.deepEqual(found, covering.toReversed());
          assert.equal(ruleset.get(prefix) !== undefined, covering.includes(prefix));
        }
      });
    }
  });
}
