import assert from "node:assert/strict";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import { databases } from "../store/harness/stores.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer } from "./start-server.ts";

test("a server whose key file is lost, corrupt or another one does not start, and says what to do", async (c) => {
  const t = await startServer({ logLevel: "silent" });
  c.after(() => t.close());
  const key = (await addKey(t, await addOrganisation(t, "keys"))).text;
  const file = join(t.folder, "store.db.key");
  await t.restart();
  assert.equal(existsSync(file), false, "a server without feeds needs none");
  const body = { name: "edge", include: [{ prefixes: ["192.0.2.0/24"] }] };
  const { id } = (await ask(t, "POST", "/v1/edl/deployments/", { key, body })).body;
  const path = `/v1/edl/deployments/${id}/urls/`;
  const tokenOf = async () => /ipf_[\w-]+/.exec((await ask(t, "GET", path, { key })).text)?.[0];
  const token = await tokenOf();
  await until("the key file is recorded", async () => (await t.server.store.read("keyFile")) !== null);
  renameSync(file, `${file}.kept`);
  const cure = /restore it from your backup, or name it.*ipsieve admin db forget-key/;
  await assert.rejects(
    t.restart(),
    (error: Error) => error.name === "KeyFileError" && /is missing/.test(error.message) && cure.test(error.message),
  );
  assert.equal(existsSync(file), false, "no other one is made");
  writeFileSync(file, `${Buffer.alloc(32, 1).toString("base64url")}\n`);
  await assert.rejects(t.restart(), /is not the key file that the database has been used with/);
  writeFileSync(file, "half\n");
  await assert.rejects(t.restart(), { name: "KeyFileError" });
  renameSync(`${file}.kept`, file);
  await t.restart();
  assert.equal(await tokenOf(), token);
  await t.server.close();
  rmSync(file);
  const store = await openStore({ file: join(t.folder, "store.db") });
  assert.equal(await store.record("keyFile", null), null);
  await store.close();
  await t.restart();
  const next = await tokenOf();
  assert.ok(next !== undefined && next !== token);
});

for (const { name, skip, make, stop } of await databases())
  test(`the first key file that is used is remembered until it is forgotten, on ${name}`, { skip }, async (c) => {
    c.after(stop);
    const store = await openStore(await make());
    c.after(() => store.close());
    assert.equal(await store.read("keyFile"), null);
    assert.equal(await store.record("keyFile", "a"), "a");
    assert.equal(await store.record("keyFile", "b"), "a");
    assert.equal(await store.read("keyFile"), "a");
    assert.equal(await store.record("keyFile", null), null);
    assert.equal(await store.record("keyFile", "b"), "b");
  });
