/** What needs attention, as whoever is on call sees it: every line with its cure one click away, and live. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ask } from "../api/start-server.ts";
import { checkLooks, type Dashboard, missing, settle, startDashboard } from "./browser.ts";
import { fillForOnCall } from "./harness/on-call.ts";

describe("the overview of an organisation in which things are wrong", { skip: missing ?? false }, () => {
  let t: Dashboard;
  let key = "";
  before(async () => {
    t = await startDashboard();
    key = await fillForOnCall(t);
  });
  after(() => t.close());

  test("shows what the server's status says, in its order, and leads to where each is put right", async () => {
    const admin = await t.user("admin");
    const { page, errors } = await t.open("#/", { user: admin });
    const { findings } = (await ask(t, "GET", "/v1/status", { key })).body;
    assert.ok(findings.length >= 5);
    const lines = await page.locator(".findings > li").allInnerTexts();
    assert.equal(lines.length, findings.length);
    for (const [at, { about, message, cure }] of findings.entries())
      assert.ok(lines[at]!.includes(`${about.name} ${message}`) && lines[at]!.includes(cure), lines[at]);
    assert.equal(await page.locator("h2").first().innerText(), "Needs attention");
    for (let at = 0; at < findings.length; at++) {
      await page.locator(".findings > li").nth(at).getByRole("link").click();
      await page.waitForFunction("!['', '#/'].includes(location.hash)");
      await settle(page);
      assert.equal(await page.getByText("Page not found").count(), 0);
      await page.goBack();
      await page.locator("h1", { hasText: "Overview" }).waitFor();
      await settle(page);
    }
    assert.deepEqual(errors, []);
    await page.context().close();
    await checkLooks(t, "overview-on-call", "#/", admin);
  });

  test("changes with the change feed, by itself", async () => {
    const { page, errors } = await t.open("#/", { user: await t.user("viewer") });
    const line = page.locator(".findings > li", { hasText: "Data centre Frankfurt was refused" });
    await line.waitFor();
    const { findings } = (await ask(t, "GET", "/v1/status", { key })).body;
    const { id } = findings.find(({ code }: { code: string }) => code === "deployment-refused").about;
    // What it does every minute anyway would hide that it does not follow the feed.
    await page.evaluate("for (let timer = 0; timer < 10000; timer++) clearInterval(timer)");
    await ask(t, "PATCH", `/v1/edl/deployments/${id}`, { key, body: { options: { max_entries: null } } });
    await line.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("button", { name: "Refresh" }).count(), 0);
    assert.deepEqual(errors, []);
    await page.context().close();
  });
});
