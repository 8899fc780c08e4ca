/**
 * What follows changes, as an admin sets it up and monitors it at a browser: webhooks, bouncers, edge components and
 * TAXII clients.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Webhook as Verifier } from "standardwebhooks";
import { type TestUser, visit } from "../api/dashboard/browser.ts";
import { WebhookReceiver } from "../api/harness/webhook-receiver.ts";
import { ask } from "../api/start-server.ts";
import { until } from "../until.ts";
import { checkLooks, type Dashboard, missing, type OpenPage, startDashboard } from "./browser.ts";
import { onlyLong } from "../rounds.ts";

describe("pages of what follows changes", { skip: missing ?? false, timeout: 900_000 }, () => {
  let t: Dashboard;
  let receiver: WebhookReceiver;
  let admin: TestUser;
  before(async () => {
    // The tokens of edge components contain the base URL; nothing is fetched from it.
    t = await startDashboard({ outboundAllow: "127.0.0.0/8", baseUrl: "http://ipsieve.example" });
    // Receivers compare the time of a message with their own clocks.
    t.clock.now = Date.now();
    receiver = await WebhookReceiver.start();
    admin = await t.user("admin");
  });
  after(async () => {
    await t.close();
    await receiver.close();
  });

  const api = async (method: string, path: string, body?: unknown): Promise<any> =>
    (await visit(t, method, path, { token: admin.token, ...(body === undefined ? {} : { body }) })).body;
  const end = async ({ page, errors }: OpenPage): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  test(
    "a webhook endpoint: created, tested, paused, given a new secret, disabled, restarted, deleted by typing its host",
    { skip: onlyLong() },
    async () => {
      const opened = await t.open("#/webhooks", { user: admin });
      const { page } = opened;
      await page.getByText("No endpoints yet").waitFor();
      const dialog = page.getByRole("dialog");
      const secret = async (): Promise<string> => (await dialog.locator(".secret code").textContent())!;
      const lastTo = (path: string) => receiver.at(path).at(-1)!;
      const verify = (text: string) =>
        new Verifier(text).verify(lastTo("/hook").body, lastTo("/hook").headers as Record<string, string>);

      await page.getByRole("button", { name: "New endpoint" }).first().click();
      const create = page.getByRole("button", { name: "Create endpoint" });
      await page.locator("input[name=url]").fill("ftp://example.org/");
      assert.equal(await create.isDisabled(), true);
      await page.getByLabel("A ruleset was created").check();
      await create.click();
      await page.locator(".field-error").waitFor();
      await page.locator("input[name=url]").fill(`${receiver.url}/hook`);
      await create.click();
      await page.getByRole("heading", { name: "The endpoint's secret" }).waitFor();
      const first = await secret();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("heading", { name: new URL(receiver.url).host, level: 1 }).waitFor();
      await page.getByText("Nothing sent yet").waitFor();

      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByRole("row").filter({ hasText: "delivered" }).filter({ hasText: "204" }).waitFor();
      verify(first);
      receiver.respond = (response) => void response.writeHead(500).end();
      await page.getByRole("button", { name: "Send again: webhook.test" }).click();
      await page.getByText(/^Not delivered: /).waitFor();
      await page.getByRole("row").getByText("sent again").waitFor();
      await page.getByRole("button", { name: "Show what was sent: webhook.test" }).first().click();
      await dialog.getByText('"type": "webhook.test"').waitFor();
      await dialog.getByText(lastTo("/hook").headers["webhook-id"] as string).waitFor();
      await page.getByRole("button", { name: "Done" }).click();

      await page.getByRole("button", { name: "Pause" }).click();
      await dialog.getByRole("button", { name: "Pause" }).click();
      await page.getByText("The endpoint is paused").waitFor();
      await page.getByRole("button", { name: "Start without what it missed" }).click();
      await page.getByText("The endpoint is paused").waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Replace the secret" }).click();
      await page.getByLabel("Also sign with the old secret").selectOption("0");
      await page.getByRole("button", { name: "Replace", exact: true }).click();
      await page.getByRole("heading", { name: "The new secret" }).waitFor();
      const second = await secret();
      await page.getByRole("button", { name: "Done" }).click();
      receiver.respond = (response) => void response.writeHead(204).end();
      const before = receiver.at("/hook").length;
      await page.getByRole("button", { name: "Send a test" }).click();
      await until("the test arrives", () => receiver.at("/hook").length > before);
      verify(second);
      assert.throws(() => verify(first), /No matching signature/);

      const id = new URL(page.url()).hash.split("/").at(-1)!;
      receiver.respond = (response) => void response.writeHead(410).end();
      const { id: made } = await api("POST", "/edl/ip-rulesets/", { name: "events", purpose: "blocklist" });
      assert.ok(made);
      await until("it is disabled", async () => (await api("GET", `/webhooks/${id}`)).health.status === "disabled");
      await page.reload();
      await page.getByText("it answered 410 Gone").waitFor();
      await end(opened);
      await checkLooks(t, "webhook-disabled", `#/webhooks/${id}`, admin, (shown) =>
        shown.getByText("it answered 410 Gone").waitFor(),
      );

      const again = await t.open(`#/webhooks/${id}`, { user: admin });
      receiver.respond = (response) => void response.writeHead(204).end();
      await again.page.getByRole("button", { name: "Start and send what it missed" }).click();
      await until("what was missed arrives", () => lastTo("/hook").body.includes("ruleset.created"));
      await again.page.getByRole("button", { name: "Edit" }).click();
      await again.page.getByLabel("All events").check();
      await again.page.getByRole("button", { name: "Save" }).click();
      await again.page.locator("dd").getByText("webhook.disabled").waitFor();
      await again.page.getByRole("button", { name: "Delete the endpoint" }).click();
      const erase = again.page.getByRole("dialog").getByRole("button", { name: "Delete the endpoint" });
      assert.equal(await erase.isDisabled(), true);
      await again.page.getByLabel("Type its host").fill(new URL(receiver.url).host);
      await erase.click();
      await again.page.getByText("No endpoints yet").waitFor();
      await end(again);

      const editor = await t.open("#/webhooks", { user: await t.user("editor") });
      await editor.page.getByText("Only administrators can open this page").waitFor();
      assert.equal(await editor.page.getByRole("link", { name: "Webhooks" }).count(), 0);
      await end(editor);
    },
  );

  test(
    "a bouncer's key and an edge token are created and revoked; what they block is shown by source, rule and hour",
    { skip: onlyLong() },
    async () => {
      const ruleset = await api("POST", "/edl/ip-rulesets/", { name: "scanners", purpose: "blocklist" });
      await api("POST", `/edl/ip-rulesets/${ruleset.id}/rules`, { ip: "192.0.2.0/24" });
      const { id } = await api("POST", "/edl/deployments/", { name: "Front", include: [{ ruleset: ruleset.id }] });
      await until("it is published", async () => (await api("GET", `/edl/deployments/${id}`)).status === "ok");
      const opened = await t.open(`#/deployments/${id}`, { user: admin });
      const { page } = opened;
      const secret = async (): Promise<string> => (await page.locator("dialog .secret code").textContent())!;

      await page.getByText("No bouncers or edge components yet", { exact: true }).waitFor();
      await page.getByText("Nothing reported yet").waitFor();
      await page.getByRole("button", { name: "New bouncer key" }).click();
      await page.locator("input[name=label]").fill("firewall");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByText("Use the key for one bouncer only.").waitFor();
      const key = await secret();
      assert.equal(
        await page.locator("dialog .recipe code").textContent(),
        `api_url: http://ipsieve.example/\napi_key: ${key}`,
      );
      await page.getByRole("button", { name: "Done" }).click();
      const stream = () => ask(t, "GET", "/v1/decisions/stream?startup=true", { headers: { "X-Api-Key": key } });
      assert.deepEqual(
        (await stream()).body.new.map(({ value }: { value: string }) => value),
        ["192.0.2.0/24"],
      );

      await page.getByRole("button", { name: "New edge token" }).click();
      await page.locator("input[name=label]").fill("proxy");
      await page.getByRole("button", { name: "Create token" }).click();
      await page.getByRole("heading", { name: 'The token "proxy"' }).waitFor();
      const body = { bootstrap_token: await secret() };
      await page.getByRole("button", { name: "Done" }).click();
      const { access_token: access } = (await ask(t, "POST", "/api/v1/edl/bootstrap", { body })).body;
      const events = ["192.0.2.7", "192.0.2.8", "203.0.113.1"].map((ip) => ({
        ts: "x",
        event_type: "access_blocked",
        client: { ip },
      }));
      const headers = { Authorization: `Bearer ${access}` };
      assert.equal((await ask(t, "POST", "/api/v1/edl/logs", { headers, body: { events } })).status, 202);
      const row = page.getByRole("row").filter({ hasText: "192.0.2.0/24" });
      await until("what was blocked is shown", async () => {
        await page.getByRole("button", { name: "Refresh what was blocked" }).click();
        return (await row.count()) === 1;
      });
      await row.getByText("2 requests").waitFor();
      assert.equal(
        await row.getByRole("link", { name: "Ruleset scanners" }).getAttribute("href"),
        `#/rulesets/${ruleset.id}`,
      );
      await page.getByText("Not from a source of this deployment").waitFor();
      await page.getByRole("img", { name: "Requests blocked per hour (UTC). Requests: from 0 to 3, last 3" }).waitFor();

      for (const [label, action] of [
        ["firewall", "Revoke the key"],
        ["proxy", "Revoke the token"],
      ] as const) {
        await page.getByRole("button", { name: `Revoke ${label}` }).click();
        await page.getByRole("button", { name: action }).click();
        await page.getByRole("button", { name: `Revoke ${label}` }).waitFor({ state: "detached" });
      }
      assert.equal((await stream()).status, 403);
      assert.equal((await ask(t, "POST", "/api/v1/edl/bootstrap", { body })).status, 401);
      await end(opened);
      await checkLooks(t, "deployment-blocked", `#/deployments/${id}`, admin, (shown) =>
        shown.getByText("2 requests").waitFor(),
      );

      const viewer = await t.open(`#/deployments/${id}`, { user: await t.user("viewer") });
      await viewer.page.getByText("2 requests").waitFor();
      assert.equal(await viewer.page.getByRole("button", { name: /^(New bouncer|New edge|Revoke)/ }).count(), 0);
      await end(viewer);
    },
  );

  test("a TAXII credential is created for chosen collections, replaced and revoked; viewers see the existing ones", async () => {
    const ruleset = await api("POST", "/edl/ip-rulesets/", { name: "indicators", purpose: "blocklist" });
    const opened = await t.open("#/taxii", { user: admin });
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    const create = dialog.getByRole("button", { name: "Create credential" });
    const made = async (): Promise<string> => {
      await dialog.getByText("Copy the password now").waitFor();
      const password = (await dialog.locator(".secret code").textContent())!;
      await dialog.getByText(password.slice(0, 8), { exact: true }).waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      return password;
    };
    const read = async (password: string) => {
      const authorization = `Basic ${btoa(`${password.slice(0, 8)}:${password}`)}`;
      return ask(t, "GET", "/taxii2/api/collections/", { headers: { authorization } });
    };

    await page.getByText("No credentials yet").waitFor();
    await page.getByText("http://ipsieve.example/taxii2/", { exact: true }).waitFor();
    await page.getByRole("button", { name: "New credential" }).first().click();
    await page.locator("input[name=label]").fill("SIEM");
    assert.equal(await create.isDisabled(), true);
    await dialog.getByLabel("indicators ruleset").check();
    await create.click();
    const first = await made();
    assert.deepEqual(
      JSON.parse((await read(first)).text).collections.map(({ id }: { id: string }) => id),
      [ruleset.id],
    );
    await page.getByRole("row").filter({ hasText: "SIEM" }).getByText("indicators").waitFor();

    await page.getByRole("button", { name: "Replace SIEM" }).click();
    await dialog.getByLabel("Threat intelligence").check();
    await create.click();
    const second = await made();
    assert.deepEqual([(await read(first)).status, JSON.parse((await read(second)).text).collections.length], [200, 2]);
    const earlier = page.getByRole("row").filter({ hasText: first.slice(0, 8) });
    await earlier.getByRole("button", { name: "Revoke SIEM" }).click();
    await page.getByRole("button", { name: "Revoke the credential" }).click();
    await earlier.getByText("revoked").waitFor();
    assert.deepEqual([(await read(first)).status, (await read(second)).status], [401, 200]);
    await end(opened);
    await checkLooks(t, "taxii-clients", "#/taxii", admin, (shown) => shown.getByText("revoked").waitFor());

    const viewer = await t.open("#/taxii", { user: await t.user("viewer") });
    await viewer.page.getByText(second.slice(0, 8)).waitFor();
    assert.equal(await viewer.page.getByRole("button", { name: /^(New credential|Replace|Revoke)/ }).count(), 0);
    await end(viewer);
  });

  test("a page whose script is missing says so, and loads the new ones", { skip: onlyLong() }, async () => {
    const opened = await t.open("#/", { user: admin });
    const { page } = opened;
    await page.route(/\/assets\/list-pages-/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Deployments" }).click();
    await page.getByText("The page could not be loaded").waitFor();
    await page.unroute(/\/assets\/list-pages-/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Deployments", level: 1 }).waitFor();
    await end(opened);
  });
});
