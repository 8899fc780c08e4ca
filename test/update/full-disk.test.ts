import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Source } from "../../src/cbs/importers/sources.ts";
import { FolderOrigin } from "../../src/update/folder-origin.ts";
import { updateCatalogue, type UpdateReport } from "../../src/update/update-catalogue.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { mountSmallDisk, PAGE, whyNoSmallDisk } from "../store/harness/small-disk.ts";
import { fileOf, listOf, publicPrefixes, sourceOf } from "./lists.ts";

test(
  "an update that runs out of space anywhere names the file, keeps the previous catalogue, and leaves nothing half written",
  { skip: whyNoSmallDisk },
  async (t) => {
    const folder = temporaryFolder();
    t.after(() => folder.remove());
    using disk = mountSmallDisk(4 << 20);
    const home = join(disk.path, "home");
    const names = ["acme/list.json", "bolt/list.json"];
    const sourcesNamed = (start: string): Source[] =>
      names.map((name) => sourceOf(dirname(name), [fileOf(name, null)], { name: `${start} ${dirname(name)}` }));
    const offer = (count: number): void => {
      for (const name of names) {
        mkdirSync(join(folder.path, dirname(name)), { recursive: true });
        writeFileSync(join(folder.path, name), listOf(publicPrefixes(0, count)));
      }
    };
    const update = (sources: readonly Source[]): Promise<UpdateReport> =>
      updateCatalogue({ home, sources, maxChange: 1, keep: 90, origin: new FolderOrigin(folder.path) });
    offer(1000);
    const { catalogue } = await update(sourcesNamed("old"));
    const failed = new Set<string>();
    /** Updates with more and more disk space, until there is enough. */
    const updateUntilDone = async (sources: readonly Source[]): Promise<void> => {
      const old = readFileSync(catalogue);
      for (let pages = 0; !(await succeeds(sources, old, pages)); pages++) disk.free();
      disk.free();
      assert.notDeepEqual(readFileSync(catalogue), old);
    };
    const succeeds = async (sources: readonly Source[], old: Buffer, pages: number): Promise<boolean> => {
      disk.fill(pages * PAGE);
      const error = await update(sources).then(
        () => null,
        (reason: unknown) => reason as Error & { code: string },
      );
      if (error === null) return true;
      assert.match(error.code, /^(unwritable|no-lists)$/, error.stack!);
      const path = /^(\S+?):? .*cannot be written \(ENOSPC\)/.exec(error.message)?.[1] ?? "";
      assert.ok(path.startsWith(`${home}/`), error.message);
      failed.add(path.slice(home.length + 1).replace(/\d{8}T.*Z/, "TIME"));
      assert.deepEqual(readFileSync(catalogue), old);
      assert.deepEqual(
        readdirSync(home, { recursive: true }).filter((name) => /tmp$|lock/.test(String(name))),
        [],
      );
      return false;
    };
    offer(1500);
    await updateUntilDone(sourcesNamed("old"));
    // The same lists, but another catalogue.
    await updateUntilDone(sourcesNamed("new"));
    t.diagnostic(`it ran out of space at ${[...failed].join(", ")}`);
    for (const path of ["update.lock", "lists/acme/list.json", "lists/state.json", "catalogue.ipsieve"])
      assert.ok(failed.has(path), `negative control: none failed at ${path}`);
  },
);
