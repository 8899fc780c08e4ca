import type { Prefix } from "../../src/address/address.ts";
import { comparePrefixes } from "../../src/address/prefix.ts";
import type { RuleColumns } from "../../src/rulesets/rule-columns.ts";
import { makeToken } from "../../src/service/access/secret-token.ts";
import { makeApiKey } from "../../src/store/records/api-key.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import { AREAS } from "../../src/store/state.ts";
import type { Store } from "../../src/store/store.ts";
import type { Random } from "../data/random.ts";

/** The ids and keys of a filled store. */
export interface FilledStore {
  readonly organisationId: string;
  readonly key: string;
  /** A ruleset of `count` rules. */
  readonly rulesetId: string;
  /** An empty one. */
  readonly emptyId: string;
}

/** Limits that no run reaches, so that requests are counted as usual. */
const PER_MINUTE = 1e9;
const PER_MONTH = 1e12;
/** Milliseconds for which sessions last. */
const SESSION = 24 * 3_600_000;
/** No hash at all, so that no password is right. */
const NO_PASSWORD = "none";

/**
 * Puts an organisation, a key, an empty ruleset and one of `count` rules, single addresses mostly, into an empty store;
 * a text is the path of a SQLite file.
 */
export async function fillStore(location: string | StoreLocation, count: number, random: Random): Promise<FilledStore> {
  const store = await openStore(typeof location === "string" ? { file: location } : location, {
    rulesPerRuleset: 2 * count + 1,
  });
  try {
    return await addOrganisation(store, "Bench", count, random);
  } finally {
    await store.close();
  }
}

/** The same for one organisation among others. */
export async function addOrganisation(store: Store, name: string, count: number, random: Random): Promise<FilledStore> {
  const about = { actor: "user:bench", at: Date.now() };
  const { organisation, rulesets } = await store.write({ kind: "create-organisation", ...about, name });
  const owned = { ...about, organisationId: organisation.id };
  for (const area of AREAS)
    await store.write({
      kind: "set-plan",
      ...owned,
      area,
      active: true,
      until: null,
      perMinute: PER_MINUTE,
      perMonth: PER_MONTH,
    });
  const { text: key, digest, start } = makeApiKey();
  await store.write({
    kind: "create-credential",
    credential: "api",
    ...owned,
    label: "bench",
    access: "read_write",
    digest,
    start,
    expiresAt: null,
  });
  const [full, empty] = rulesets.map(({ id }) => id) as [string, string];
  if (count > 0)
    await store.write({ kind: "replace-rules", ...owned, rulesetId: full, rules: [rulesOf(count, random)] });
  return { organisationId: organisation.id, key, rulesetId: full, emptyId: empty };
}

/** An admin, who has signed in: the session's token. No password is theirs. */
export async function addUser(
  store: Store,
  organisationId: string,
  name: string,
): Promise<{ userId: string; session: string }> {
  const about = { actor: "command:bench", at: Date.now() };
  const [invitation, session, expiresAt] = [makeToken(), makeToken(), Date.now() + SESSION];
  const { user } = await store.write({
    kind: "create-user",
    ...about,
    organisationId,
    name,
    role: "admin",
    invitation: { digest: invitation.digest, expiresAt },
  });
  await store.write({
    kind: "join",
    ...about,
    invitation: invitation.digest,
    password: NO_PASSWORD,
    session: { digest: session.digest, expiresAt },
  });
  return { userId: user.id, session: session.text };
}

/** Adds another ruleset of `count` rules. */
export async function addRuleset(
  store: Store,
  organisationId: string,
  name: string,
  count: number,
  random: Random,
): Promise<string> {
  const owned = { actor: "user:bench", at: Date.now(), organisationId };
  const { ruleset } = await store.write({
    kind: "create-ruleset",
    ...owned,
    name,
    purpose: "blocklist",
    description: "",
  });
  if (count > 0)
    await store.write({ kind: "replace-rules", ...owned, rulesetId: ruleset.id, rules: [rulesOf(count, random)] });
  return ruleset.id;
}

/** `count` different IPv4 prefixes in order, one in eight with an expiry far away, one in three with a name. */
export function rulesOf(count: number, random: Random): RuleColumns {
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
