import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { NETWORKS } from "../../../src/collateral/protected.ts";
import { acceptedHits, collateralMessage } from "../../../src/service/deployments/guard-deployment.ts";
import { unreleased } from "../../../src/service/deployments/unreleased.ts";
import type { RefusedList } from "../../../src/store/records/deployment.ts";
import { AddressSet } from "../../../src/sets/address-set.ts";

/** Services by number, with the number of their addresses. */
const blocking = (services: Readonly<Record<string, number>>) => ({
  hits: Object.entries(services).map(([id, length]) => ({
    kind: "service" as const,
    id,
    name: id,
    addresses: AddressSet.of([parsePrefix(`20.0.0.0/${length}`)]),
    longest: NETWORKS,
  })),
  tooWide: [],
  share: { 4: 0, 6: 0 },
});
const reasons = (...codes: string[]) => codes.map((code) => ({ code, message: code }));
const refusal = (codes: string[], services: Readonly<Record<string, number>>): RefusedList => {
  const collateral = acceptedHits(blocking(services));
  return { number: 3, at: 0, reasons: reasons(...codes), entries: { 4: 1, 6: 0 }, collateral };
};

test("a release covers only the given kinds of reasons, and no more addresses and no other services", () => {
  const refused = refusal(["collateral"], { a: 24, b: 30 });
  const left = (codes: string[], services: Readonly<Record<string, number>>, list = refused, released = 3) => {
    const compiled = { suspicions: reasons(...codes), collateral: blocking(services) };
    return unreleased(compiled, { published: null, refused: list, released }).map(({ code }) => code);
  };
  assert.deepEqual(left(["collateral"], { a: 24, b: 30 }), []);
  assert.deepEqual(left(["collateral"], { a: 25 }), [], "it blocks less");
  assert.deepEqual(left(["collateral"], { a: 23, b: 30 }), ["collateral"], "more addresses");
  assert.deepEqual(left(["collateral"], { a: 24, c: 32 }), ["collateral"], "another service");
  assert.deepEqual(left(["shrinks", "collateral"], { a: 24 }), ["shrinks"], "which it did not do");
  assert.deepEqual(left(["shrinks"], {}, refusal(["shrinks"], {})), []);
  assert.deepEqual(left(["shrinks", "collateral"], { a: 24 }, refusal(["shrinks"], {})), ["collateral"]);
  assert.deepEqual(left(["collateral"], { a: 24 }, refused, 2), ["collateral"], "an earlier one was released");
  const { collateral: _none, ...old } = refused;
  assert.deepEqual(left(["collateral"], { a: 24 }, old), ["collateral"], "what it would have blocked was not kept");
});

test("a reason names the first five hits and counts the others", () => {
  const message = (count: number) =>
    collateralMessage(
      blocking(Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].slice(0, count).map((id) => [id, 32]))).hits,
    );
  const named = (...ids: string[]) => `it would block ${ids.map((id) => `1 address of ${id} (${id})`).join(", ")}`;
  assert.equal(message(1), named("a"));
  assert.equal(message(5), named("a", "b", "c", "d", "e"));
  assert.equal(message(6), `${named("a", "b", "c", "d", "e")} and 1 more`);
  assert.equal(message(7), `${named("a", "b", "c", "d", "e")} and 2 more`);
});
