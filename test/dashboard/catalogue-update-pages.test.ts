/** An admin at a browser updates the catalogue from a folder of lists. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addOrganisation } from "../api/start-server.ts";
import { checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";
import { COMMAND_FILE } from "../command-file.ts";
import { onlyLong } from "../rounds.ts";

const BUNDLED = fileURLToPath(new URL("../../data/catalogue.ipsieve", import.meta.url));

describe("updates of the catalogue", { skip: missing ?? false }, () => {
  let folder: string;
  let t: Dashboard;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "ipsieve-update-pages-"));
    const [home, lists] = [join(folder, "home"), join(folder, "lists")];
    mkdirSync(join(lists, "telegram"), { recursive: true });
    mkdirSync(join(lists, "cloudflare"));
    writeFileSync(join(lists, "telegram/cidr.txt"), "30.0.0.0/24\n2600::/32\n");
    writeFileSync(join(lists, "cloudflare/ips-v4"), "<html>\n");
    const args = [COMMAND_FILE, "cbs", "update", "--json", "--progress", "json", "--home", home, "--from", lists];
    t = await startDashboard({}, [join(home, "catalogue.ipsieve"), BUNDLED], {
      program: process.execPath,
      args,
      environment: process.env,
    });
  });
  after(async () => {
    await t.close();
    rmSync(folder, { recursive: true });
  });

  test(
    "an admin updates it: progress, the outcome of each list, and the new catalogue on the same page; others see none of this",
    { skip: onlyLong() },
    async () => {
      const [admin, editor] = [await t.user("admin"), await t.user("editor")];
      const other = await t.open("#/catalogue", { user: editor });
      await other.page.getByRole("tree").waitFor();
      assert.equal(await other.page.getByRole("heading", { name: "Official lists" }).count(), 0);
      await other.page.context().close();
      await checkLooks(t, "catalogue-update-before", "#/catalogue", admin);
      const { page, errors } = await t.open("#/catalogue", { user: admin });
      const panel = page.locator(".panel", { has: page.getByRole("heading", { name: "Official lists" }) });
      await panel.getByRole("button", { name: "Update catalogue" }).click();
      await panel.getByRole("progressbar").waitFor();
      await panel.getByText("Updated, but some lists failed").waitFor();
      assert.match(
        await panel.getByRole("status").innerText(),
        /\d+ lists: 1 new, 1 refused, \d+ not offered\n+1 official source, /,
      );
      const rows = await panel.getByRole("row").allInnerTexts();
      assert.match(rows[1]!, /cloudflare\/ips-v4\s+line 1: [^]*refused/, "problems come first");
      assert.match(rows[2]!, /telegram\/cidr\.txt\s+new\s+2/);
      await page.locator("dt", { hasText: "1 official list" }).waitFor();
      assert.deepEqual(errors, []);
      await page.context().close();
      await checkLooks(t, "catalogue-update-done", "#/catalogue", admin, (shown) =>
        shown.getByText("Updated, but some lists failed").waitFor(),
      );
    },
  );

  test("if several organisations share the server and none is named, the page says how to allow it", async () => {
    await addOrganisation(t, "Another");
    const admin = await t.user("admin");
    const prepare = (page: Parameters<NonNullable<Parameters<typeof checkLooks>[4]>>[0]) =>
      page.getByText(/cannot be updated here: .*--dataset-organisation or IPSIEVE_DATASET_ORGANISATION/).waitFor();
    await checkLooks(t, "catalogue-update-refused", "#/catalogue", admin, prepare);
    const { page } = await t.open("#/catalogue", { user: admin });
    await prepare(page);
    assert.equal(await page.getByRole("button", { name: "Update catalogue" }).count(), 0);
    await page.context().close();
  });
});
