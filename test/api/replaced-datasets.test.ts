import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { recordOf } from "../../src/cti/fields.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { catalogueOf, CREATED } from "../cbs/catalogues.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const PATH = "/v1/edl/deployments/";
const DATASETS = {
  catalogue: { cbs: "/cdn/cloudflare" },
  threats: { cti: { classification: "malicious" } },
} as const;
type Dataset = keyof typeof DATASETS;

let t: TestServer;
let key = "";
const folder = temporaryFolder({});

/** That many addresses, none beside another. */
const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `20.0.${at >> 7}.${(at & 127) * 2}`);
const lines = (count: number): string => addresses(count).join("\n").concat("\n");

let days = 0;

/** Replaces a dataset by one with that many addresses. */
async function replace(dataset: Dataset, count: number): Promise<void> {
  const path = join(folder.path, `${dataset}.ipsieve`);
  if (dataset === "catalogue") {
    const { table, metadata } = catalogueOf(addresses(count).map((address) => [address, "/cdn/cloudflare"]));
    await writeSnapshot(path, { table, metadata, kind: "catalogue" });
    return;
  }
  const builder = new CtiBuilder();
  for (const address of addresses(count)) builder.add(parsePrefix(address), recordOf({ classification: "malicious" }));
  const createdAt = new Date(CREATED.getTime() + days++ * 86_400_000);
  const { trie, metadata } = builder.build({ title: "Test", createdAt, sources: [] });
  await writeSnapshot(path, { table: freeze(trie), metadata, kind: "cti" });
}

before(async () => {
  for (const dataset of Object.keys(DATASETS) as Dataset[]) await replace(dataset, 30);
  t = await startServer({}, join(folder.path, "catalogue.ipsieve"), join(folder.path, "threats.ipsieve"));
  key = (await addKey(t, await addOrganisation(t, "replaced"))).text;
});
after(async () => {
  await t.close();
  folder.remove();
});

/** A deployment, with what it says about itself and what devices get. */
async function deploy(source: object, options: object) {
  const body = { name: JSON.stringify(options), include: [source], options };
  const made = await ask(t, "POST", PATH, { key, body });
  assert.equal(made.status, 201, made.text);
  const path = PATH + made.body.id;
  const feed = (await ask(t, "GET", `${path}/urls/`, { key })).body.urls.combined[0];
  const get = async () => (await ask(t, "GET", path, { key })).body;
  const list = async () => (await fetch(feed)).text();
  const follows = (count: number) => until(`devices get ${count}`, async () => (await list()) === lines(count));
  const refuses = async (code: string, count: number) => {
    await until(`it is refused: ${code}`, async () => (await get()).reasons[0]?.code === code);
    assert.deepEqual([(await get()).status, await list()], ["refused", lines(count)]);
  };
  return { follows, refuses };
}

test("a deployment is compiled anew when its dataset is replaced, and refused if it changes more than it may", async () => {
  const check = async (dataset: Dataset): Promise<void> => {
    const [lenient, standard] = await Promise.all([
      deploy(DATASETS[dataset], { max_shrink: 100, max_growth: 10_000 }),
      deploy(DATASETS[dataset], {}),
    ]);
    await Promise.all([lenient.follows(30), standard.follows(30)]);
    await replace(dataset, 9);
    await Promise.all([lenient.follows(9), standard.refuses("shrinks", 30)]);
    await replace(dataset, 1300);
    await Promise.all([lenient.follows(1300), standard.refuses("grows", 30)]);
  };
  await Promise.all([check("catalogue"), check("threats")]);
});
