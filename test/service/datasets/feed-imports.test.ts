/** The disk fills up while a threat feed is imported. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FeedImports } from "../../../src/service/datasets/feed-imports.ts";
import { UploadSlots } from "../../../src/service/access/upload-slots.ts";
import { ServiceError } from "../../../src/service/service-error.ts";
import type { Store } from "../../../src/store/store.ts";
import { mountSmallDisk, PAGE, type SmallDisk, whyNoSmallDisk } from "../../store/harness/small-disk.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { COMMAND_FILE } from "../../command-file.ts";
import { until } from "../../until.ts";

/** Scattered, so that a dataset of them takes space. */
const addressAt = (i: number): string => {
  const low = Math.imul(i, 0x9e3779b1) >>> 8;
  return `31.${low >> 16}.${(low >> 8) & 255}.${low & 255}\n`;
};

/** This many addresses, followed by a comment that is not compiled, in chunks. */
async function* feed(count: number, comment = 0, then = (): void => {}): AsyncGenerator<Buffer> {
  yield Buffer.from(Array.from({ length: count }, (_, i) => addressAt(i)).join(""));
  for (let written = 0; written < comment; written += 65_536) yield Buffer.from(`#${"x".repeat(65_534)}\n`);
  then();
}

function importsOn(
  disk: Pick<SmallDisk, "path">,
  record = (async () => true) as unknown as Store["record"],
): {
  imports: FeedImports;
  run: (body: AsyncIterable<Buffer>) => Promise<unknown>;
  imported: () => number;
} {
  let imported = 0;
  const output = join(disk.path, "cti.ipsieve");
  const imports = new FeedImports({
    target: {
      command: { program: process.execPath, args: [COMMAND_FILE, "cti", "import"], environment: process.env },
      output,
    },
    threats: { reload: () => Promise.resolve(true) },
    slots: new UploadSlots({ perOrganisation: 2, inAll: 8, slowBytes: 0, slowAfter: 60_000 }),
    store: { record },
    limits: { bytes: 64 << 20, freeBytes: 0, compileTime: 60_000 },
    onImported: () => Promise.resolve(void imported++),
    now: Date.now,
    log: { info: () => {}, warn: () => {} },
  });
  const run = (body: AsyncIterable<Buffer>) =>
    imports.run({ organisationId: "o", startedBy: "ann", source: "list", size: null, body, maxShrink: 100 });
  return { imports, run, imported: () => imported };
}

test(
  "a disk that fills up during the upload or the compilation: rejected, nothing is left over, the dataset stays",
  { skip: whyNoSmallDisk },
  async () => {
    using disk = mountSmallDisk(4 << 20);
    const { run, imported } = importsOn(disk);
    await run(feed(100));
    const before = readFileSync(join(disk.path, "cti.ipsieve"));
    const isRefused = async (body: AsyncIterable<Buffer>): Promise<void> => {
      const error = await run(body).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof ServiceError, String(error));
      assert.deepEqual([error.code, error.retryAfter], ["unavailable", 60]);
      assert.match(error.message, /^the server's disk is too full for the feed; try again later/);
      assert.deepEqual(
        readdirSync(disk.path).filter((name) => name !== "filling"),
        ["cti.ipsieve"],
      );
      assert.ok(before.equals(readFileSync(join(disk.path, "cti.ipsieve"))));
    };
    await isRefused(feed(100, 8 << 20));
    await isRefused(feed(20_000, 0, () => disk.fill(PAGE)));
    disk.free();
    await isRefused(feed(20_000, 0, () => disk.fill()));
    assert.equal(imported(), 1);
    disk.free();
    await run(feed(20_000));
    assert.equal(imported(), 2, "negative control: with room for it the same feed is imported");
  },
);

test("an import has not ended for those who look until the next one can begin", async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const released = Promise.withResolvers<boolean>();
  // The lease is given back by renewing it for no time, here on a slow database.
  const record = ((_kind, _name, _holder, milliseconds) =>
    milliseconds === 0 ? released.promise : Promise.resolve(true)) as Store["record"];
  const { imports, run } = importsOn(folder, record);
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from("31.0.0.1\n");
    throw new Error("the connection was closed");
  }
  const failed = assert.rejects(run(broken()), /connection was closed/);
  await until("it has failed", () => imports.last?.error != null);
  assert.equal(imports.last!.endedAt, null);
  await assert.rejects(run(feed(1)), /another feed is being imported/);
  released.resolve(true);
  await failed;
  assert.notEqual(imports.last!.endedAt, null);
  await run(feed(1));
});
