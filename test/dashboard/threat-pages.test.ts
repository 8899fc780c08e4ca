/** An admin at a browser imports a threat feed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";
import { COMMAND_FILE } from "../command-file.ts";

const feed = (count: number) => Array.from({ length: count }, (_, i) => `31.0.0.${i}\n`).join("");
const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

describe("threat intelligence", { skip: missing ?? false }, () => {
  let folder: string;
  let t: Dashboard;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "ipsieve-threat-pages-"));
    const command = { program: process.execPath, args: [COMMAND_FILE, "cti", "import"], environment: process.env };
    t = await startDashboard({}, undefined, undefined, { command, output: join(folder, "cti.ipsieve") });
  });
  after(async () => {
    await t.close();
    rmSync(folder, { recursive: true });
  });

  test("an admin imports a feed, sees what is invalid, lets it be left out, and allows a shrinking one; others see the dataset only", async () => {
    const [admin, viewer] = [await t.user("admin"), await t.user("viewer")];
    const other = await t.open("#/threats", { user: viewer });
    await other.page.getByRole("table", { name: "Sources" }).waitFor();
    assert.equal(await other.page.getByRole("heading", { name: "Import a feed" }).count(), 0);
    await other.page.context().close();
    const { page, errors } = await t.open("#/threats", { user: admin });
    const chooser = page.locator("input[type=file]");
    await chooser.setInputFiles(file("list.txt", `${feed(40)}nobody\n`));
    await page.getByText("list.txt was not imported").waitFor();
    await page.getByText("40 entries in 41 lines, 1 line cannot be read").waitFor();
    await page.getByLabel("Leave out lines that cannot be read").check();
    await chooser.setInputFiles(file("list.txt", `${feed(40)}nobody\n`));
    await page.getByText("list.txt imported").waitFor();
    assert.match(await page.getByRole("region", { name: "Invalid lines" }).innerText(), /41\s+"nobody": /);
    await page.getByText(/: 40 IPv4 prefixes, 0 IPv6 prefixes, 1 distinct document/).waitFor();
    await page.reload();
    await page.getByText("list.txt imported").waitFor();
    await chooser.setInputFiles(file("page.txt", "<html>\n"));
    await page.getByText("page.txt was not imported").waitFor();
    await page
      .getByText(/line 1: this is a web page/)
      .first()
      .waitFor();
    await chooser.setInputFiles(file("short.txt", feed(4)));
    await page.getByRole("button", { name: "Import and remove 90 %" }).click();
    await page.getByText("short.txt imported").waitFor();
    await page.getByText(/: 4 IPv4 prefixes/).waitFor();
    assert.deepEqual(errors, []);
    await page.context().close();
    t.clock.now = Date.now() + 9 * 86_400_000;
    await checkLooks(t, "threats", "#/threats", admin, (shown) =>
      shown.getByText(/The dataset is \d+ days old/).waitFor(),
    );
  });
});
