import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { CATALOGUE_KIND } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { signSnapshot } from "../../src/snapshot/sign-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { keyPair } from "../snapshot/harness/key-pair.ts";
import { until } from "../until.ts";
import { start, temporaryFolder } from "./run-command.ts";
import { takingTurns } from "../rounds.ts";

async function catalogue(path: string, prefix: string): Promise<Buffer> {
  const builder = new CatalogueBuilder();
  builder.add(parsePrefix(prefix), "office");
  const createdAt = new Date();
  const made = builder.finish({ title: "offices", createdAt, sources: [] });
  await writeSnapshot(path, { ...made, kind: CATALOGUE_KIND, createdAt });
  return readFileSync(path);
}

/** A server whose catalogue comes from `offered`; undefined: there is none. */
async function follow(context: TestContext, offered: { bytes: Buffer | undefined }, trustedKey?: string) {
  const folder = temporaryFolder(trustedKey === undefined ? {} : { "trusted.pub": trustedKey });
  const keys = trustedKey === undefined ? [] : ["--trusted-key", join(folder.path, "trusted.pub")];
  const source = createServer(({ headers }, response) => {
    const { bytes } = offered;
    if (bytes === undefined) return void response.writeHead(404).end();
    const tag = `"${bytes.subarray(32, 48).toString("hex")}"`;
    if (headers["if-none-match"] === tag) return void response.writeHead(304).end();
    response.writeHead(200, { etag: tag, "content-length": bytes.length }).end(bytes);
  }).listen(0, "127.0.0.1");
  await once(source, "listening");
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/catalogue.ipsieve`;
  const child = start(["serve", "--port", "0", "--catalogue", url, "--catalogue-interval", "1", ...keys], {
    env: { IPSIEVE_HOME: folder.path, IPSIEVE_DB: "", DATABASE_URL: "", IPSIEVE_API_KEY: "" },
  });
  let log = "";
  child.stderr!.on("data", (part) => (log += String(part)));
  child.stdout!.resume();
  context.after(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    source.closeAllConnections();
    source.close();
    folder.remove();
  });
  await until("the server listens", () => /http:\/\/127\.0\.0\.1:\d+/.test(log.replaceAll(url, "")));
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(log.replaceAll(url, ""))![0];
  const ready = async () => {
    const response = await fetch(`${base}/readyz`, { headers: { accept: "application/json" } });
    return { status: response.status, body: (await response.json()) as any };
  };
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${base}/metrics`)).text();
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? 0,
    );
  };
  return { ready, metric, file: join(folder.path, "pulled-catalogue.ipsieve") };
}

test(
  "a server follows the catalogue at a URL, and keeps the last good one while there is no good one",
  { skip: takingTurns(2, 1) },
  async (context) => {
    const made = temporaryFolder();
    context.after(() => made.remove());
    const first = await catalogue(join(made.path, "1"), "20.0.0.0/24");
    const second = await catalogue(join(made.path, "2"), "20.0.1.0/24");
    const offered: { bytes: Buffer | undefined } = { bytes: undefined };
    const { ready, metric, file } = await follow(context, offered);
    const loaded = () => metric('ipsieve_snapshot_generation{snapshot="catalogue"}');
    const failures = () => metric('ipsieve_catalogue_pulls_total{outcome="failed"}');

    await until("a pull has failed", async () => (await failures()) > 0);
    const missing = await ready();
    assert.deepEqual([missing.status, missing.body.missing], [503, ["the catalogue is not loaded"]]);
    assert.equal(missing.body.catalogue_pull.state, "fails");

    offered.bytes = first;
    await until("the first catalogue is loaded", async () => (await loaded()) === 1);
    await until("the pull has ended", async () => (await ready()).body.catalogue_pull.state === "ok");
    const { status, body } = await ready();
    assert.deepEqual([status, body.catalogue_pull], [200, { state: "ok" }]);
    assert.ok(readFileSync(file).equals(first));
    await until(
      "nothing has changed",
      async () => (await metric('ipsieve_catalogue_pulls_total{outcome="unchanged"}')) > 0,
    );

    const before = await failures();
    offered.bytes = second.subarray(0, -1);
    await until("a truncated one has been refused", async () => (await failures()) > before);
    const failing = await ready();
    assert.deepEqual([failing.status, failing.body.catalogue_pull.state], [200, "fails"]);
    assert.ok(!Number.isNaN(Date.parse(failing.body.catalogue_pull.since)));
    assert.ok(readFileSync(file).equals(first));

    offered.bytes = second;
    await until("the second catalogue is loaded", async () => (await loaded()) === 2);
    await until("pulls succeed again", async () => (await ready()).body.catalogue_pull.state === "ok");
    assert.ok((await metric("ipsieve_catalogue_pulled_seconds")) > 1.7e9);
  },
);

test("a server with a trusted key accepts only signed catalogues, from the URL and from its own disk", async (context) => {
  const made = temporaryFolder();
  context.after(() => made.remove());
  const { privateKey, publicKey } = keyPair();
  const unsigned = await catalogue(join(made.path, "1"), "20.0.0.0/24");
  await signSnapshot(join(made.path, "1"), { privateKey });
  const signed = readFileSync(join(made.path, "1"));
  const offered = { bytes: unsigned };
  const { ready, metric, file } = await follow(context, offered, publicKey);
  const loaded = () => metric('ipsieve_snapshot_generation{snapshot="catalogue"}');
  const failures = () => metric('ipsieve_catalogue_pulls_total{outcome="failed"}');
  await until("a pull has failed", async () => (await failures()) > 0);
  assert.equal((await ready()).status, 503);
  offered.bytes = signed;
  await until("the signed catalogue is loaded", async () => (await loaded()) === 1);
  // Someone with write access to the disk replaces the file.
  await writeFile(file, unsigned);
  await until(
    "it has been refused",
    async () => (await metric('ipsieve_snapshot_failures_total{snapshot="catalogue"}')) > 0,
  );
  assert.equal(await loaded(), 1);
});
