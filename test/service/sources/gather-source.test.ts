import assert from "node:assert/strict";
import { test } from "node:test";
import { Sources, type SourceServices } from "../../../src/service/sources/gather-source.ts";

test("a source without ends is gathered once for lists with ends and for lists without", async () => {
  // Prefixes need none of them.
  const sources = new Sources({} as SourceServices);
  const source = { prefixes: ["20.0.0.0/24"] };
  const timed = await sources.gather("o", source, 0, true);
  assert.equal(await sources.gather("o", source, 0), timed);
  sources.keepOnly([{ organisationId: "o", source, isTimed: false }]);
  assert.equal(await sources.gather("o", source, 0, true), timed);
  sources.keepOnly([]);
  assert.notEqual(await sources.gather("o", source, 0, true), timed);
});
