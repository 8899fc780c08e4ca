/** Deployments, as the administrator of a firewall creates and monitors them at a browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestUser } from "../api/dashboard/browser.ts";
import { visit } from "../api/dashboard/browser.ts";
import { until } from "../until.ts";
import { checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";
import { onlyLong } from "../rounds.ts";

describe("pages of deployments", { skip: missing ?? false, timeout: 900_000 }, () => {
  let t: Dashboard;
  let editor: TestUser;
  before(async () => {
    t = await startDashboard();
    editor = await t.user("editor");
  });
  after(() => t.close());

  const api = async (method: string, path: string, body?: unknown): Promise<any> =>
    (
      await visit(t, method, `/edl/deployments/${path}`, {
        token: editor.token,
        ...(body === undefined ? {} : { body }),
      })
    ).body;
  /** A deployment whose list has reached the given state. */
  async function make(body: object, status = "ok"): Promise<string> {
    const { id } = await api("POST", "", body);
    await until(`the deployment is ${status}`, async () => (await api("GET", id)).status === status);
    return id;
  }
  const end = async ({ page, errors }: Awaited<ReturnType<Dashboard["open"]>>): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  test("an allowlist among the includes of a blocklist is named before it is saved, and on its page", async () => {
    const { items } = (await visit(t, "GET", "/edl/ip-rulesets/?purpose=allowlist", { token: editor.token })).body;
    const doubt = `The allowlist "${items[0].name}" is an include of a blocklist: devices block what it allows; make it an exclude.`;
    const body = { name: "Doubtful", include: [{ ruleset: items[0].id }, { prefixes: ["20.0.0.0/24"] }] };
    const id = await make(body);
    const opened = await t.open(`#/deployments/${id}`, { user: editor });
    const { page } = opened;
    await page.getByText(doubt).waitFor();
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.getByText(doubt).waitFor();
    await page.getByLabel("Purpose").selectOption("other");
    await page.getByText(doubt).waitFor({ state: "detached" });
    await api("DELETE", id);
    await end(opened);
  });

  test("created with a preview that follows each change, used by a device, edited, and deleted by typing its name", async () => {
    await checkLooks(t, "deployments-empty", "#/deployments", editor, (page) =>
      page.getByText("No deployments yet").waitFor(),
    );
    const opened = await t.open("#/deployments", { user: editor });
    const { page } = opened;
    await page.getByRole("link", { name: "New deployment" }).first().click();
    const create = page.getByRole("button", { name: "Create deployment" });
    assert.equal(await create.isDisabled(), true);
    await page.getByText("Add a source under Include first.").waitFor();
    await page.locator("input[name=name]").fill("Edge");
    await page.getByLabel("Device", { exact: true }).selectOption("sonicwall-25k");
    assert.equal(await page.getByLabel("Format", { exact: true }).inputValue(), "sonicwall");
    await page.getByLabel("Device", { exact: true }).selectOption("none");
    await page.getByLabel("Format", { exact: true }).selectOption("nftables");
    const include = page.getByRole("group", { name: "Include" });
    await include.getByLabel("Include from").selectOption("prefixes");
    await include.getByLabel("Addresses and prefixes", { exact: true }).fill("20.0.0.0/24, 2a00:1::/32");
    await include.getByRole("button", { name: "Add prefixes" }).click();
    await page.getByText("The list would be published.").waitFor();
    await include.getByLabel("Addresses and prefixes", { exact: true }).fill("10.0.0.0/30");
    await include.getByRole("button", { name: "Add prefixes" }).click();
    await page.getByText("would block 4 addresses for special use (Private-Use)").waitFor();
    await page.getByRole("button", { name: "Remove 10.0.0.0/30" }).click();
    const exclude = page.getByRole("group", { name: "Exclude" });
    await exclude.getByLabel("Exclude from").selectOption("prefixes");
    await exclude.getByLabel("Addresses and prefixes", { exact: true }).fill("20.0.0.0/25");
    await exclude.getByRole("button", { name: "Add prefixes" }).click();
    await page.getByText("1 entry, 128 addresses").waitFor();
    await page.getByText("1 prefix", { exact: true }).waitFor();
    await create.click();
    await page.getByRole("heading", { name: "Edge", level: 1 }).waitFor();
    const url = page.locator(".secret code").getByText(/\/combined\.txt$/);
    await url.waitFor();
    await page.getByText("No device has fetched the list yet").waitFor();
    const list = await (await fetch((await url.textContent())!)).text();
    const [, set] = /add set inet ipsieve (\w+)_4 /.exec(list)!;
    await page.getByText(`@${set}_4 drop`).waitFor();
    await until("the request is shown", async () => {
      await page.getByRole("button", { name: "Refresh pulls" }).click();
      return (await page.getByRole("table", { name: "Latest pulls" }).count()) === 1;
    });
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.getByRole("button", { name: "Remove 20.0.0.0/25" }).click();
    await page.getByText("1 entry, 256 addresses").waitFor();
    await page.getByText("128 IPv4 and 0 IPv6 addresses: 20.0.0.0/25").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("button", { name: "Delete the deployment" }).click();
    const remove = page.getByRole("dialog").getByRole("button", { name: "Delete the deployment" });
    assert.equal(await remove.isDisabled(), true);
    await page.getByLabel("Type its name").fill("Edge");
    await remove.click();
    await page.getByText("No deployments yet").waitFor();
    await end(opened);
  });

  test("networks, countries, queries and what several agree about are picked, and shown as they are", async () => {
    const opened = await t.open("#/deployments/new", { user: editor });
    const { page } = opened;
    const include = page.getByRole("group", { name: "Include" });
    await page.locator("input[name=name]").fill("Agreed");
    await include.getByLabel("Include from").selectOption("asn");
    await include.getByRole("combobox", { name: "Search networks" }).fill("stanford university");
    await include.getByRole("option", { name: /AS32/ }).click();
    await include.getByLabel("Include from").selectOption("country");
    await include.getByLabel("Country", { exact: true }).fill("de");
    await include.getByRole("button", { name: "Add country" }).click();
    await include.getByLabel("Include from").selectOption("query");
    await include.getByLabel("Query").fill("tag:ssh");
    await include.getByRole("button", { name: "Add query" }).click();
    await include.getByLabel("Include from").selectOption("atleast");
    const voters = include.getByRole("group", { name: "Sources that vote" });
    assert.equal(await voters.locator("option[value=atleast]").count(), 0);
    await voters.getByLabel("Vote by").selectOption("prefixes");
    const addVoter = async (text: string): Promise<void> => {
      await voters.getByLabel("Addresses and prefixes").last().fill(text);
      await voters.getByRole("button", { name: "Add prefixes" }).click();
    };
    await addVoter("20.0.0.1");
    assert.equal(await include.getByRole("button", { name: "Add agreement" }).isDisabled(), true);
    await addVoter("20.0.0.0/31");
    await include.getByRole("button", { name: "Add agreement" }).click();
    await page.getByRole("button", { name: "Remove At least 2 of: 20.0.0.1; 20.0.0.0/31" }).waitFor();
    for (const text of ["Network AS32", "Country Germany (DE)", "Threat intelligence: tag:ssh"])
      await page.getByRole("button", { name: `Remove ${text}` }).waitFor();
    await page.getByRole("button", { name: "Create deployment" }).click();
    await page.getByRole("heading", { name: "Agreed", level: 1 }).waitFor();
    const { items } = await api("GET", "");
    const { include: sources, id } = items.find(({ name }: { name: string }) => name === "Agreed");
    assert.deepEqual(sources, [
      { asn: 32 },
      { country: "DE" },
      { cti_query: 'tag:"ssh"' },
      { atleast: 2, of: [{ prefixes: ["20.0.0.1"] }, { prefixes: ["20.0.0.0/31"] }] },
    ]);
    await api("DELETE", id);
    await end(opened);
  });

  test("sources are picked from rulesets, the catalogue and threat intelligence", { skip: onlyLong() }, async () => {
    const opened = await t.open("#/deployments/new", { user: editor });
    const { page } = opened;
    const include = page.getByRole("group", { name: "Include" });
    await page.locator("input[name=name]").fill("Picked");
    await include.getByRole("button", { name: "Add ruleset" }).click();
    await include.getByLabel("Include from").selectOption("cbs");
    await include.getByRole("combobox", { name: "Search the catalogue" }).fill("cloudflare");
    await include.getByRole("listbox").getByRole("option").first().click();
    await include.getByLabel("Include from").selectOption("cti");
    await include.getByLabel("Seen within (days)").fill("7");
    await include.getByRole("button", { name: "Add selection" }).click();
    await page.getByRole("button", { name: "Remove Threat intelligence: malicious, seen within 7 days" }).waitFor();
    await page.getByRole("button", { name: "Create deployment" }).click();
    await page.getByRole("heading", { name: "Picked", level: 1 }).waitFor();
    const { items } = await api("GET", "");
    const { include: sources, id } = items.find(({ name }: { name: string }) => name === "Picked");
    assert.deepEqual(
      sources.map((source: object) => Object.keys(source)),
      [["ruleset"], ["cbs"], ["cti"]],
    );
    assert.deepEqual(sources[2].cti, { classification: "malicious", seen_within_days: 7 });
    await api("DELETE", id);
    await end(opened);
  });

  test(
    "a blocklist with too many entries is shortened on request, and the preview says by what",
    { skip: onlyLong() },
    async () => {
      const opened = await t.open("#/deployments/new", { user: editor });
      const { page } = opened;
      const include = page.getByRole("group", { name: "Include" });
      await include.getByLabel("Include from").selectOption("prefixes");
      await include.getByLabel("Addresses and prefixes", { exact: true }).fill("20.9.0.1, 20.9.0.2, 20.9.128.1");
      await include.getByRole("button", { name: "Add prefixes" }).click();
      await page.getByText("The list would be published.").waitFor();
      await page.getByText("Limits", { exact: true }).click();
      await page.getByLabel("Maximum entries of a file").fill("2");
      await page.getByText("the list has 3 entries, more than the 2 allowed").waitFor();
      const shorten = page.getByLabel("Shorten a blocklist that has too many entries");
      await shorten.check();
      await page.getByText("shortened to fewer than 3, as some addresses must not be added").waitFor();
      await page.getByLabel("If it would block services").selectOption("off");
      await page.getByText("2 IPv4 and 0 IPv6 addresses, such as 20.9.0.0, 20.9.0.3.").waitFor();
      await page.getByText("The list would be published.").waitFor();
      await shorten.uncheck();
      await page.getByText("the list has 3 entries, more than the 2 allowed").waitFor();
      await end(opened);
    },
  );

  test(
    "timeouts are switched on for formats that have them, and the preview counts entries with one",
    { skip: onlyLong() },
    async () => {
      const opened = await t.open("#/deployments/new", { user: editor });
      const { page } = opened;
      const include = page.getByRole("group", { name: "Include" });
      await include.getByLabel("Include from").selectOption("prefixes");
      await include.getByLabel("Addresses and prefixes", { exact: true }).fill("20.9.0.1");
      await include.getByRole("button", { name: "Add prefixes" }).click();
      await page.getByText("The list would be published.").waitFor();
      await page.getByText("Limits", { exact: true }).click();
      await page.getByLabel("Give entries that expire a timeout").check();
      await page.getByText("entries in the format text cannot have timeouts").first().waitFor();
      await page.getByLabel("Format", { exact: true }).selectOption("nftables");
      await page.getByText("With a timeout").waitFor();
      await page.getByText("0 entries", { exact: true }).waitFor();
      await end(opened);
    },
  );

  test(
    "a deployment that someone else has changed meanwhile is neither overwritten nor deleted",
    { skip: onlyLong() },
    async () => {
      const id = await make({ name: "Shared", include: [{ prefixes: ["20.0.0.0/24"] }] });
      const [editing, looking] = await Promise.all(
        [`#/deployments/${id}/edit`, `#/deployments/${id}`].map((at) => t.open(at, { user: editor })),
      );
      await editing!.page.locator("input[name=description]").fill("mine");
      await looking!.page.getByRole("button", { name: "Deactivate" }).click();
      await api("PATCH", id, { description: "theirs" });
      await editing!.page.getByRole("button", { name: "Save changes" }).click();
      await looking!.page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
      for (const { page } of [editing!, looking!])
        await page.getByText("Someone else has changed this deployment").waitFor();
      const { page } = looking!;
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      const erase = async (): Promise<void> => {
        await page.getByRole("button", { name: "Delete the deployment" }).click();
        await page.getByLabel("Type its name").fill("Shared");
        await page.getByRole("dialog").getByRole("button", { name: "Delete the deployment" }).click();
      };
      await erase();
      await page.getByText("Someone else has changed this deployment").waitFor();
      const { description, active } = await api("GET", id);
      assert.deepEqual([description, active], ["theirs", true]);
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Refresh", exact: true }).click();
      await page.getByText("theirs").waitFor();
      await erase();
      await page.getByText("No deployments yet").waitFor();
      assert.ok(editing!.errors.concat(looking!.errors).every((error) => error.includes("412")));
      await Promise.all([editing!, looking!].map((each) => each.page.context().close()));
    },
  );

  test(
    "a list that would be refused is announced before saving, with the remedy; errors are at their fields",
    { skip: onlyLong() },
    async () => {
      const id = await make({ name: "Wide", include: [{ prefixes: ["20.0.0.0/24"] }] });
      const opened = await t.open(`#/deployments/${id}/edit`, { user: editor });
      const { page } = opened;
      await page.getByText("Limits", { exact: true }).click();
      await page.getByLabel("Shortest IPv4 prefix").fill("25");
      await page.getByText("The list would not be published").waitFor();
      await page.getByText(/too wide: 20\.0\.0\.0\/24 of prefixes\. Remove the wide prefix/).waitFor();
      await page.getByLabel("Shortest IPv4 prefix").fill("24");
      await page.getByText("The list would be published.").waitFor();
      await page.getByLabel("Format", { exact: true }).selectOption("crowdsec-csv");
      await page.getByLabel("Purpose").selectOption("allowlist");
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.locator(".field-error").waitFor();
      assert.equal(await page.getByLabel("Format", { exact: true }).getAttribute("aria-invalid"), "true");
      await api("PATCH", id, { options: { min_prefix_v4: 25 } });
      await until("the list is refused", async () => (await api("GET", id)).status === "refused");
      await page.goto(`${t.server.url}/#/deployments/${id}`);
      await page.getByText("List 1 was not published.").waitFor();
      await page.getByText(/Devices keep list 1/).waitFor();
      assert.equal(await page.getByRole("button", { name: /^Publish list/ }).count(), 0);
      await end(opened);
      await checkLooks(t, "deployment-refused", `#/deployments/${id}`, editor, (shown) =>
        shown.getByText("List 1 was not published.").waitFor(),
      );
      await checkLooks(t, "deployment-edit", `#/deployments/${id}/edit`, editor, (shown) =>
        shown.getByText("The list would not be published").waitFor(),
      );
      await checkLooks(t, "deployments", "#/deployments", editor);
    },
  );

  test("a guard refuses a list until someone approves it, or leaves addresses out", { skip: onlyLong() }, async () => {
    const id = await make({ name: "Guarded", include: [{ prefixes: ["20.0.0.0/24", "10.0.0.0/30"] }] });
    const opened = await t.open(`#/deployments/${id}/edit`, { user: editor });
    const { page } = opened;
    await page.getByText("The list has addresses that should not be blocked.").waitFor();
    const guard = page.getByLabel("If it would block services");
    await guard.selectOption("carve");
    await page.getByText("The guard leaves out addresses that should not be blocked.").waitFor();
    await page.getByLabel("Services that must not be blocked").selectOption("own");
    await page.getByLabel("Known scanners").check();
    await guard.selectOption("refuse");
    await page
      .getByText(/It would block .*4 addresses for special use.*If they should be blocked, publish the list/)
      .waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("refuses lists with addresses that should not be blocked; protects CDNs").waitFor();
    assert.deepEqual((await api("GET", id)).guard_classes, ["serving", "rented", "scanner"]);
    await until("the list is refused", async () => (await api("GET", id)).status === "refused");
    await page.getByRole("button", { name: "Refresh" }).first().click();
    await page.getByRole("button", { name: "Publish list 1" }).click();
    await page.getByRole("button", { name: "Publish the list" }).click();
    await until("the list is published", async () => (await api("GET", id)).status === "ok");
    await end(opened);
    await api("DELETE", id);
  });

  test(
    "an admin replaces the URLs and the password; editors cannot; viewers only read",
    { skip: onlyLong() },
    async () => {
      const id = await make({ name: "Rotated", include: [{ prefixes: ["20.0.0.0/24"] }] });
      const before: string = (await api("GET", `${id}/urls/`)).urls.combined[0];
      const [admin, viewer] = [await t.user("admin"), await t.user("viewer")];
      const opened = await t.open(`#/deployments/${id}`, { user: admin });
      const { page } = opened;
      await page.locator(".secret code").getByText(before, { exact: true }).waitFor();
      const replaceUrls = () => page.getByRole("button", { name: "Replace credentials" }).click();
      for (const hours of ["24", "72"]) {
        await replaceUrls();
        assert.equal(await page.getByLabel("The old URLs keep working for").inputValue(), "24");
        await page.getByLabel("The old URLs keep working for").selectOption(hours);
        await page.getByRole("button", { name: "Replace", exact: true }).click();
        await page.getByText("Copy the new URLs to your devices.").waitFor();
        await page.getByRole("button", { name: "Done" }).click();
      }
      const ends = page.locator("dd li").filter({ hasText: /^replaced .*: work until / });
      await ends.nth(1).waitFor();
      assert.equal(await ends.count(), 2, "each old URL with its end");
      assert.equal((await fetch(before)).status, 200);
      await replaceUrls();
      await page.getByLabel("The old URLs keep working for").selectOption("0");
      await page.getByRole("button", { name: "Replace", exact: true }).click();
      await page.getByText("Copy the new URLs to your devices.").waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      await page.locator(".secret code").getByText(before, { exact: true }).waitFor({ state: "detached" });
      assert.equal((await fetch(before)).status, 403);
      await page.getByRole("button", { name: "Replace credentials" }).click();
      await page.getByLabel("Replace", { exact: true }).selectOption("password");
      await page.getByRole("button", { name: "Replace", exact: true }).click();
      const password = (await page.locator("dialog .secret code").textContent())!;
      const headers = { authorization: `Basic ${Buffer.from(`any:${password}`).toString("base64")}` };
      assert.equal((await fetch(`${t.server.url}/feeds/${id}/combined.txt`, { headers })).status, 200);
      await end(opened);
      for (const [user, buttons] of [
        [editor, ["Delete the deployment", "Refresh", "Deactivate"]],
        [viewer, ["Refresh"]],
      ] as const) {
        const other = await t.open(`#/deployments/${id}`, { user });
        const names = await other.page
          .locator(".page-head button")
          .evaluateAll((all) => all.map((each) => each.getAttribute("aria-label") ?? each.textContent));
        assert.deepEqual(names, buttons);
        await end(other);
      }
    },
  );

  test("an inactive deployment says what devices get, and can be activated again", { skip: onlyLong() }, async () => {
    const id = await make({ name: "Paused", include: [{ prefixes: ["20.0.0.0/24"] }] });
    const opened = await t.open(`#/deployments/${id}`, { user: editor });
    const { page } = opened;
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
    await page.getByText("devices that fetch the list get 403").waitFor();
    await page.getByRole("button", { name: "Activate", exact: true }).click();
    await page
      .locator(".secret code")
      .getByText(/\/combined\.txt$/)
      .waitFor();
    t.clock.now += 4 * 900_000;
    await page.getByRole("button", { name: "Refresh", exact: true }).click();
    await page.getByText("No device has fetched the list for 45 minutes").waitFor();
    await end(opened);
  });
});
