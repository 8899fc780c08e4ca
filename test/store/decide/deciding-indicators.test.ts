import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addDifference,
  addIdentity,
  type IndicatorDifference,
  type LastVersion,
} from "../../../src/store/decide/_indicators.ts";
import type { IndicatorEntry } from "../../../src/store/records/indicator.ts";

const NOW = 1000;
const ENTRY = { key: "4:14000001/32", name: "x", kind: null, expiresAt: null, createdAt: 100, updatedAt: 200 } as const;
const FIRST = {
  id: "4:14000001/32 100",
  version: 1,
  prefix: ENTRY.key,
  name: "x",
  kind: null,
  created: 100,
  modified: 200,
  expires_at: null,
  revoked: 0,
  state: 2,
};
const LAST: LastVersion = { ...FIRST, added: 7 };

function difference(
  entry: Partial<IndicatorEntry> | undefined,
  last?: Partial<LastVersion>,
  after?: number,
): IndicatorDifference {
  const into: IndicatorDifference = { added: [], replaced: [] };
  addDifference(into, (key, created) => `${key} ${created}`, {
    ...(entry !== undefined && { entry: { ...ENTRY, ...entry } }),
    last: last && { ...LAST, ...last },
    at: NOW,
    ...(after !== undefined && { after }),
  });
  return into;
}

test("a prefix that is listed gets an indicator; listed with an expiry in the past, a revoked one", () => {
  assert.deepEqual(difference({}), { added: [FIRST], replaced: [] });
  assert.deepEqual(difference(undefined), { added: [], replaced: [] });
  assert.deepEqual(difference({ expiresAt: NOW + 1 }).added, [{ ...FIRST, expires_at: NOW + 1 }]);
  assert.deepEqual(difference({ expiresAt: NOW }).added, [{ ...FIRST, expires_at: NOW, revoked: 1 }]);
  const ofFeed = difference({ createdAt: null } as never).added;
  assert.deepEqual(ofFeed, [{ ...FIRST, id: `${ENTRY.key} 200`, created: 200 }]);
  const early = difference({ createdAt: 300 }).added;
  assert.deepEqual(early, [{ ...FIRST, id: `${ENTRY.key} 300`, created: 300, modified: 300 }]);
  const again = difference({}, undefined, 500).added;
  assert.deepEqual(again, [{ ...FIRST, id: `${ENTRY.key} 501`, created: 501, modified: 501 }], "after deleted ones");
});

test("a change of what is said is the next version, later than the one before", () => {
  assert.deepEqual(difference({}, {}), { added: [], replaced: [] });
  for (const changed of [{ name: "y" }, { kind: "benign" }] as const)
    assert.deepEqual(difference(changed, {}), {
      added: [{ ...FIRST, ...changed, version: 2, modified: 201 }],
      replaced: [[7, 0]],
    });
  assert.deepEqual(difference({ expiresAt: 5000, updatedAt: 900 }, {}).added, [
    { ...FIRST, version: 2, expires_at: 5000, modified: 900 },
  ]);
  assert.deepEqual(difference({ updatedAt: 900 }, {}).added, [], "only what is said counts");
});

test("what is listed no longer, or has expired, is revoked; nothing follows that", () => {
  const revoked = { ...FIRST, version: 2, revoked: 1, modified: NOW };
  assert.deepEqual(difference(undefined, {}), { added: [revoked], replaced: [[7, 0]] });
  assert.deepEqual(difference(undefined, { modified: NOW }).added, [{ ...revoked, modified: NOW + 1 }]);
  assert.deepEqual(difference({ expiresAt: NOW }, {}), {
    added: [{ ...revoked, expires_at: NOW }],
    replaced: [[7, 0]],
  });
  assert.deepEqual(difference(undefined, { revoked: 1 }), { added: [], replaced: [] });
  assert.deepEqual(difference({ expiresAt: NOW }, { revoked: 1 }), { added: [], replaced: [] });
});

test("a prefix that is listed again gets another indicator, and the old one is revoked", () => {
  const created = 500;
  const next = { ...FIRST, id: `${ENTRY.key} 500`, created, modified: 500 };
  assert.deepEqual(difference({ createdAt: created }, {}), {
    added: [{ ...FIRST, version: 2, revoked: 1, modified: NOW, state: 1 }, next],
    replaced: [[7, 0]],
  });
  const gone = difference({ createdAt: created }, { revoked: 1, modified: 300 });
  assert.deepEqual(gone, { added: [next], replaced: [[7, 1]] });
  const sameTime = difference({}, { revoked: 1, modified: 300 });
  const after = { ...FIRST, id: `${ENTRY.key} 301`, created: 301, modified: 301 };
  assert.deepEqual(sameTime, { added: [after], replaced: [[7, 1]] }, "active again");
  const expired = difference({ createdAt: created, expiresAt: NOW }, { revoked: 1, modified: 300 });
  assert.deepEqual(expired.added, [{ ...next, expires_at: NOW, revoked: 1 }]);
});

test("the identity has a version for each name of the organisation", () => {
  const identity = { id: "i", name: "Example", createdAt: 50 };
  const add = (last?: Partial<LastVersion>, at = NOW): IndicatorDifference => {
    const into: IndicatorDifference = { added: [], replaced: [] };
    addIdentity(into, identity, last && { ...LAST, id: "i", prefix: "", created: 50, modified: 50, ...last }, at);
    return into;
  };
  const first = { ...FIRST, id: "i", prefix: "", name: "Example", created: 50, modified: 50 };
  assert.deepEqual(add(), { added: [first], replaced: [] });
  assert.deepEqual(add({ name: "Example" }), { added: [], replaced: [] });
  assert.deepEqual(add({ name: "Old" }), { added: [{ ...first, version: 2, modified: NOW }], replaced: [[7, 0]] });
  assert.deepEqual(add({ name: "Old" }, 50).added, [{ ...first, version: 2, modified: 51 }]);
});
