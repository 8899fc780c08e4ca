import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { rounds } from "../rounds.ts";
import { lostChanges, mergedWithEarlierRead, type Patched, patchedResources } from "./harness/patched-at-once.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

// R21: two changes of different members at once, of every resource that has a PATCH: both are kept.
const SEED = 36;
let t: TestServer;
let resources: Patched[];

before(async () => {
  t = await startServer({ perMinute: 1e9, perMonth: 1e12, outboundAllow: "127.0.0.0/8" });
  resources = await patchedResources(t);
});
after(() => t.close());

describe("two changes at once", () => {
  for (const name of ["deployments", "rulesets", "external lists", "webhooks"]) {
    const resource = (): Patched => resources.find((each) => each.name === name)!;
    test(`${name}: both are kept`, async () => {
      assert.deepEqual(await lostChanges(resource(), rounds({ short: 20, long: 200 }), new Random(SEED)), []);
    });
    test(`${name}, negative control: a merge with an earlier read is detected`, async () => {
      const lost = await lostChanges(resource(), 20, new Random(SEED), mergedWithEarlierRead);
      assert.ok(lost.length > 0);
    });
  }

  test("members that exclude each other: one change is refused, whichever comes first", async () => {
    const key = (await addKey(t, await addOrganisation(t, "exclusive"))).text;
    const body = { name: "edge", include: [{ prefixes: ["192.0.2.0/24"] }] };
    for (let round = 0; round < 10; round++) {
      const { body: made } = await ask(t, "POST", "/v1/edl/deployments/", { key, body });
      const path = `/v1/edl/deployments/${made.id}`;
      const patch = (changes: object, id: string) =>
        ask(t, "PATCH", path, {
          key,
          body: changes,
          headers: { "Idempotency-Key": `${id} ${made.id}`.replace(" ", "-") },
        });
      const both = () =>
        Promise.all([patch({ purpose: "allowlist" }, "a"), patch({ options: { overflow: "fit" } }, "b")]);
      const answers = await both();
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      const { purpose, options } = (await ask(t, "GET", path, { key })).body;
      assert.notDeepEqual([purpose, options.overflow], ["allowlist", "fit"]);
    }
  });
});
