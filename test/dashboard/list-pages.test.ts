/** External lists at a browser: added, fetched, refused, accepted, given credentials, and used by a deployment. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { TestUser } from "../api/dashboard/browser.ts";
import { until } from "../until.ts";
import { checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";

const prefixes = (count: number): string => Array.from({ length: count }, (_, i) => `31.${i}.0.0/24\n`).join("");

describe("pages of external lists", { skip: missing ?? false, timeout: 900_000 }, () => {
  let t: Dashboard;
  let admin: TestUser;
  let publisher: Server;
  let published = `# a list\n${prefixes(40)}192.0.2.1:80\n`;
  /** The key that came with each request. */
  const keys: unknown[] = [];
  before(async () => {
    publisher = createServer((request, response) => {
      keys.push(request.headers["x-api-key"]);
      response.end(published);
    });
    await new Promise<void>((resolve) => void publisher.listen(0, "127.0.0.1", resolve));
    t = await startDashboard({ outboundAllow: "127.0.0.1" });
    admin = await t.user("admin");
  });
  after(async () => {
    await t.close();
    publisher.closeAllConnections();
    publisher.close();
  });

  test("a list is added and fetched; a change that is too large is refused until it is accepted", async () => {
    await checkLooks(t, "lists-empty", "#/lists", admin, (shown) => shown.getByText("No external lists yet").waitFor());
    const { page, errors } = await t.open("#/lists", { user: admin });
    await page.getByRole("button", { name: "New list" }).first().click();
    await page.locator("input[name=name]").fill("drop");
    await page.locator("input[name=url]").fill("ftp://example.net/");
    await page.getByRole("button", { name: "Add list" }).click();
    await page.locator(".field-error").waitFor();
    const { port } = publisher.address() as AddressInfo;
    await page.locator("input[name=url]").fill(`http://127.0.0.1:${port}/drop.txt`);
    await page.getByRole("button", { name: "Add list" }).click();
    await page.getByRole("heading", { name: "drop", level: 1 }).waitFor();
    await page.getByText("40 IPv4, 0 IPv6").waitFor();
    await page.getByText("(every 60m)").waitFor();
    await page.getByRole("heading", { name: "1 line left out" }).waitFor();
    await page.getByRole("cell", { name: "192.0.2.1:80", exact: true }).waitFor();
    const fetchNow = page.getByRole("button", { name: "Fetch now" });
    published = prefixes(41).slice("31.0.0.0/24\n".length);
    await fetchNow.click();
    await page.getByText("1 entry added, 1 removed").waitFor();
    await page.getByText("+ 31.40.0.0/24").waitFor();
    await page.getByText("- 31.0.0.0/24").waitFor();
    published = prefixes(5);
    await fetchNow.click();
    await page.getByText("The fetched list was refused.").waitFor();
    await page.getByText("40 IPv4, 0 IPv6").waitFor();
    await checkLooks(t, "list-refused", new URL(page.url()).hash, admin, (shown) =>
      shown.getByText("The fetched list was refused.").waitFor(),
    );
    const overview = await t.open("#/", { user: admin });
    await overview.page.getByRole("heading", { name: "Needs attention" }).waitFor();
    const findings = overview.page.locator(".findings > li");
    assert.match(
      (await findings.allInnerTexts()).join("\n"),
      /^Critical:\s+drop was refused: .*%.*; the last good content is in use · .*\nSee what changed, and accept it/,
    );
    await checkLooks(t, "overview-attention", "#/", admin, (shown) => shown.getByText("Needs attention").waitFor());
    await findings.getByRole("link", { name: "See what changed, and accept it" }).click();
    await overview.page.getByText("The fetched list was refused.").waitFor();
    assert.deepEqual(overview.errors, []);
    await overview.page.context().close();
    await page.getByRole("button", { name: "Accept the change" }).click();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("5 IPv4, 0 IPv6").waitFor();
    await page.getByRole("button", { name: "Credentials" }).click();
    await page.locator("input[name=value]").fill("not-for-others");
    await page.getByRole("button", { name: "Save credentials" }).click();
    await page.getByText(`header X-Api-Key, sent to http://127.0.0.1:${port}`).waitFor();
    keys.length = 0;
    // A click while an earlier fetch is under way begins no other.
    const clickAndLook = (): Promise<boolean> => fetchNow.click().then(() => keys.length > 0);
    await until("the list is fetched", clickAndLook, { every: 500 });
    assert.equal(keys.at(-1), "not-for-others");
    assert.ok(!(await page.content()).includes("not-for-others"));
    assert.deepEqual(errors, []);
    await page.getByRole("button", { name: "Write into a ruleset" }).click();
    await page.getByRole("dialog").getByLabel("Ruleset").selectOption({ label: "My Blocklist rules (blocklist)" });
    await page.getByRole("button", { name: "Write rules" }).click();
    await page.getByText("5 rules added, 0 changed.").waitFor();
    await page.getByRole("heading", { name: "My Blocklist rules", level: 1 }).waitFor();
    await page.goto(`${t.server.url}/#/deployments/new`);
    const include = page.getByRole("group", { name: "Include" });
    await include.getByLabel("Include from").selectOption("list");
    await include.getByRole("button", { name: "Add list" }).click();
    await page.getByRole("button", { name: "Remove List drop" }).waitFor();
    await page.getByText("5 entries, 1,280 addresses").waitFor();
    await page.goto(`${t.server.url}/#/lists`);
    await page.getByRole("link", { name: "drop" }).click();
    await page.getByRole("button", { name: "Delete the list" }).click();
    await page.getByLabel("Type its name").fill("drop");
    await page.getByRole("dialog").getByRole("button", { name: "Delete the list" }).click();
    await page.getByText("No external lists yet").waitFor();
    assert.deepEqual(errors, []);
    await page.context().close();
  });
});
