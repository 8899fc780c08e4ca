/** An admin at a browser imports a threat feed. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestUser } from "../api/dashboard/browser.ts";
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

  /** The four addresses of the last feed: by what is suggested while typing, narrowed by a facet, made a deployment. */
  async function searchThreats(admin: TestUser): Promise<void> {
    const { page, errors } = await t.open("#/threats", { user: admin });
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page.getByText("Nothing to search for yet").waitFor();
    const query = page.getByLabel("Query");
    await query.fill("clas");
    await page.getByRole("button", { name: "classification" }).click();
    await page.getByRole("button", { name: /^unknown 4$/ }).click();
    assert.equal(await query.inputValue(), 'classification:"unknown" ');
    await page.getByText("1 to 4 of 4 documents").waitFor();
    await query.fill("ip:31.0.0.0/31 AND tga:x");
    await page.getByText(/character 20 of the query.*did you mean tag\?/).waitFor();
    await query.fill("ip:31.0.0.0/31");
    await page.getByText("1 to 2 of 2 documents").waitFor();
    await page.getByRole("button", { name: "unknown", exact: true }).click();
    assert.equal(await query.inputValue(), 'ip:31.0.0.0/31 AND classification:"unknown"');
    await page.getByText("1 to 2 of 2 documents").waitFor();
    await page.getByRole("link", { name: "Make a deployment" }).click();
    await page.getByText('Threat intelligence: ip:31.0.0.0/31 AND classification:"unknown"').waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Scanners");
    await page.getByRole("button", { name: "Create deployment" }).click();
    await page.getByRole("heading", { name: "Scanners" }).waitFor();
    assert.deepEqual(
      errors.filter((error) => !error.includes("400")),
      [],
    );
    await page.context().close();
    await checkLooks(t, "search-threats", "#/threats/search?q=seen%3Atrue", admin, (shown) =>
      shown.getByText("1 to 4 of 4 documents").waitFor(),
    );
  }

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
    await searchThreats(admin);
    t.clock.now = Date.now() + 9 * 86_400_000;
    await checkLooks(t, "threats", "#/threats", admin, (shown) =>
      shown.getByText(/The dataset is \d+ days old/).waitFor(),
    );
  });
});
