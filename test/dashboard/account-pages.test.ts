/** Signing in and out, keys, users, the audit log, usage and the overview, as a person at a browser sees them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import { AUDIT_ACTIONS } from "../../src/service/changes/audit-actions.ts";
import { PLAIN_NAME } from "../../src/api/access/session-cookie.ts";
import { makeApiKey } from "../../src/store/records/api-key.ts";
import { addUser, type TestUser, visit } from "../api/dashboard/browser.ts";
import { addKey, addOrganisation, ask } from "../api/start-server.ts";
import { HOSTILE_TEXTS, WAS_OBEYED } from "../cases/hostile-texts.ts";
import { until } from "../until.ts";
import {
  accessibilityErrors,
  checkLooks,
  type Dashboard,
  missing,
  overflow,
  settle,
  startDashboard,
} from "./browser.ts";
import { onlyLong } from "../rounds.ts";

const PASSWORD = "several words of a test";

describe("pages of accounts", { skip: missing ?? false }, () => {
  let t: Dashboard;
  let admin: TestUser;
  before(async () => {
    t = await startDashboard();
  });
  after(() => t.close());

  const heading = (page: Page): Promise<string> => page.locator("h1").innerText();
  /** The checks at the end of every test. */
  const end = async (page: Page, errors: readonly string[]): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  test("the first user is created with the link that the server prints", async () => {
    await checkLooks(t, "set-up", `#/setup?token=${t.server.setupToken}`);
    const { page, errors } = await t.open(`#/setup?token=${t.server.setupToken}`);
    await page.getByLabel("Organisation").fill("Example Networks");
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Repeat password").fill("other");
    await page.getByRole("button", { name: "Set up" }).click();
    assert.equal(await page.locator(".field-error").innerText(), "The passwords do not match");
    assert.equal(
      await page.locator("input[name=repeated]:focus").count(),
      1,
      "at once, so that nothing is typed elsewhere",
    );
    await page.getByLabel("Repeat password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.match(await page.locator(".who").innerText(), /ada\s+Example Networks\s+admin/);
    const cookies = await page.context().cookies();
    assert.deepEqual(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]).sort(), [
      ["ipsieve-device", true, "Strict"],
      [PLAIN_NAME, true, "Strict"],
    ]);
    await end(page, errors);
    admin = await t.user("admin");
  });

  test("if an organisation exists, the link names it and the page has it filled in", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open(`#/setup?token=${t.server.setupToken}&organisation=Quick%20start`);
    assert.equal(await page.getByLabel("Organisation").inputValue(), "Quick start");
    await page.locator("input[name=name]:focus").waitFor();
    await end(page, errors);
  });

  test("without a session the sign-in page comes first, then the requested page", async () => {
    await checkLooks(t, "sign-in", "#/keys");
    const { page, errors } = await t.open("#/account");
    assert.equal(await heading(page), "Sign in");
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await page.keyboard.press("Enter");
    assert.match(await page.getByRole("alert").innerText(), /Name or password is wrong\./);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(
      (await page.context().cookies()).map(({ name }) => name),
      ["ipsieve-device"],
    );
    await end(page, errors);
  });

  test("a session that ends meanwhile: sign in again on the same page", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/", { user: admin });
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    assert.match(await page.locator(".note").innerText(), /Your session has ended/);
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("h1", { hasText: "Keys" }).waitFor();
    await end(page, errors);
  });

  test("changing the password: the old one is no longer valid", { skip: onlyLong() }, async () => {
    await checkLooks(t, "account", "#/account", admin);
    const { page, errors } = await t.open("#/account");
    const signIn = async (password: string): Promise<void> => {
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await signIn(PASSWORD);
    const change = async (old: string): Promise<void> => {
      await page.getByLabel("Current password").fill(old);
      await page.getByLabel("New password").fill(`${PASSWORD} 2`);
      await page.getByLabel("Repeat password").fill(`${PASSWORD} 2`);
      await page.getByRole("button", { name: "Change password" }).click();
    };
    await change("wrong");
    assert.match(await page.getByRole("alert").innerText(), /The current password is wrong\./);
    await change(PASSWORD);
    await page.getByText("Password changed.").waitFor();
    assert.equal(await page.getByLabel("New password").inputValue(), "");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(PASSWORD);
    assert.match(await page.getByRole("alert").innerText(), /wrong/);
    await signIn(`${PASSWORD} 2`);
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    await end(page, errors);
  });

  test("keys: created, shown once, copied, used, and revoked after confirmation", async () => {
    const { page, errors } = await t.open("#/keys", { user: admin });
    await page.getByText("No keys yet").waitFor();
    await page.locator(".page-head").getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.locator("input[name=label]:focus").waitFor();
    assert.match(await page.locator(".field-error").innerText(), /./);
    assert.match(
      await page.locator(`[id="${await page.getByLabel("Access").getAttribute("aria-describedby")}"]`).innerText(),
      /403 Forbidden\. Choose Read and write/,
    );
    await page.getByLabel("Access").selectOption("read_write");
    assert.doesNotMatch(await page.locator("dialog").innerText(), /403/);
    await page.getByLabel("Access").selectOption("read");
    await page.getByLabel("Label").fill("edge router");
    await page.getByLabel("Expires on").fill("2026-12-24");
    assert.equal(
      await page.locator("dialog time").innerText(),
      "2026-12-24 00:00 UTC, which is 2026-12-24 01:00 local time",
    );
    await page.getByRole("button", { name: "Create key" }).click();
    const text = await page.locator(".secret code").innerText();
    assert.match(
      await page.locator("dialog").innerText(),
      /This key can only read: requests that change rulesets get 403 Forbidden\./,
    );
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), text);
    await page.getByRole("button", { name: "Done" }).click();
    assert.ok(!(await page.content()).includes(text));
    await page.locator("button:focus", { hasText: "New key" }).waitFor();
    const row = page.getByRole("row", { name: "edge router" });
    assert.match(
      await row.innerText(),
      /Read\s+everything, from anywhere\s+active\s+2026-12-24 00:00 UTC\s+2026-12-24 01:00 local time\s+never\s+0/,
    );
    assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text })).status, 200);
    // While the server records a use, which it does every 5 s, it shows for a moment neither this nor the recorded one.
    await until("the use is shown", async () => {
      await page.reload();
      await settle(page);
      return /now\s+1\s/.test(await row.innerText());
    });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text })).status, 200);
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("revoked.").waitFor();
    await row.getByText("revoked").waitFor();
    assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text })).status, 401);
    await end(page, errors);
  });

  test("a key that has read URLs of deployments is revoked with them, or without", { skip: onlyLong() }, async () => {
    const organisationId = await addOrganisation(t, "Readers");
    const key = await addKey(t, organisationId);
    const made: { id: string; path: string }[] = [];
    for (const name of ["edge", "office"]) {
      t.clock.now += 1;
      const body = { name, include: [{ prefixes: ["192.0.2.0/24"] }] };
      const { id } = (await ask(t, "POST", "/v1/edl/deployments/", { key: key.text, body })).body;
      const { urls } = (await ask(t, "GET", `/v1/edl/deployments/${id}/urls/`, { key: key.text })).body;
      made.push({ id, path: new URL(urls.combined[0]).pathname });
    }
    const rotations = () => made.map(({ id }) => t.server.services.memory.deploymentById(id)!.rotation);
    const { page, errors } = await t.open("#/keys", { user: await t.user("admin", organisationId) });
    const row = page.getByRole("row", { name: "test" });
    await row.getByRole("button", { name: "Revoke" }).click();
    assert.match(await page.locator("dialog").innerText(), /has read the URLs of "edge", "office"/);
    assert.equal(await page.getByLabel("The old URLs keep working for").count(), 0);
    await page.getByLabel("URLs that the key has read").selectOption("replace");
    await page.getByLabel("The old URLs keep working for").selectOption("0");
    assert.deepEqual(rotations(), [1, 1]);
    await page.route(/rotate/, (route) => route.abort());
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await row.getByText("revoked").waitFor();
    assert.deepEqual(rotations(), [1, 1], "the server cannot be reached for the URLs: the key is revoked all the same");
    await page.unroute(/rotate/);
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("revoked.").waitFor();
    assert.deepEqual(rotations(), [2, 2]);
    for (const { path } of made) assert.equal((await ask(t, "GET", path)).status, 403);
    await end(page, errors);
  });

  test("keys in all states look right, and viewers cannot create any", { skip: onlyLong() }, async () => {
    await addKey(t, t.organisationId, "read_write", t.clock.now + 3 * 86_400_000);
    await addKey(t, t.organisationId, "read", t.clock.now - 1);
    await checkLooks(t, "keys", "#/keys", admin);
    await checkLooks(t, "new-key", "#/keys", admin, (page) => page.getByRole("button", { name: "New key" }).click());
    const { page, errors } = await t.open("#/keys", { user: await t.user("viewer") });
    assert.deepEqual(await page.locator("main").getByRole("button").allInnerTexts(), []);
    assert.deepEqual(await page.locator("td .badge").allInnerTexts(), ["expires soon", "expired", "revoked"]);
    await end(page, errors);
  });

  test("users: invited by a link, join, change roles, and are removed", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/users", { user: admin });
    await page.getByRole("button", { name: "Invite a user" }).click();
    await page.getByLabel("Name").fill("<b>grace</b>");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Create invitation" }).click();
    const link = await page.locator(".secret code").innerText();
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: "<b>grace</b>" });
    await row.getByText("invited, not joined yet").waitFor();
    await checkLooks(t, "users", "#/users", admin);

    const guest = await t.open(link.slice(link.indexOf("#")));
    await checkLooks(t, "join", link.slice(link.indexOf("#")));
    // The password field has the focus; a password that is too short is reported as soon as the field is left, without
    // a request to the server.
    await guest.page.locator("input[name=password]:focus").waitFor();
    let asked = 0;
    guest.page.on("request", () => asked++);
    await guest.page.keyboard.type("short");
    assert.equal(await guest.page.locator(".field-error").count(), 0);
    await guest.page.keyboard.press("Tab");
    assert.equal(await guest.page.locator(".field-error").innerText(), "Use at least 10 characters");
    assert.equal(await guest.page.getByLabel("Password", { exact: true }).getAttribute("aria-invalid"), "true");
    await guest.page.keyboard.type("short");
    await guest.page.keyboard.press("Enter");
    await guest.page.locator("input[name=password][aria-invalid=true]:focus").waitFor();
    await guest.page.keyboard.press("End");
    await guest.page.keyboard.type(" and longer");
    assert.equal(await guest.page.locator(".field-error").count(), 0);
    await guest.page.getByRole("button", { name: "Join" }).click();
    assert.equal(await guest.page.locator(".field-error").innerText(), "The passwords do not match");
    assert.equal(asked, 0);
    await guest.page.locator("input[name=repeated]:focus").waitFor();
    await guest.page.getByLabel("Password", { exact: true }).fill("aaaaaaaaaaaa");
    await guest.page.getByLabel("Repeat password").fill("aaaaaaaaaaaa");
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.page.locator(".field-error", { hasText: "this password is one that repeats itself" }).waitFor();
    await guest.page.locator("input[name=password][aria-invalid=true]:focus").waitFor();
    await guest.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await guest.page.getByLabel("Repeat password").fill(PASSWORD);
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.match(await guest.page.locator(".who").innerText(), /<b>grace<\/b>\s+Example Networks\s+viewer/);

    await row.getByRole("button", { name: "Change the role" }).click();
    await page.getByLabel("Role", { exact: true }).selectOption("editor");
    await page.getByRole("button", { name: "Change the role", exact: true }).click();
    await row.getByText("editor").waitFor();
    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove the user" }).click();
    await row.waitFor({ state: "detached" });
    await guest.page.getByRole("link", { name: "Keys", exact: true }).click();
    await guest.page.getByText("Your session has ended").waitFor();
    await end(guest.page, guest.errors);
    await end(page, errors);
  });

  test("the last administrator cannot be removed, and the page says why", { skip: onlyLong() }, async () => {
    const organisationId = await addOrganisation(t, "Small");
    const only = await t.user("admin", organisationId);
    const { page, errors } = await t.open("#/users", { user: only });
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove the user" }).click();
    assert.match(await page.locator("dialog [role=alert]").innerText(), /last admin/);
    assert.deepEqual(await accessibilityErrors(page), []);
    await end(page, errors);
  });

  test("usage: requests minute by minute, as charts and as figures", { skip: onlyLong() }, async () => {
    const { text } = await addKey(t, t.organisationId);
    const bulk = ["1.1.1.1", "192.0.2.1", "2001:db8::1"].join("\n");
    for (let minute = 0; minute < 3; minute++) {
      t.clock.now += 60_000;
      for (let request = 0; request <= minute; request++)
        await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text });
    }
    assert.equal(
      (await ask(t, "POST", "/v1/cti/bulk_lookup", { key: text, body: { ips: bulk.split("\n") } })).status,
      200,
    );
    const { page, errors } = await t.open("#/usage", { user: await t.user("viewer") });
    const requests = page.locator("figure", { hasText: "Requests" });
    assert.match(
      (await requests.getByRole("img").getAttribute("aria-label"))!,
      /^Requests\. Requests: from 0 to \d+, last 4$/,
    );
    await requests.getByText("Show data").click();
    assert.deepEqual(
      (await requests.locator("tbody tr").allInnerTexts()).slice(-3).map((row) => row.split(/\s+/).at(-1)),
      ["1", "2", "4"],
    );
    await requests.getByRole("img").hover({ position: { x: 300, y: 60 } });
    assert.match(await requests.locator(".chart-aside").innerText(), /^\d\d:\d\d · \d+$/);
    assert.match(
      await page.getByRole("row", { name: text.slice(0, 8) }).innerText(),
      /test\s+ips_[\w-]{4}…\s+7\s+6 of 10,000,000\s+3 of 1,000,000/,
    );
    await page.getByRole("row", { name: "Business services" }).waitFor();
    await end(page, errors);
    await checkLooks(t, "usage", "#/usage", admin);
  });

  test(
    "charts: every label is inside its chart, and a minute between two without requests is drawn",
    { skip: onlyLong() },
    async () => {
      const { traffic } = t.server.services.metrics;
      const user = await t.user("viewer");
      t.clock.now += 3 * 3_600_000;
      for (const milliseconds of [4000, 0.1]) {
        t.clock.now += 10 * 60_000;
        traffic.addRequest(t.clock.now, 200, milliseconds);
      }
      traffic.addLookups(245_639_100);
      t.clock.now += 10 * 60_000;
      for (const width of [380, 1600]) {
        const { page, errors } = await t.open("#/usage", { user, width });
        await page.locator(".plot .tick").nth(10).waitFor();
        const outside = await page.locator(".plot").evaluateAll((charts) =>
          charts.flatMap((chart) => {
            const frame = chart.getBoundingClientRect();
            const texts = [...chart.querySelectorAll("text")].filter(
              (text) =>
                text.getBoundingClientRect().left < frame.left || text.getBoundingClientRect().right > frame.right,
            );
            return texts.map((text) => text.textContent);
          }),
        );
        assert.deepEqual(outside, []);
        const ticks = await page.locator("figure", { hasText: "Response time" }).locator(".tick").allTextContents();
        assert.ok(ticks.includes("4 s"), ticks.join());
        assert.equal(await page.locator("figure", { hasText: "Response time" }).locator("circle.lone").count(), 4);
        const labels = await page
          .locator(".plot")
          .first()
          .locator("text[text-anchor=middle]")
          .evaluateAll((texts) =>
            texts.map((text) => text.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
          );
        assert.ok(
          labels.length > 1 && labels.every(({ left }, at) => at === 0 || left > labels[at - 1]!.right),
          "labels at the bottom do not touch",
        );
        await end(page, errors);
      }
    },
  );

  test("the audit log: who did what, and the previous state", { skip: onlyLong() }, async () => {
    const organisationId = await addOrganisation(t, "Audited");
    const editor = await t.user("editor", organisationId);
    const auditor = await t.user("admin", organisationId);
    const change = async (method: string, path: string, body?: object) =>
      (await visit(t, method, path, { token: editor.token, ...(body === undefined ? {} : { body }) })).body;
    const [{ id }] = (await change("GET", "/edl/ip-rulesets/")).items;
    const rules = `/edl/ip-rulesets/${id}/rules`;
    await change("POST", rules, { ip: "203.0.113.0/24", name: "office", expires_at: "2030-01-01T00:00:00Z" });
    await change("PUT", `${rules}/rule?ip=203.0.113.0/24`, { name: "head office" });
    await change("PUT", rules, { rules: Array.from({ length: 120 }, (_, last) => ({ ip: `192.0.2.${last}` })) });
    const { page, errors } = await t.open("#/audit", { user: auditor });
    const rows = page.locator(".change");
    assert.match(
      await rows.nth(1).innerText(),
      new RegExp(
        `2026-11-21 1\\d:\\d\\d:\\d\\d\\s+user\\s+${editor.name}\\s+changed 203.0.113.0/24 Edit rule Ruleset`,
        "i",
      ),
    );
    await rows.nth(1).locator("summary").click();
    assert.deepEqual(await rows.nth(1).locator("tbody tr").allInnerTexts(), [
      "203.0.113.0/24\toffice, until 2030-01-01 01:00\thead office, until 2030-01-01 01:00",
    ]);
    await rows.nth(0).locator("summary").click();
    await rows.nth(0).getByText("and 20 more rules").waitFor();
    for (let more = 0; more < 60; more++) await change("PUT", `${rules}/rule?ip=192.0.2.1`, { name: `name ${more}` });
    await page.reload();
    await settle(page);
    assert.equal(await rows.count(), 50);
    await page.getByRole("button", { name: "Show older changes" }).click();
    await rows.getByText("created the organisation").first().waitFor();
    const numbers = await rows
      .locator("time")
      .evaluateAll((times) => times.map((time) => Date.parse((time as unknown as { dateTime: string }).dateTime)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => b - a),
    );
    await page.goto(`${t.server.url}/#/audit?ruleset_id=${id}`);
    await page.locator("select", { hasText: "My Allowlist rules" }).waitFor();
    assert.equal(await page.getByLabel("Ruleset", { exact: true }).inputValue(), id);
    await end(page, errors);
    await checkLooks(t, "audit", `#/audit?ruleset_id=${id}`, auditor, async (page) =>
      page.locator("summary").last().click(),
    );
  });

  test(
    "the audit log is filtered by action, person, ruleset and day, and exported with the filters; no operation id is shown",
    { skip: onlyLong() },
    async () => {
      const organisationId = await addOrganisation(t, "Filtered");
      const [auditor, editor] = [await t.user("admin", organisationId), await t.user("editor", organisationId)];
      const [{ id }] = (await visit(t, "GET", "/edl/ip-rulesets/", { token: editor.token })).body.items;
      for (const ip of ["192.0.2.1", "192.0.2.2"])
        await visit(t, "POST", `/edl/ip-rulesets/${id}/rules`, { token: editor.token, body: { ip } });
      t.clock.now += 48 * 3_600_000;
      await visit(t, "POST", `/edl/ip-rulesets/${id}/rules`, { token: auditor.token, body: { ip: "192.0.2.3" } });
      const { page, errors } = await t.open("#/audit", { user: auditor });
      const rows = page.locator(".change");
      const summaries = () =>
        rows
          .locator(".change-what > p")
          .allInnerTexts()
          .then((texts) => texts.map((text) => text.split(" ").slice(0, 2).join(" ")));
      const shown = async (wanted: readonly string[]) => {
        await until(`the page shows ${wanted.join(", ")}`, async () => isDeepStrictEqual(await summaries(), wanted));
      };
      const ids = Object.keys(AUDIT_ACTIONS).filter((kind) => kind.includes("-"));
      const text = await page.locator("main").innerText();
      assert.deepEqual(
        ids.filter((each) => text.includes(each)),
        [],
      );
      await page.getByLabel("Action").selectOption({ label: "Add rule" });
      await shown(["added 192.0.2.3", "added 192.0.2.2", "added 192.0.2.1"]);
      await page.getByLabel("Who").selectOption({ label: editor.name });
      await shown(["added 192.0.2.2", "added 192.0.2.1"]);
      await page.reload();
      await settle(page);
      await shown(["added 192.0.2.2", "added 192.0.2.1"]);
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV", exact: true }).click();
      const file = readFileSync(await (await downloading).path(), "utf8")
        .trimEnd()
        .split("\n");
      assert.deepEqual(
        file.slice(1).map((line) => line.split(",").slice(4, 8)),
        ["2", "1"].map((last) => [editor.name, "add-rule", "Add rule", `added 192.0.2.${last}`]),
      );
      await page.getByLabel("Who").selectOption("");
      await page.getByLabel("From").fill(new Date(t.clock.now).toISOString().slice(0, 10));
      await shown(["added 192.0.2.3"]);
      await page.getByLabel("Ruleset", { exact: true }).selectOption({ label: "My Blocklist rules" });
      await page.getByText("No matching changes").waitFor();
      await page.getByRole("link", { name: "Show all changes" }).click();
      await rows.getByText("created the organisation").first().waitFor();
      await end(page, errors);
      await checkLooks(t, "audit-filtered", "#/audit?kind=add-rule&from=2026-11-01", auditor);
    },
  );

  test(
    "the overview: the state, a question, the last day, rulesets and the last changes",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/", { user: await t.user("viewer") });
      assert.deepEqual(await page.locator(".tile-name").allInnerTexts(), [
        "Addresses checked",
        "Lists fetched today",
        "Requests blocked",
        "Changes",
        "Active rules",
      ]);
      // A key of another test may need attention.
      const titles = (await page.locator("main h2").allInnerTexts()).slice(1);
      assert.deepEqual(titles, ["Plans", "Rulesets"]);
      assert.equal(await page.locator(".note.bad").count(), 0);
      await page.getByRole("searchbox").fill(" 2001:db8::/32 ");
      await page.keyboard.press("Enter");
      await page.waitForURL(({ hash }) => hash === "#/lookup?ip=2001%3Adb8%3A%3A%2F32");
      await end(page, errors);
      await checkLooks(t, "overview", "#/", admin);
    },
  );

  test("names that look like markup or commands are shown as text", { skip: onlyLong() }, async () => {
    const organisationId = await addOrganisation(t, HOSTILE_TEXTS[10]!);
    const user = await addUser(t, organisationId, "admin", HOSTILE_TEXTS[17]!);
    const about = { actor: `user:${user.id}`, at: t.clock.now, organisationId };
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const { digest, start } = makeApiKey();
      await t.server.store.write({
        kind: "create-credential",
        credential: "api",
        ...about,
        label: text,
        access: "read",
        digest,
        start,
        expiresAt: null,
      });
      // Capitals make no other name.
      await addUser(t, organisationId, "viewer", `${index} ${text}`);
    }
    const { page, errors } = await t.open("#/keys", { user });
    for (const name of ["keys", "users", "usage", "audit", "account", ""]) {
      await page.goto(`${t.server.url}/#/${name}`);
      const expected = ["keys", "users", "usage"].includes(name) ? HOSTILE_TEXTS : [HOSTILE_TEXTS[10]!, user.name];
      await until(`the page ${name} shows every text`, async () => {
        const shown = await page.locator("body").innerText();
        return expected.every((text) => shown.includes(text));
      });
      await settle(page);
      assert.equal(await page.evaluate(WAS_OBEYED), false, name);
    }
    await page.goto(`${t.server.url}/#/keys`);
    await page.locator("tbody").getByRole("button").first().click();
    const asked = await page.locator("dialog h2").innerText();
    assert.ok(
      HOSTILE_TEXTS.some((text) => asked === `Revoke "${text}"?`),
      asked,
    );
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await end(page, errors);
  });

  test("by keyboard alone: past the navigation, through it, and into the page", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/account", { user: admin });
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.tagName"), "MAIN");
    await page.getByRole("link", { name: "Keys", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Keys" }).waitFor();
    await page.locator("h1:focus").waitFor();
    assert.equal(await page.title(), "Keys - ipsieve");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("dialog input[name=label]:focus").waitFor();
    for (let step = 0; step < 10; step++) {
      await page.keyboard.press("Tab");
      // Between the last and the first control of the dialog, the focus moves to the browser's own interface, and no
      // element of the page has it.
      assert.equal(
        await page.evaluate(
          "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
        ),
        true,
      );
    }
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.locator("button:focus", { hasText: "New key" }).waitFor();
    await page.goBack();
    await page.locator("h1", { hasText: "Your account" }).waitFor();
    await end(page, errors);
  });

  test("the chosen colors are kept", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/account", { user: admin });
    const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const light = await ground();
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await settle(page);
    assert.equal(await ground(), dark);
    await end(page, errors);
  });

  test("a page that does not exist, and one that needs another role", { skip: onlyLong() }, async () => {
    const viewer = await t.user("viewer");
    const { page, errors } = await t.open("#/none", { user: viewer });
    assert.equal(await heading(page), "Not found");
    assert.deepEqual(
      await page
        .locator("nav a")
        .allInnerTexts()
        .then((texts) => texts.filter((text) => /Users|Audit/.test(text))),
      [],
    );
    await page.goto(`${t.server.url}/#/users`);
    await page.getByText("Only administrators can open this page").waitFor();
    await end(page, errors);
  });

  test("negative controls: the checks of every page detect what they check for", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/account", { user: admin });
    await page.evaluate(
      `document.body.insertAdjacentHTML("beforeend", '<img src="https://example.org/a.png" alt=""><style>p { color: red }</style>')`,
    );
    const rejected = () => errors.filter((fault) => fault.includes("Content Security Policy")).length;
    await until("the policy has rejected both", () => rejected() >= 2);
    assert.equal(rejected(), 2, errors.join("\n"));
    await page.evaluate(
      `document.querySelector("main").insertAdjacentHTML("beforeend", '<input><div class="wide">&nbsp;</div>'); document.querySelector(".wide").style.width = "5000px"`,
    );
    assert.ok((await accessibilityErrors(page)).some((fault) => fault.startsWith("label: <input>")));
    assert.ok((await overflow(page)) > 0);
    await page.context().close();
  });
});
