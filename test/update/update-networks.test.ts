import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { openNetworks } from "../../src/datasets/open-networks.ts";
import type { ListOrigin } from "../../src/update/list-origin.ts";
import { NETWORKS_FILE, type NetworksUpdateOptions, updateNetworks } from "../../src/update/update-networks.ts";
import { WebOrigin } from "../../src/update/web-origin.ts";
import { SMALL_TABLE, writeSmallNetworks } from "../networks/small-networks.ts";
import { page, type Publisher, startPublisher, status } from "./publisher.ts";

const PATH = `/lists/${NETWORKS_FILE.path}`;
let publisher: Publisher;
let folder = "";
let origin: ListOrigin;
before(async () => {
  publisher = await startPublisher();
});
after(() => publisher.close());
beforeEach(async () => {
  publisher.pages.clear();
  folder = mkdtempSync(join(tmpdir(), "ipsieve-networks-"));
  mkdirSync(join(folder, "home"));
  await writeSmallNetworks(join(folder, "base.ipsieve"));
  origin = await WebOrigin.open(publisher.options({ limits: { attempts: 1 } }), publisher.url("/lists"));
});
afterEach(async () => {
  await origin.close();
  rmSync(folder, { recursive: true });
});

const home = () => join(folder, "home");
const networksFile = () => join(home(), "networks.ipsieve");
const update = (options: Partial<NetworksUpdateOptions> = {}) =>
  updateNetworks({
    home: home(),
    base: join(folder, "base.ipsieve"),
    origin,
    accepts: false,
    maxChange: 0.5,
    ...options,
  });
const offer = (table: string | Buffer) => publisher.pages.set(PATH, page(table as string));

test("a table is fetched, also as a gzip file, and replaces the last one as a whole", async () => {
  offer(gzipSync(SMALL_TABLE));
  const { outcome, as_numbers: numbers, ipv4, ipv6 } = await update();
  assert.deepEqual([outcome, numbers, ipv4, ipv6], ["new", 6, 8, 2]);
  const networks = await openNetworks(networksFile());
  assert.equal(networks.lookup("171.64.1.1")?.name, "Stanford University");
  assert.deepEqual(
    networks.metadata.sources.map(({ name, license }) => [name, license]),
    [["IPtoASN", "PDDL-1.0"]],
  );
  assert.equal((await update()).outcome, "unchanged");
  offer(SMALL_TABLE.replace("171.64.0.0\t171.67.255.255\t32", "171.64.0.0\t171.67.255.255\t513"));
  assert.equal((await update()).outcome, "changed");
  assert.equal((await openNetworks(networksFile())).lookup("171.64.1.1")?.asn, 513);
});

test("the last good one stays in use whatever the publisher sends", async () => {
  offer(SMALL_TABLE);
  await update();
  const good = readFileSync(networksFile());
  const half = SMALL_TABLE.split("\n").slice(0, 2).join("\n");
  const other = SMALL_TABLE.replaceAll(
    /\t(\d+)\t([A-Z]{2}|None)\t/g,
    (_, asn, country) => `\t${Number(asn) + 1}\t${country}\t`,
  );
  const bad: readonly (readonly [answer: () => void, outcome: string, code: string])[] = [
    [() => publisher.pages.set(PATH, status(500)), "failed", "status"],
    [() => offer("<html>moved</html>\n"), "refused", "bad-line"],
    [() => offer(`${SMALL_TABLE}\n1.2.3.0\t1.2.3.999\t1\tUS\tx\n`), "refused", "bad-line"],
    [() => offer(""), "refused", "half"],
    [() => offer(half), "refused", "half"],
    [() => offer(other), "refused", "changed"],
    [() => offer(gzipSync(SMALL_TABLE).subarray(0, 60)), "failed", "encoding"],
    [() => offer(Buffer.from([0xff, 0xfe, 0xff])), "refused", "not-utf8"],
  ];
  for (const [answer, outcome, code] of bad) {
    answer();
    const report = await update();
    assert.deepEqual([report.outcome, report.code], [outcome, code], report.problem ?? "");
    assert.ok(readFileSync(networksFile()).equals(good), `${code}: the file has changed`);
  }
  offer(other);
  assert.equal((await update({ accepts: true })).outcome, "changed");
});

test("the first ones are compared with the bundled ones by their size; damaged ones are replaced", async () => {
  offer(SMALL_TABLE.split("\n").slice(0, 2).join("\n"));
  assert.equal((await update()).code, "half");
  writeFileSync(networksFile(), "no snapshot");
  offer(SMALL_TABLE);
  assert.equal((await update()).outcome, "new");
  assert.ok(statSync(networksFile()).size > 1000);
});
