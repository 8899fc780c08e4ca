/** When a published list is compiled to see what it blocks although it should not, and when the verdict is kept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { NETWORKS, type ProtectedKind } from "../../../src/collateral/protected.ts";
import { SourceError } from "../../../src/service/sources/gather-source.ts";
import { BlockedProtected } from "../../../src/service/status/blocked-protected.ts";
import { AddressSet } from "../../../src/sets/address-set.ts";
import type { Deployment } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const hit = (kind: ProtectedKind) => ({
  kind,
  id: kind,
  name: kind,
  addresses: AddressSet.of([parsePrefix("20.0.0.1")]),
  longest: NETWORKS,
});
const KINDS = ["service", "special-purpose", "allowed", "own-network"] as const;
const collateral = { hits: KINDS.map(hit), tooWide: [], share: { 4: 0, 6: 0 } };

function publishedAs(definition: Deployment["definition"], digest: string | null): Deployment {
  const published = digest === null ? null : { digest };
  return { id: "7", definition, published } as unknown as Deployment;
}

/** Counts how often lists are compiled; `fails` holds the errors of the next compilations. */
function watched() {
  const state = { compiled: 0, fails: [] as Error[] };
  const preview = async () => {
    state.compiled++;
    const error = state.fails.shift();
    if (error !== undefined) throw error;
    return { collateral } as never;
  };
  const catalogue = { generation: 1 };
  return { state, catalogue, blocked: new BlockedProtected({ lists: { preview }, catalogue }) };
}

test("only published lists of active blocklists with the guard warn are looked at", async () => {
  const { state, blocked } = watched();
  const looked = async (changes: Parameters<typeof definitionOf>[0], digest: string | null = "a") => {
    const before = state.compiled;
    const names = (await blocked.by(publishedAs(definitionOf(changes), digest))).map(({ name }) => name);
    return [state.compiled - before, ...names];
  };
  assert.deepEqual(
    await looked({}),
    [1, "service", "allowed", "own-network"],
    "addresses for special use are no one's",
  );
  assert.deepEqual(await looked({ guard: "warn" }), [1, "service", "allowed", "own-network"]);
  assert.deepEqual(await looked({}, null), [0]);
  assert.deepEqual(await looked({ active: false }), [0]);
  assert.deepEqual(await looked({ purpose: "allowlist" }), [0]);
  for (const guard of ["off", "carve", "refuse"] as const) assert.deepEqual(await looked({ guard }), [0], guard);
});

test("a verdict is kept while the list changes, but not over another catalogue or definition", async () => {
  const { state, catalogue, blocked } = watched();
  const definition = definitionOf({});
  const compiled = async (...args: Parameters<typeof publishedAs>) => {
    await blocked.by(publishedAs(...args));
    return state.compiled;
  };
  assert.equal(await compiled(definition, "a"), 1);
  assert.equal(await compiled(definition, "a"), 1);
  assert.equal(await compiled(definition, "b"), 1, "within a minute");
  catalogue.generation++;
  assert.equal(await compiled(definition, "b"), 2);
  assert.equal(await compiled(definition, "b"), 2);
  assert.equal(await compiled(definitionOf({}), "b"), 3);
});

test("without its sources a list blocks nothing; another failure is told, not kept, and stops no other list", async () => {
  const { state, blocked } = watched();
  const edge = publishedAs(definitionOf({}), "a");
  state.fails = [new SourceError("no such ruleset")];
  assert.deepEqual(await blocked.by(publishedAs(definitionOf({}), "a")), []);
  state.fails = [new Error("out of memory")];
  const [failed, other] = await Promise.allSettled([blocked.by(edge), blocked.by(publishedAs(definitionOf({}), "a"))]);
  assert.equal(failed.status, "rejected");
  assert.equal(other.status, "fulfilled");
  assert.equal((await blocked.by(edge)).length, 3, "tried again");
});
