import { type Prefix } from "../../src/address/address.ts";
import { comparePrefixes } from "../../src/address/prefix.ts";
import type { RuleColumns } from "../../src/rulesets/rule-columns.ts";
import { makeApiKey } from "../../src/store/api-key.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import { AREAS } from "../../src/store/state.ts";
import type { Random } from "../data/random.ts";

/** What a filled store answers to. */
export interface FilledStore {
  readonly key: string;
  /** A ruleset of `count` rules. */
  readonly rulesetId: string;
  /** An empty one. */
  readonly emptyId: string;
}

/** Limits that no run reaches: they are counted all the same. */
const PER_MINUTE = 1e9;
const PER_MONTH = 1e12;

/** Puts an organisation, a key, an empty ruleset and one of `count` rules, single addresses mostly, into an empty store; a text is the path of a SQLite file. */
export async function fillStore(location: string | StoreLocation, count: number, random: Random): Promise<FilledStore> {
  const store = await openStore(typeof location === "string" ? { file: location } : location, { rulesPerRuleset: 2 * count + 1 });
  try {
    const about = { actor: "user:bench", at: Date.now() };
    const { organisation, rulesets } = await store.write({ kind: "create-organisation", ...about, name: "Bench" });
    const owned = { ...about, organisationId: organisation.id };
    for (const area of AREAS) await store.write({ kind: "set-plan", ...owned, area, active: true, until: null, perMinute: PER_MINUTE, perMonth: PER_MONTH });
    const { text: key, digest, start } = makeApiKey();
    await store.write({ kind: "create-key", ...owned, label: "bench", access: "read_write", digest, start, expiresAt: null });
    const [full, empty] = rulesets.map(({ id }) => id) as [string, string];
    if (count > 0) await store.write({ kind: "replace-rules", ...owned, rulesetId: full, rules: [rulesOf(count, random)] });
    return { key, rulesetId: full, emptyId: empty };
  } finally {
    await store.close();
  }
}

/** `count` different IPv4 prefixes in order, one in eight with an expiry far away, one in three with a name. */
function rulesOf(count: number, random: Random): RuleColumns {
  const prefixes = differentPrefixes(count, random);
  const names = ["office", "scanner", "from a feed"];
  return {
    family: 4,
    words: Uint32Array.from(prefixes, ({ w0 }) => w0),
    lengths: Uint8Array.from(prefixes, ({ length }) => length),
    names: prefixes.map((_, index) => (index % 3 === 0 ? names[(index / 3) % names.length]! : null)),
    expiresAt: Float64Array.from(prefixes, (_, index) => (index % 8 === 0 ? Date.UTC(2100, 0) + index : Infinity)),
    createdAt: new Float64Array(count),
    updatedAt: new Float64Array(count),
  };
}

function differentPrefixes(count: number, random: Random): Prefix[] {
  const known = new Map<number, Prefix>();
  while (known.size < count) {
    const length = random.below(16) === 0 ? 24 : 32;
    const w0 = (random.word() & (length === 24 ? 0xffffff00 : -1)) >>> 0;
    known.set(w0, { family: 4, w0, w1: 0, w2: 0, w3: 0, length });
  }
  return [...known.values()].sort(comparePrefixes);
}
