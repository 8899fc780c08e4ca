/** A deployment in the format misp, as PyMISP reads it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Deployment } from "../../src/store/records/deployment.ts";
import { onlyLong } from "../rounds.ts";
import { missingModule, PYTHON, run } from "../tools.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const SCRIPT = join(import.meta.dirname, "clients/misp-feed.py");
const PREFIXES = ["192.0.2.0/25", "198.51.100.7", "2001:db8:bad::/48"];

let t: TestServer;
let organisationId = "";
before(async () => {
  t = await startServer();
  organisationId = await addOrganisation(t, "feeds");
});
after(() => t.close());

const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });
const definition = (prefixes: readonly string[], format = "misp") =>
  definitionOf({ firewall_format: format, direction: "egress", include: [{ prefixes }] });

async function deployed(prefixes: readonly string[], format?: string): Promise<Deployment> {
  const { deployment } = await t.server.store.write({
    kind: "create-deployment",
    ...by(),
    name: 'edge "1"',
    definition: definition(prefixes, format),
  });
  await until("the list is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
  return deployment;
}

/** Waits until the published list has been replaced. */
async function changeTo({ id }: Deployment, prefixes: readonly string[]): Promise<void> {
  const generation = (): number => t.server.services.publishing.lists.served(id)!.published.generation;
  const before = generation();
  t.clock.now += 60_000;
  await t.server.store.write({
    kind: "update-deployment",
    ...by(),
    deploymentId: id,
    ifMatch: undefined,
    name: undefined,
    definition: definition(prefixes),
  });
  await until("the changed list is published", () => generation() > before);
}

const folderOf = (deployment: Deployment): string =>
  `/feeds/${t.server.services.publishing.feedTokens.tokenOf(deployment)}`;
const read = async (deployment: Deployment, file: string) => ask(t, "GET", `${folderOf(deployment)}/${file}`);

test("a feed has a manifest, an event and hashes; removed entries stay, marked as deleted, even after a restart", async () => {
  const deployment = await deployed(PREFIXES);
  const manifest = await read(deployment, "manifest.json");
  assert.deepEqual([manifest.status, manifest.headers.get("content-type")], [200, "application/json; charset=utf-8"]);
  const [uuid] = Object.keys(manifest.body);
  const hashes = await read(deployment, "hashes.csv");
  assert.equal(hashes.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.deepEqual(new Set(hashes.text.split("\n").map((line) => line.split(",")[1])), new Set([uuid, undefined]));
  const event = async () => (await read(deployment, `${uuid}.json`)).body.Event;
  const first = await event();
  assert.deepEqual(
    first.Attribute.map(({ type, value, to_ids, deleted }: Record<string, unknown>) => [type, value, to_ids, deleted]),
    PREFIXES.map((prefix) => ["ip-dst", prefix, true, false]),
  );
  await changeTo(deployment, PREFIXES.slice(1));
  const second = await event();
  assert.ok(second.timestamp > first.timestamp);
  const found = second.Attribute.map(({ uuid: id, value, deleted }: Record<string, unknown>) => [id, value, deleted]);
  const [gone, ...left] = first.Attribute.map((each: Record<string, unknown>) => [each["uuid"], each["value"]]);
  assert.deepEqual(found, [...left.map((each: unknown[]) => [...each, false]), [...gone, true]]);
  await t.restart();
  assert.deepEqual(await event(), second);
  assert.equal((await read(deployment, "combined.json")).status, 404);
});

test("a deployment lists the files of its feed; after a change from a text format its history begins", async () => {
  const deployment = await deployed(PREFIXES, "text");
  await changeTo(deployment, PREFIXES);
  const { body: manifest } = await read(deployment, "manifest.json");
  const [uuid] = Object.keys(manifest);
  const { text: key } = await addKey(t, organisationId);
  const { body } = await ask(t, "GET", `/v1/edl/deployments/${deployment.id}/urls/`, { key });
  const names = (urls: readonly string[]): string[] => urls.map((url) => url.replace(/.*\//, ""));
  assert.deepEqual(
    [names(body.urls.combined), body.urls.ipv4, names(body.urls.checksums)],
    [
      ["manifest.json", "hashes.csv", `${uuid}.json`],
      [],
      ["manifest.json.sha256", "hashes.csv.sha256", `${uuid}.json.sha256`],
    ],
  );
  for (const url of [...body.urls.combined, ...body.urls.checksums])
    assert.equal((await ask(t, "GET", new URL(url).pathname)).status, 200, url);
});

test("PyMISP reads the feed, and would write the same", { skip: onlyLong() || missingModule("pymisp") }, async () => {
  const deployment = await deployed(PREFIXES);
  const load = async () => {
    const { code, stdout, output } = await run(PYTHON, [SCRIPT, t.server.url + folderOf(deployment)]);
    assert.equal(code, 0, output);
    return JSON.parse(stdout);
  };
  const first = await load();
  assert.deepEqual(first.manifests, first.manifest);
  assert.deepEqual(first.own_hashes, first.hashes);
  assert.deepEqual([first.is_same, first.refused, first.hashes.length], [[true], [true, true], PREFIXES.length]);
  assert.equal(first.events[0].info, 'edge "1"');
  await changeTo(deployment, PREFIXES.slice(1));
  const second = await load();
  assert.deepEqual([second.manifests, second.own_hashes], [second.manifest, second.hashes]);
  const deleted = second.events[0].attributes.filter((each: { deleted: boolean }) => each.deleted);
  assert.deepEqual([deleted.length, deleted[0].value, second.hashes.length], [1, PREFIXES[0], PREFIXES.length - 1]);
  assert.ok(deleted[0].timestamp > first.events[0].attributes[0].timestamp);
});
