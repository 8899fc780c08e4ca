import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addKey } from "../api/start-server.ts";
import { type Dashboard, missing, startDashboard } from "./browser.ts";
import { onlyLong } from "../rounds.ts";

describe("the API console", { skip: missing }, () => {
  let t: Dashboard;
  before(async () => {
    t = await startDashboard();
  });
  after(() => t.close());

  /** Opens the console, and records the requests that it makes. */
  async function openConsole(
    path: string,
    options: Parameters<Dashboard["open"]>[1] = {},
  ): Promise<{ page: Page; errors: string[]; requests: string[] }> {
    // It waits by the clock before it shows the input of an operation.
    const { page, errors } = await t.open("docs", { ...options, clockRuns: true });
    const requests: string[] = [];
    page.on("request", (request) => void requests.push(request.url()));
    await page.goto(`${t.server.url}/${path}`);
    await page.locator(".opblock").first().waitFor();
    return { page, errors, requests };
  }

  /** Requests to anything but this server. */
  function elsewhere(requests: readonly string[]): string[] {
    return requests.filter((url) => !url.startsWith(`${t.server.url}/`) && !url.startsWith("data:"));
  }

  /** Sends the request of an operation that is open, and returns what the console shows of the response. */
  async function execute(page: Page, operation: string): Promise<{ status: string; body: string; url: string }> {
    const block = page.locator(`.opblock[id$="-${operation}"]`);
    await block.locator(".execute").click();
    const answer = block.locator(".live-responses-table tbody .response").first();
    return {
      status: (await answer.locator(".response-col_status").innerText()).trim().split(/\s/)[0]!,
      body: await answer.locator(".response-col_description .highlight-code").first().innerText(),
      url: (await block.locator(".request-url pre").innerText()).trim(),
    };
  }

  test(
    "a request with a key goes to this server, nothing goes elsewhere, and the policy blocks nothing",
    { skip: onlyLong() },
    async () => {
      const { text: key } = await addKey(t, t.organisationId);
      const { page, errors, requests } = await openConsole("docs/console");
      await page.locator(".auth-wrapper .authorize").first().click();
      await page.locator(".auth-container input").first().fill(key);
      await page.locator(".auth-btn-wrapper .authorize").first().click();
      await page.locator(".auth-btn-wrapper .btn-done").first().click();
      await page.locator('.opblock[id$="-lookupCbs"] .opblock-summary-control').click();
      await page.locator('.opblock[id$="-lookupCbs"] tr[data-param-name="ip"] input').fill("1.1.1.1");
      const { status, body, url } = await execute(page, "lookupCbs");
      assert.equal(status, "200");
      assert.match(body, /\/cdn\/cloudflare/);
      assert.equal(url, `${t.server.url}/v1/cbs/lookup?ip=1.1.1.1`);
      assert.deepEqual([errors, elsewhere(requests)], [[], []]);

      // Negative control: a request to elsewhere is noticed by this test and blocked by the policy.
      await page.evaluate(`fetch("http://127.0.0.2:9/").catch(() => {})`);
      await page.evaluate(`document.body.append(Object.assign(document.createElement("script"), { text: "1" }))`);
      for (const refused of ["connect-src", "script-src"])
        assert.match(errors.join("\n"), new RegExp(`"?${refused} 'self'`));
      await page.context().close();
    },
  );

  test(
    "a link to an operation opens it; operations of the dashboard use the session of the signed-in user",
    { skip: onlyLong() },
    async () => {
      const user = await t.user("viewer");
      const path = "docs/console?document=dashboard#/Sessions/getSession";
      const { page, errors, requests } = await openConsole(path, { user });
      const { status, body } = await execute(page, "getSession");
      assert.equal(status, "200");
      assert.match(body, /"role": "viewer"/);
      assert.equal(await page.locator(".auth-wrapper").count(), 0);
      assert.deepEqual([errors, elsewhere(requests)], [[], []]);
      await page.context().close();
    },
  );

  test("it follows the browser's light or dark colours", { skip: onlyLong() }, async () => {
    const { page } = await openConsole("docs/console");
    for (const colorScheme of ["dark", "light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html${colorScheme === "dark" ? ".dark-mode" : ":not(.dark-mode)"}`).waitFor();
    }
    await page.context().close();
  });

  test("without scripts it links to the documentation; with a trailing slash it redirects to itself", async () => {
    const response = await fetch(`${t.server.url}/docs/console/`);
    assert.deepEqual([response.status, response.url], [200, `${t.server.url}/docs/console`]);
    assert.match(
      response.headers.get("content-security-policy")!,
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    );
    assert.match(await response.text(), /<noscript>[^<]*<a href="\.\.\/docs">/);
  });
});
