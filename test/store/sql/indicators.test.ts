import assert from "node:assert/strict";
import { test } from "node:test";
import { identityOf, type IndicatorQuery, indicatorsIn } from "../../../src/store/records/indicator.ts";
import { keyOfPrefix } from "../../../src/store/_prefix-key.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { columnsOfTexts } from "../harness/columns.ts";
import { adding, by } from "../harness/stores.ts";
import { sqliteStores, type SmallStore } from "../harness/sqlite-stores.ts";

const withStore = sqliteStores();

/** Rows that SQLite reads at a time. */
const ROWS_AT_ONCE = 10_000;
const ALL: IndicatorQuery = {
  after: 0,
  limit: 100_000,
  types: ["indicator", "identity"],
  versions: { first: false, last: false, all: true, at: [] },
};

function key(text: string): string {
  return keyOfPrefix(parsePrefix(text));
}

function collectionOf({ store, owned: { organisationId, rulesetId: id } }: SmallStore) {
  return {
    /** Steps until it is up to date. */
    async follow(at: number): Promise<number> {
      for (let steps = 1; ; steps++)
        if (await store.record("rulesetIndicators", { id, organisationId }, at)) return steps;
    },
    read: async (query: Partial<IndicatorQuery> = {}) =>
      indicatorsIn(await store.read("indicators", id, { ...ALL, ...query })),
  };
}

test("a ruleset's indicators follow its rules, and those of other organisations are theirs", () =>
  withStore(async (small) => {
    const { store, owned, organisation } = small;
    const { follow, read } = collectionOf(small);
    await store.write({ kind: "create-organisation", name: "Another", ...by(1) });
    assert.deepEqual(await read(), []);
    await store.write({ kind: "add-rule", ...owned, request: adding("192.0.2.1", { name: "a" }), ...by(5) });
    await follow(10);
    const [identity, one] = await read();
    const author = identityOf(organisation.id);
    assert.deepEqual(identity, [10_000, author, "", "Example", null, 1, 1, null, 0]);
    assert.deepEqual(one!.toSpliced(1, 1), [10_001, key("192.0.2.1"), "a", null, 5, 5, null, 0]);
    await store.write({ kind: "add-rule", ...owned, request: adding("192.0.2.2"), ...by(11) });
    await store.write({ kind: "delete-rule", ...owned, prefix: parsePrefix("192.0.2.1"), ...by(12) });
    await follow(20);
    const later = await read({ after: 10_001 });
    assert.deepEqual(
      later.map(([, , prefix, , , , , , revoked]) => [prefix, revoked]).toSorted(),
      [
        [key("192.0.2.1"), 1],
        [key("192.0.2.2"), 0],
      ].toSorted(),
    );
    const ids = [one![1]];
    const LAST = { first: false, last: true, all: false, at: [] };
    const QUERIES: readonly (readonly [Partial<IndicatorQuery>, number])[] = [
      [{ ids }, 2],
      [{ ids, versions: LAST }, 1],
      [{ ids, versions: { ...LAST, first: true } }, 2],
      [{ ids, versions: { ...LAST, last: false, at: [5] } }, 1],
      [{ ids: [] }, 0],
      [{ types: [] }, 0],
      [{ types: ["identity"] }, 1],
      [{ types: ["indicator"] }, 3],
      [{ versions: LAST }, 3],
      [{ limit: 2 }, 2],
    ];
    for (const [query, count] of QUERIES) assert.equal((await read(query)).length, count, JSON.stringify(query));
    assert.equal(await store.read("indicators", crypto.randomUUID(), ALL), "[]");
  }));

test("a ruleset of one rule more than is read at a time has as many indicators", () =>
  withStore(async (small) => {
    const { follow, read } = collectionOf(small);
    const texts = Array.from({ length: ROWS_AT_ONCE + 1 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    await small.store.write({ kind: "replace-rules", ...small.owned, rules: columnsOfTexts(texts), ...by(5) });
    assert.equal(await follow(10), 2);
    assert.equal((await read({ types: ["indicator"], limit: 2 * ROWS_AT_ONCE })).length, texts.length);
  }));

test("indicators of a deleted ruleset are deleted unless a credential can read them, and added anew if it is restored", () =>
  withStore(async (small) => {
    const { store, owned, organisation, replica } = small;
    const { follow, read } = collectionOf(small);
    await store.write({ kind: "add-rule", ...owned, request: adding("192.0.2.1"), ...by(5) });
    await follow(10);
    const forget = async () => {
      for (let times = 0; times < 3; times++) if (!(await store.record("unreadIndicators"))) return times;
      return "again and again";
    };
    assert.equal(await forget(), 0);
    const before = (await read({ types: ["indicator"] })).map(([, id]) => id);
    const about = { label: "t", digest: "t", start: "ipt_", collections: [owned.rulesetId] };
    const create = { kind: "create-credential", organisationId: organisation.id, credential: "taxii" } as const;
    const { credential } = await store.write({ ...create, ...about, ...by(6) });
    await store.write({ kind: "delete-ruleset", ...owned, ...by(7) });
    const { sequence } = replica.memory;
    assert.equal(await forget(), 0);
    const revoke = { kind: "revoke-credential", organisationId: organisation.id, credential: "taxii" } as const;
    await store.write({ ...revoke, credentialId: credential.id, ...by(8) });
    assert.equal(await forget(), 1);
    assert.equal((await read()).length, 0);
    await store.write({ kind: "restore-ruleset", organisationId: organisation.id, sequence, ...by(30) });
    await follow(40);
    const found = await read();
    for (const [added] of found) assert.ok(added >= 40_000);
    const ids = found.filter(([, , prefix]) => prefix !== "").map(([, id]) => id);
    assert.equal(ids.length, before.length);
    assert.deepEqual(
      ids.filter((id) => before.includes(id)),
      [],
      "a deleted indicator does not come back as another one",
    );
  }));

test("of an indicator a hundred superseded versions are kept, and the last one", () =>
  withStore(async (small) => {
    const { store, owned } = small;
    const { follow, read } = collectionOf(small);
    for (let version = 1; version <= 104; version++) {
      const request = adding("192.0.2.1", { name: `name ${version}`, mode: "override" });
      await store.write({ kind: "add-rule", ...owned, request, ...by(10 * version) });
      await follow(10 * version);
      const names = (await read({ types: ["indicator"] })).map(([, , , name]) => name);
      if (version >= 98)
        assert.deepEqual([names.length, names.at(-1)], [Math.min(version, 101), `name ${version}`], `${version}`);
    }
    assert.equal(await store.record("supersededIndicators", 1_030_000), false);
    assert.deepEqual(
      (await read({ types: ["indicator"] })).map(([, , , name]) => name),
      ["name 103", "name 104"],
    );
  }));
