/** Rulesets and their rules, as a person at a browser sees and changes them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import type { RuleColumns } from "../../src/rulesets/rule-columns.ts";
import { type TestUser, visit } from "../api/dashboard/browser.ts";
import { START } from "../api/start-server.ts";
import { HOSTILE_TEXTS, WAS_OBEYED } from "../cases/hostile-texts.ts";
import { onlyLong } from "../rounds.ts";
import { until } from "../until.ts";
import { accessibilityErrors, checkLooks, type Dashboard, missing, type OpenPage, startDashboard } from "./browser.ts";

const DAY = 86_400_000;
const MANY = 1_000_000;

interface WrittenRule {
  readonly ip: string;
  readonly name?: string | null;
  readonly expires_at?: string | null;
}

interface ShownRow {
  /** Counted from 0. */
  readonly index: number;
  readonly ip: string;
  readonly name: string;
  readonly state: string;
}

describe("pages of rulesets", { skip: missing ?? false, timeout: 900_000 }, () => {
  let t: Dashboard;
  let editor: TestUser;
  before(async () => {
    t = await startDashboard({ rulesPerRuleset: MANY + 1, bulkAddresses: 1000 });
    editor = await t.user("editor");
  });
  after(() => t.close());

  const api = (method: string, path: string, body?: unknown) =>
    visit(t, method, `/edl/ip-rulesets/${path}`, { token: editor.token, ...(body === undefined ? {} : { body }) });
  const day = (days: number): string => new Date(START + days * DAY).toISOString();

  async function makeRuleset(name: string, rules: readonly WrittenRule[] = []): Promise<string> {
    const {
      body: { id },
    } = await api("POST", "", { name, purpose: "blocklist" });
    if (rules.length > 0) assert.equal((await api("PUT", `${id}/rules`, { rules })).status, 200);
    return id;
  }

  const rulesOf = async (id: string): Promise<WrittenRule[]> =>
    (await api("GET", `${id}/rules?page_size=1000`)).body.items.map(({ ip, name, expires_at }: WrittenRule) => ({
      ip,
      name,
      expires_at,
    }));
  const ipsOf = async (id: string): Promise<string[]> => (await rulesOf(id)).map(({ ip }) => ip);
  const openRuleset = (id: string, query = ""): Promise<OpenPage> =>
    t.open(`#/rulesets/${id}${query}`, { user: editor });
  const end = async ({ page, errors }: OpenPage): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  /** The rows in view, once all of them have loaded. */
  async function shownRows(page: Page): Promise<ShownRow[]> {
    await page.locator(".rules .virtual-window code").first().waitFor();
    await page.waitForFunction(`document.querySelector(".virtual .bone, .virtual[aria-busy=true]") === null`);
    return page.locator(".rules .virtual-window [role=row]").evaluateAll((rows) =>
      rows.map((row) => ({
        index: Number(row.getAttribute("aria-rowindex")) - 2,
        ip: row.querySelector("code")!.textContent,
        name: row.querySelector(".name")!.textContent!.replace(/^–/, ""),
        state: row.querySelector(".status")!.textContent,
      })),
    );
  }

  /** Waits until the rows in view are those of these addresses. */
  const showsIps = (page: Page, ...wanted: readonly string[]): Promise<void> =>
    until(`the page shows ${wanted.join(", ")}`, async () =>
      isDeepStrictEqual(
        (await shownRows(page)).map(({ ip }) => ip),
        wanted,
      ),
    );
  const isListed = (page: Page, ip: string): Promise<void> => page.locator(`.rules .ip code[title="${ip}"]`).waitFor();
  const isGone = (page: Page, ip: string): Promise<void> =>
    page.locator(`.rules .ip code[title="${ip}"]`).waitFor({ state: "detached" });

  test("28 rows on 900 pixels, and the beginning of an address finds what begins with it", async () => {
    const rules = Array.from({ length: 60 }, (_, at) => ({ ip: `20.${at >> 4}.${at & 15}.0/24` }));
    const id = await makeRuleset("dense", rules);
    const { page, errors } = await t.open(`#/rulesets/${id}`, { user: editor, width: 1440 });
    await shownRows(page);
    const whole = await page
      .locator(".rules .virtual-window [role=row]")
      .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= 900).length);
    assert.ok(whole >= 28, `${whole} rows`);
    await page.getByRole("searchbox", { name: "Search by address or name" }).fill("20.2.");
    await showsIps(page, ...Array.from({ length: 16 }, (_, at) => `20.2.${at}.0/24`));
    await page.getByRole("searchbox", { name: "Search by address or name" }).fill("20.2.7");
    await showsIps(page, "20.2.7.0/24");
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  test("created, renamed, and deleted by typing its name", async () => {
    const opened = await t.open("#/rulesets", { user: editor });
    const { page } = opened;
    await page.getByRole("button", { name: "New ruleset" }).click();
    await page.locator("input[name=name]").fill("Edge");
    await page.getByLabel("If a new rule would block").waitFor();
    await page.getByLabel("Purpose").selectOption("allowlist");
    await page.getByLabel("What it lists").selectOption("yes");
    await page.getByRole("button", { name: "Create ruleset" }).click();
    await page.getByRole("heading", { name: "Edge", level: 1 }).waitFor();
    await page.getByText("No rules yet").waitFor();
    await page.getByRole("button", { name: "Rename or describe the ruleset" }).click();
    await page.locator("input[name=name]").fill("Edges");
    await page.locator("input[name=description]").fill("of both sites");
    assert.equal(await page.getByLabel("What it lists").inputValue(), "yes");
    await page.getByLabel("What it lists").selectOption("no");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Edges", level: 1 }).waitFor();
    const edges = (await api("GET", "")).body.items.find(({ name }: { name: string }) => name === "Edges");
    assert.equal(edges.never_block, false);
    await page.locator(".about").getByRole("link", { name: "Rulesets" }).click();
    const row = page.getByRole("row").filter({ hasText: "Edges" });
    assert.match(await row.innerText(), /Edges\s+of both sites\s+allowlist\s+0\s+0/);
    await row.getByRole("button", { name: "Delete Edges" }).click();
    const button = page.getByRole("button", { name: "Delete the ruleset" });
    await page.getByLabel("Type its name").fill("Edge");
    assert.equal(await button.isDisabled(), true);
    await page.getByLabel("Type its name").fill("Edges");
    await button.click();
    await row.waitFor({ state: "detached" });
    assert.equal(
      (await api("GET", "")).body.items.some(({ name }: { name: string }) => name.startsWith("Edge")),
      false,
    );
    await end(opened);
  });

  test(
    "a warning shows what a new rule should not block; the guard can be set to reject it",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset("guarded");
      const opened = await openRuleset(id);
      const { page } = opened;
      const add = async (ip: string): Promise<void> => {
        await page.getByRole("button", { name: "Add rule" }).first().click();
        await page.getByLabel("Address or prefix").fill(ip);
        await page.getByRole("dialog").getByRole("button", { name: "Add rule" }).click();
      };
      await add("1.1.1.1");
      await page.getByText("Warning: blocks 1 address of Cloudflare (/cdn/cloudflare).").waitFor();
      await page.getByRole("button", { name: "Rename or describe the ruleset" }).click();
      const guard = page.getByLabel("If a new rule would block");
      assert.equal(await guard.inputValue(), "warn");
      await guard.selectOption("refuse");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await add("1.1.1.2");
      await page.getByRole("dialog").getByText("would block 1 address of Cloudflare").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      const classes = async (open: string, uncheck: string): Promise<void> => {
        await page.getByRole("button", { name: open }).click();
        await page.getByLabel("Services that must not be blocked").selectOption("own");
        await page.getByLabel(uncheck).uncheck();
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("dialog").waitFor({ state: "detached" });
      };
      await classes("Rename or describe the ruleset", "CDNs, applications");
      await add("1.1.1.3");
      await page.getByText("1.1.1.3").first().waitFor();
      await page.goto(`${new URL(page.url()).origin}/#/rulesets`);
      await classes("What guards protect", "Clouds and CI");
      const { guard_classes: all } = (await visit(t, "GET", "/edl/guard", { token: editor.token })).body;
      assert.deepEqual(all, ["serving"]);
      await visit(t, "PATCH", "/edl/guard", { token: editor.token, body: { guard_classes: null } });
      assert.deepEqual(
        (await rulesOf(id)).map(({ ip }) => ip),
        ["1.1.1.1", "1.1.1.3"],
      );
      await page.context().close();
    },
  );

  test("filters by state, which are kept in the URL", { skip: onlyLong() }, async () => {
    const id = await makeRuleset("states", [
      { ip: "192.0.2.1" },
      { ip: "192.0.2.2", expires_at: day(3) },
      { ip: "192.0.2.3", expires_at: day(20) },
      { ip: "192.0.2.4", expires_at: day(-1) },
    ]);
    const opened = await openRuleset(id);
    const { page } = opened;
    assert.deepEqual(
      (await shownRows(page)).map(({ ip, state }) => [ip, state]),
      [
        ["192.0.2.1", "active"],
        ["192.0.2.2", "expires soon"],
        ["192.0.2.3", "active"],
        ["192.0.2.4", "expired"],
      ],
    );
    const choose = (name: RegExp): Promise<void> => page.locator(".segments label").filter({ hasText: name }).click();
    await choose(/^Expired/);
    await showsIps(page, "192.0.2.4");
    assert.match(page.url(), /state=expired/);
    await choose(/^Active/);
    await showsIps(page, "192.0.2.1", "192.0.2.2", "192.0.2.3");
    await choose(/^Expiring/);
    await showsIps(page, "192.0.2.2");
    await page.getByLabel("within").fill("30");
    await isListed(page, "192.0.2.3");
    assert.match(page.url(), /state=expiring&days=30/);
    await page.reload();
    await showsIps(page, "192.0.2.2", "192.0.2.3");
    // Local time, with UTC next to it.
    assert.deepEqual((await page.locator(".until time").first().innerText()).split("\n"), [
      "2026-11-24 13:00",
      "2026-11-24 12:00 UTC",
    ]);
    await end(opened);
  });

  test(
    "search by address: covering rules, rules within it, and the deciding rule; search by name",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset("search", [
        { ip: "203.0.113.0/24", name: "office" },
        { ip: "203.0.113.64/26", name: "guests", expires_at: day(-2) },
        { ip: "203.0.113.77", name: "a printer" },
        { ip: "198.51.100.0/24", name: "OFFICE 2" },
        { ip: "2001:db8::/32", name: "2001:db8:: of old" },
      ]);
      const opened = await openRuleset(id);
      const { page } = opened;
      const search = page.getByLabel("Search by address or name");
      await search.fill("203.0.113.70");
      await isGone(page, "203.0.113.77");
      await showsIps(page, "203.0.113.0/24", "203.0.113.64/26");
      assert.match(
        await page.locator(".address-answer").innerText(),
        /203\.0\.113\.70 is covered by 1 active rule\. The most specific decides: 203\.0\.113\.0\/24 · office/,
      );
      const [icon, text] = await Promise.all(
        ["svg", "p"].map((tag) => page.locator(`.address-answer ${tag}`).first().boundingBox()),
      );
      const gap = text!.x - (icon!.x + icon!.width);
      assert.ok(gap >= 0 && gap < 24, `its text stands beside its icon, not ${gap} pixels away`);
      await search.fill("203.0.113.64/26");
      await isListed(page, "203.0.113.77");
      assert.deepEqual(await page.locator(".relation").allInnerTexts(), ["covers it", "the same", "within it"]);
      assert.match(page.url(), /ip=203\.0\.113\.64%2F26/);
      await search.fill("192.0.2.0/24");
      await page.getByText("is covered by no active rule").waitFor();
      await search.fill("office");
      await isListed(page, "198.51.100.0/24");
      await showsIps(page, "198.51.100.0/24", "203.0.113.0/24");
      await search.fill("2001:db8::");
      await page.getByRole("button", { name: "Search the names" }).click();
      await page.waitForURL(/name=2001/);
      await showsIps(page, "2001:db8::/32");
      await search.fill("300.1.2.3");
      await page.getByRole("alert").waitFor();
      await end(opened);
    },
  );

  test("a rule is added: the announced outcome, for every conflict mode, is what happens", async () => {
    const id = await makeRuleset("adding", [{ ip: "192.0.2.0/24", name: "old", expires_at: day(10) }]);
    const opened = await openRuleset(id);
    const { page } = opened;
    await page.getByRole("button", { name: "Add rule" }).click();
    const dialog = page.getByRole("dialog");
    const told = dialog.locator(".preview:not(.busy)");
    const verdict = async (expected: string): Promise<string> => {
      await told.locator(`.verdict.${expected}`).waitFor();
      return told.innerText();
    };
    await dialog.getByLabel("Address or prefix").fill("192.0.2.1/24");
    assert.match(await verdict("error"), /192\.0\.2\.0\/24/);
    await dialog.getByLabel("Address or prefix").fill("192.0.2.0/24");
    await dialog.locator("input[name=name]").fill("new");
    assert.match(await verdict("updated"), /old[\s\S]*never/);
    await dialog.getByText("After a number of days").click();
    await dialog.getByLabel("Days from now").fill("5");
    await verdict("skipped");
    await dialog.getByText("Reject").click();
    await verdict("conflict");
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByText("Keep existing").click();
    await verdict("skipped");
    await dialog.getByText("Replace", { exact: true }).click();
    assert.match(
      await verdict("updated"),
      /Name\s+old\s+new\s+Expires\s+2026-12-01 13:00\s+2026-12-01 12:00 UTC\s+2026-11-26 13:00/,
    );
    await dialog.getByRole("button", { name: "Add rule" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await rulesOf(id), [{ ip: "192.0.2.0/24", name: "new", expires_at: day(5) }]);
    await page.getByRole("button", { name: "Add rule" }).click();
    await dialog.getByLabel("Address or prefix").fill("2001:DB8:0::1");
    await dialog.getByText("Date and time").click();
    await dialog.getByLabel("Expires at (local time)").fill("2027-01-01T00:00");
    assert.match(await verdict("created"), /2001:db8::1[\s\S]*2027-01-01 00:00\s+2026-12-31 23:00 UTC/);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await ipsOf(id), ["192.0.2.0/24"]);
    await end(opened);
  });

  test("a rule is edited and deleted, by pointer and by keyboard", { skip: onlyLong() }, async () => {
    const id = await makeRuleset("editing", [
      { ip: "192.0.2.1", name: "one", expires_at: "2027-03-01T11:22:33.444Z" },
      { ip: "192.0.2.2" },
      { ip: "192.0.2.3" },
    ]);
    const opened = await openRuleset(id);
    const { page } = opened;
    await shownRows(page);
    const grid = page.getByRole("grid");
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.locator("input[name=name]").fill("first");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    // The field shows minutes; a value that was not edited keeps its milliseconds.
    assert.deepEqual((await rulesOf(id))[0], {
      ip: "192.0.2.1",
      name: "first",
      expires_at: "2027-03-01T11:22:33.444Z",
    });
    await page.getByRole("row").filter({ hasText: "first" }).waitFor();
    await page.getByRole("row").filter({ hasText: "192.0.2.2" }).hover();
    await page.getByRole("button", { name: "Delete 192.0.2.2" }).click();
    await page.getByRole("button", { name: "Delete the rule", exact: true }).click();
    await isGone(page, "192.0.2.2");
    await grid.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Delete the rule", exact: true }).click();
    await isGone(page, "192.0.2.3");
    assert.deepEqual(await ipsOf(id), ["192.0.2.1"]);
    await end(opened);
  });

  test("many rules are selected, and deleted or given an expiry together", { skip: onlyLong() }, async () => {
    const ips = Array.from({ length: 300 }, (_, at) => `198.51.${100 + (at >> 8)}.${at & 255}`);
    const id = await makeRuleset(
      "selecting",
      ips.map((ip, at) => ({ ip, name: at % 3 === 0 ? "third" : null })),
    );
    const opened = await openRuleset(id);
    const { page } = opened;
    await shownRows(page);
    const selected = page.locator(".selection-bar strong");
    await page.getByLabel("Select 198.51.100.1", { exact: true }).click();
    await page.getByLabel("Select 198.51.100.5", { exact: true }).click({ modifiers: ["Shift"] });
    assert.equal(await selected.innerText(), "5 rules selected");
    await page.locator(".selection-bar").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete 5 rules" }).click();
    await isGone(page, "198.51.100.1");
    assert.deepEqual(
      await ipsOf(id),
      ips.filter((_, at) => at < 1 || at > 5),
    );
    await page.getByLabel("Search by address or name").fill("third");
    await isGone(page, "198.51.100.7");
    await page.getByLabel("Select all listed rules").click();
    await page.getByText("99 rules selected").waitFor();
    await page.getByRole("button", { name: "Set expiry" }).click();
    await page.getByRole("dialog").getByText("Date and time").click();
    await page.getByLabel("Expires at (local time)").fill("2027-01-01T01:00");
    await page.getByRole("dialog").getByRole("button", { name: "Set expiry" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const rules = await rulesOf(id);
    assert.deepEqual(
      rules.filter(({ name }) => name?.startsWith("third")).map(({ expires_at: at }) => at),
      Array.from({ length: 99 }, () => "2027-01-01T00:00:00.000Z"),
    );
    assert.ok(rules.every(({ name, expires_at: at }) => name !== null || at === null));
    await end(opened);
  });

  test(
    "all rules that match a filter are selected and changed, even more than one request may list",
    { skip: onlyLong() },
    async () => {
      const count = 21_000;
      const half = (count / 2).toLocaleString("en");
      const id = await makeRuleset(
        "whole",
        Array.from({ length: count }, (_, at) => ({
          ip: `198.51.${at >> 8}.${at & 255}`,
          name: at % 2 === 0 ? `even ${at}` : null,
        })),
      );
      const allOf = async (): Promise<WrittenRule[]> =>
        (
          await visit(t, "GET", `/edl/ip-rulesets/${id}/rules:export?format=ndjson&active_only=false`, {
            token: editor.token,
          })
        ).text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
      const opened = await openRuleset(id);
      const { page } = opened;
      await shownRows(page);
      await page.getByLabel("Search by address or name").fill("even");
      await page.locator(".table-foot", { hasText: `of ${half}` }).waitFor();
      await page.getByLabel("Select all listed rules").click();
      await page.getByText(`${half} rules selected`).waitFor();
      assert.equal(await page.getByRole("row", { selected: true }).count(), (await shownRows(page)).length);
      await page.getByRole("button", { name: "Set expiry" }).click();
      await page.getByRole("dialog").getByText("Date and time").click();
      await page.getByLabel("Expires at (local time)").fill("2027-01-01T01:00");
      await page.getByRole("dialog").getByRole("button", { name: "Set expiry" }).click();
      await page.getByText(`Expiry of ${half} rules set.`).waitFor();
      assert.ok(
        (await allOf()).every(({ name, expires_at: at }) =>
          name === null ? at === null : at === "2027-01-01T00:00:00.000Z",
        ),
      );
      await page.getByLabel("Select all listed rules").click();
      await page.getByText(`${half} rules selected`).waitFor();
      await page.locator(".selection-bar").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: `Delete ${half} rules` }).click();
      await page.getByText(`${half} rules deleted.`).waitFor();
      assert.ok((await allOf()).length === count / 2);
      await page.locator(".toast", { hasText: "deleted" }).getByRole("button", { name: "Undo" }).click();
      await page.locator(".table-foot", { hasText: `of ${half}` }).waitFor();
      assert.equal((await allOf()).length, count);
      await end(opened);
    },
  );

  test(
    "rules that someone else has changed since the selection are shown again before they get an expiry",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset("changed since", [
        { ip: "192.0.2.1", name: "one" },
        { ip: "192.0.2.2", name: "two" },
      ]);
      const opened = await openRuleset(id);
      const { page } = opened;
      const setExpiry = async (): Promise<void> => {
        await shownRows(page);
        await page.getByLabel("Select all listed rules").click();
        await page.getByRole("button", { name: "Set expiry" }).click();
        await page.getByRole("dialog").getByText("After a number of days").click();
      };
      await setExpiry();
      // The name that was shown before must not come back.
      await api("PUT", `${id}/rules/rule?ip=192.0.2.1`, { name: "renamed" });
      await page.getByRole("dialog").getByRole("button", { name: "Set expiry" }).click();
      await page.getByRole("dialog").getByText("The rules have changed").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("row").filter({ hasText: "renamed" }).waitFor();
      assert.equal(await page.locator(".selection-bar").count(), 0);
      await setExpiry();
      await page.getByRole("dialog").getByRole("button", { name: "Set expiry" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.deepEqual(await rulesOf(id), [
        { ip: "192.0.2.1", name: "renamed", expires_at: day(30) },
        { ip: "192.0.2.2", name: "two", expires_at: day(30) },
      ]);
      await end(opened);
    },
  );

  test("a list is imported: first a preview of each line, invalid ones on top, then all or nothing", async () => {
    const id = await makeRuleset("importing", [{ ip: "192.0.2.1", name: "there" }]);
    const opened = await t.open(`#/rulesets/${id}/import`, { user: editor });
    const { page } = opened;
    const list = page.getByLabel("Rules, one per line");
    const verdicts = page.locator(".verdicts .virtual-window [role=row]");
    const told = async (): Promise<string[]> =>
      (await verdicts.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    const write = page.locator(".panel-head .button");
    await list.fill("192.0.2.1\n192.0.2.7\n10.0.0.1/8\n# a comment\n192.0.2.8\nno address");
    await page.getByText("2 lines cannot be parsed.").waitFor();
    assert.deepEqual(
      (await told())
        .map((line) =>
          line
            .split(" ")
            .slice(0, 3)
            .filter((part) => part !== "no"),
        )
        .map(([line]) => line),
      ["3", "6", "1", "2", "5"],
    );
    assert.match((await told())[0]!, /^3 10\.0\.0\.1\/8 error .*10\.0\.0\.0\/8/);
    assert.equal(await write.innerText(), "Import the 3 valid ones");
    assert.deepEqual(await ipsOf(id), ["192.0.2.1"]);
    await list.fill("192.0.2.1\n192.0.2.7\n192.0.2.8");
    await page.getByRole("button", { name: "Import 2 rules" }).click();
    await page.getByRole("heading", { name: "importing", level: 1 }).waitFor();
    await isListed(page, "192.0.2.8");
    assert.deepEqual(await rulesOf(id), [
      { ip: "192.0.2.1", name: "there", expires_at: null },
      { ip: "192.0.2.7", name: null, expires_at: null },
      { ip: "192.0.2.8", name: null, expires_at: null },
    ]);
    await end(opened);
  });

  test(
    "a list is previewed again if someone else has changed the ruleset meanwhile",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset("quicker", [{ ip: "192.0.2.1", name: "there" }]);
      const opened = await t.open(`#/rulesets/${id}/import`, { user: editor });
      const { page } = opened;
      await page.getByLabel("Rules, one per line").fill("192.0.2.1\n192.0.2.7\n192.0.2.8");
      const write = page.getByRole("button", { name: "Import 2 rules" });
      await write.waitFor();
      await api("POST", `${id}/rules`, { ip: "192.0.2.7", name: "quicker" });
      await write.click();
      await page.getByText("The ruleset has changed in the meantime").waitFor();
      await page.getByRole("button", { name: "Import 1 rule", exact: true }).waitFor();
      assert.deepEqual(await ipsOf(id), ["192.0.2.1", "192.0.2.7"]);
      await page.getByRole("button", { name: "Import 1 rule", exact: true }).click();
      await page.getByRole("heading", { name: "quicker", level: 1 }).waitFor();
      assert.deepEqual(await rulesOf(id), [
        { ip: "192.0.2.1", name: "there", expires_at: null },
        { ip: "192.0.2.7", name: "quicker", expires_at: null },
        { ip: "192.0.2.8", name: null, expires_at: null },
      ]);
      await isListed(page, "192.0.2.8");
      await end(opened);
    },
  );

  test(
    "a file is chosen or dropped: CSV and NDJSON with names; conflicts are shown and rejected; the whole list is replaced",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset("files", [
        { ip: "192.0.2.1", name: "stays" },
        { ip: "192.0.2.2", name: "goes" },
        { ip: "192.0.2.3", name: "changes" },
      ]);
      const opened = await t.open(`#/rulesets/${id}/import`, { user: editor });
      const { page } = opened;
      await page.locator("input[type=file]").setInputFiles({
        name: "rules.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(`ip,name,expires_at\n192.0.2.9,"a, b",${day(3)}\n192.0.2.1,other,\n`),
      });
      await page.getByRole("button", { name: "Import 1 rule", exact: true }).waitFor();
      await page.getByText("Reject").click();
      await page.getByText("1 line conflicts with an existing rule").waitFor();
      await page.getByRole("button", { name: "Choose another list" }).click();
      const dropped = [
        { ip: "192.0.2.1", name: "stays" },
        { ip: "192.0.2.3", name: "changed" },
        { ip: "2001:db8::/32", name: "new" },
      ]
        .map((rule) => JSON.stringify(rule))
        .join("\n");
      await page.evaluate(`
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(dropped)}], "rules.ndjson"));
      document.querySelector(".drop-zone").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    `);
      await page.getByText("Replace all rules").click();
      await page.getByText("1 unchanged").waitFor();
      assert.deepEqual(
        (await page.locator(".verdicts .virtual-window .status").allInnerTexts()).map((text) => text.trim()),
        ["removed", "updated", "created"],
      );
      await page.getByRole("button", { name: "Replace the rules" }).click();
      await page.getByRole("heading", { name: "files", level: 1 }).waitFor();
      assert.deepEqual(
        (await rulesOf(id)).map(({ ip, name }) => [ip, name]),
        [
          ["192.0.2.1", "stays"],
          ["192.0.2.3", "changed"],
          ["2001:db8::/32", "new"],
        ],
      );
      await end(opened);
    },
  );

  test(
    "a replacement that removes too much is explained, and needs the number of removed rules to be typed",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset(
        "shrinking",
        Array.from({ length: 40 }, (_, i) => ({ ip: `192.0.2.${i}` })),
      );
      const opened = await t.open(`#/rulesets/${id}/import`, { user: editor });
      const { page } = opened;
      await page.getByText("Replace all rules").click();
      const list = page.getByLabel("Rules, one per line");
      const replace = page.getByRole("button", { name: "Replace the rules" });
      const dialog = page.getByRole("dialog");
      await list.fill("# nothing but a comment");
      await page
        .getByText("The list has no rules. It would remove all 40 rules and leave the ruleset empty.")
        .waitFor();
      await replace.click();
      const remove = dialog.getByRole("button", { name: "Remove 40 rules" });
      assert.equal(await remove.isDisabled(), true);
      await dialog.getByLabel("Type the number of rules").fill("4");
      assert.equal(await remove.isDisabled(), true);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      assert.equal((await ipsOf(id)).length, 40);
      await list.fill("192.0.2.1\n192.0.2.2\n198.51.100.1");
      await page
        .getByText(
          "The list would remove 38 of 40 rules, which is 95 %. Removing more than 50 % needs your confirmation.",
        )
        .waitFor();
      await replace.click();
      await dialog.getByLabel("Type the number of rules").fill("38");
      await dialog.getByRole("button", { name: "Remove 38 rules" }).click();
      await page.getByRole("heading", { name: "shrinking", level: 1 }).waitFor();
      assert.deepEqual(await ipsOf(id), ["192.0.2.1", "192.0.2.2", "198.51.100.1"]);
      await page.goto(`${t.server.url}/#/rulesets/${id}/import`);
      await page.getByText("Replace all rules").click();
      await list.fill("; empty");
      await replace.click();
      await dialog.getByLabel("Type the number of rules").fill("3");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "shrinking", level: 1 }).waitFor();
      assert.deepEqual(await ipsOf(id), []);
      await end(opened);
    },
  );

  test(
    "valid lines are imported without the invalid ones; a name and an expiry for all lines without them",
    { skip: onlyLong() },
    async () => {
      const id = await makeRuleset("others", [{ ip: "192.0.2.1", name: "there" }]);
      const opened = await t.open(`#/rulesets/${id}/import`, { user: editor });
      const { page } = opened;
      await page.locator("input[type=file]").setInputFiles({
        name: "rules.csv",
        mimeType: "text/csv",
        buffer: Buffer.from("ip,name\n192.0.2.1,other\n192.0.2.7,\n10.0.0.1/8,bits\n192.0.2.8,own\n192.0.2.7,again\n"),
      });
      await page.getByLabel("Name for rules without one").fill("a feed");
      await page.getByLabel("Expiry in days, for rules").fill("7");
      await page.getByText("2 lines cannot be parsed.").waitFor();
      await page.getByRole("button", { name: "Import the 3 valid ones" }).click();
      await page.getByRole("heading", { name: "others", level: 1 }).waitFor();
      await page.getByText("2 created, 0 updated, 1 skipped, 2 lines left out.").waitFor();
      const written = [
        { ip: "192.0.2.1", name: "there", expires_at: null },
        { ip: "192.0.2.7", name: "a feed", expires_at: day(7) },
        { ip: "192.0.2.8", name: "own", expires_at: day(7) },
      ];
      assert.deepEqual(await rulesOf(id), written);
      await page.goto(`${t.server.url}/#/rulesets/${id}/import`);
      await page.getByText("Replace all rules").click();
      await page.getByLabel("Rules, one per line").fill("192.0.2.7\n192.0.2.1\nbad");
      await page.getByRole("button", { name: "Replace the rules with the 2 valid ones" }).waitFor();
      assert.deepEqual(
        (await page.locator(".verdicts .virtual-window .status").allInnerTexts()).map((text) => text.trim()),
        ["error", "removed", "updated", "updated"],
      );
      await page.getByRole("button", { name: "Replace the rules with the 2 valid ones" }).click();
      await page.getByText("0 added, 2 updated, 1 removed, 1 line left out.").waitFor();
      assert.deepEqual(await ipsOf(id), ["192.0.2.1", "192.0.2.7"]);
      await end(opened);
    },
  );

  test("exported as a file, active rules or all", { skip: onlyLong() }, async () => {
    const id = await makeRuleset("exporting: a/b", [
      { ip: "192.0.2.1", name: "one" },
      { ip: "192.0.2.2", expires_at: day(-1) },
    ]);
    const opened = await openRuleset(id);
    const { page } = opened;
    await page.getByRole("button", { name: "Export" }).click();
    const download = async (): Promise<readonly [name: string, text: string]> => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: /^Download/ }).click(),
      ]);
      return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
    };
    assert.deepEqual(await download(), ["exporting-a-b.txt", "192.0.2.1\n"]);
    await page.getByText("CSV", { exact: true }).click();
    await page.getByText("All, including expired").click();
    assert.deepEqual(await download(), [
      "exporting-a-b.csv",
      `ip,name,expires_at\n192.0.2.1,one,\n192.0.2.2,,${day(-1)}\n`,
    ]);
    await page.getByText("NDJSON", { exact: true }).click();
    assert.equal((await download())[1].trim().split("\n").length, 2);
    await end(opened);
  });

  test(
    "a short list is made: exact, or with added addresses, or with the number that is needed",
    { skip: onlyLong() },
    async () => {
      await makeRuleset("never added", [{ ip: "20.0.0.2" }]);
      const id = await makeRuleset("long", [{ ip: "20.0.0.1" }, { ip: "20.0.0.3" }, { ip: "20.0.0.9" }]);
      const opened = await openRuleset(id);
      const { page } = opened;
      await page.getByRole("button", { name: "Shorten" }).click();
      const make = async (entries: number): Promise<void> => {
        await page.getByLabel("Maximum entries").fill(String(entries));
        await page.getByRole("button", { name: "Shorten list" }).click();
      };
      await make(2);
      await page.locator(".field-error", { hasText: "need 3 prefixes, more than the 2 allowed" }).waitFor();
      await make(3);
      await page
        .locator("dialog .note.good", { hasText: /3 entries instead of 3 entries\s*The same addresses\./ })
        .waitFor();
      await page.getByLabel("If that is too few").selectOption("add");
      await make(2);
      await page.locator("dialog .note", { hasText: "2 IPv4 addresses added, the fewest possible." }).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.locator("dialog").getByRole("button", { name: "Download" }).click(),
      ]);
      assert.equal(file.suggestedFilename(), "long.txt");
      assert.equal(readFileSync(await file.path(), "utf8"), "20.0.0.0/30\n20.0.0.9\n");
      await page.getByLabel("Never add addresses of").selectOption("never added");
      await make(2);
      await page
        .locator(".field-error", { hasText: "need at least 3 prefixes, as some addresses must not be added" })
        .waitFor();
      await end(opened);
    },
  );

  test(
    "the last change is undone exactly: from its notification, and by the button of the page",
    { skip: onlyLong() },
    async () => {
      const rules = [
        { ip: "192.0.2.1", name: "one", expires_at: "2027-03-01T11:22:33.444Z" },
        { ip: "192.0.2.2", name: null, expires_at: null },
        { ip: "192.0.2.3", name: "three", expires_at: day(-1) },
      ];
      const id = await makeRuleset("undoing", rules);
      const opened = await openRuleset(id);
      const { page } = opened;
      await shownRows(page);
      await page.getByLabel("Select all listed rules").click();
      await page.locator(".selection-bar").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete 3 rules" }).click();
      await page.getByText("No rules yet").waitFor();
      await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
      await isListed(page, "192.0.2.3");
      assert.deepEqual(await rulesOf(id), rules);
      await page.getByRole("grid").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").locator("input[name=name]").fill("renamed");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("row").filter({ hasText: "renamed" }).waitFor();
      await page.reload();
      await page.locator(".page-head").getByRole("button", { name: "Undo" }).click();
      await page.getByRole("row").filter({ hasText: "renamed" }).waitFor({ state: "detached" });
      assert.deepEqual(await rulesOf(id), rules);
      await end(opened);
    },
  );

  test("rules that someone else has changed since are not undone", { skip: onlyLong() }, async () => {
    const id = await makeRuleset("not undone", [{ ip: "192.0.2.1", name: "one" }]);
    const opened = await openRuleset(id);
    const { page } = opened;
    await shownRows(page);
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Delete the rule", exact: true }).click();
    const undo = page.locator(".toast").getByRole("button", { name: "Undo" });
    await undo.waitFor();
    const other = await t.user("editor");
    await visit(t, "POST", `/edl/ip-rulesets/${id}/rules`, {
      token: other.token,
      body: { ip: "192.0.2.1", name: "of somebody else" },
    });
    await undo.click();
    await page.locator(".toast.bad").waitFor();
    assert.deepEqual(
      (await rulesOf(id)).map(({ name }) => name),
      ["of somebody else"],
    );
    await end(opened);
  });

  test(
    "a ruleset is compacted: what covers each rule and what it becomes is shown first, and it is undone",
    { skip: onlyLong() },
    async () => {
      const rules = [
        { ip: "203.0.113.0/24", name: HOSTILE_TEXTS[0]!, expires_at: day(30) },
        { ip: "203.0.113.7", name: null, expires_at: day(3) },
        { ip: "203.0.113.9", name: "for good", expires_at: null },
        { ip: "198.51.100.0/25", name: null, expires_at: null },
        { ip: "198.51.100.128/25", name: null, expires_at: null },
        { ip: "2001:db8::", name: "a", expires_at: null },
        { ip: "2001:db8::1", name: "b", expires_at: null },
      ];
      const id = await makeRuleset("compacting", rules);
      const before = await rulesOf(id);
      const opened = await openRuleset(id);
      const { page } = opened;
      await page.getByRole("link", { name: "Compact" }).click();
      await page.getByRole("heading", { name: "Compact the ruleset", level: 1 }).waitFor();
      const told = async (): Promise<string[]> =>
        (await page.locator(".verdicts .virtual-window [role=row]").allInnerTexts()).map((text) =>
          text.replaceAll(/\s+/g, " "),
        );
      await page.getByText("7 rules now, 5 afterwards.").waitFor();
      assert.deepEqual(await told(), [
        "198.51.100.0/24 created no name never expires",
        "198.51.100.0/25 united Becomes part of 198.51.100.0/24",
        "198.51.100.128/25 united Becomes part of 198.51.100.0/24",
        `203.0.113.7 superfluous Covered by 203.0.113.0/24 · ${HOSTILE_TEXTS[0]!} · until 2026-12-21 13:00`,
        `203.0.113.9 kept Covered by 203.0.113.0/24 · ${HOSTILE_TEXTS[0]!} · until 2026-12-21 13:00 ; this one never expires`,
      ]);
      assert.equal(await page.evaluate(WAS_OBEYED), false);
      await page.locator(".segments label").filter({ hasText: "Superfluous" }).click();
      await until("only that one is shown", async () => (await told()).length === 1);
      await page.getByLabel("Also unite rules with different names").check();
      await page.getByText("7 rules now, 4 afterwards.").waitFor();
      // Another client is faster: nothing is written, and the preview shows the rules as they are now.
      await api("POST", `${id}/rules`, { ip: "192.0.2.1" });
      await page.getByRole("button", { name: "Compact to 4 rules" }).click();
      await page.getByText("The ruleset has changed in the meantime, so nothing was written.").waitFor();
      await page.getByRole("button", { name: "Compact to 5 rules" }).click();
      await page.getByText('"compacting" has 5 rules now, instead of 8.').waitFor();
      assert.deepEqual((await ipsOf(id)).toSorted(), [
        "192.0.2.1",
        "198.51.100.0/24",
        "2001:db8::/127",
        "203.0.113.0/24",
        "203.0.113.9",
      ]);
      await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
      await page.getByText(/^Undone/).waitFor();
      assert.deepEqual(
        (await rulesOf(id)).filter(({ ip }) => ip !== "192.0.2.1"),
        before,
      );
      await end(opened);
    },
  );

  test("a compact ruleset says so; one that is unknown is an error", { skip: onlyLong() }, async () => {
    const id = await makeRuleset("compact", [{ ip: "192.0.2.1" }]);
    const opened = await openRuleset(id, "/compact");
    const { page } = opened;
    await page.getByText("The ruleset is compact").waitFor();
    assert.equal(await page.getByRole("button", { name: "Nothing to compact" }).isDisabled(), true);
    await page.goto(`${t.server.url}/#/rulesets/${id.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}/compact`);
    await page.getByRole("alert").getByText("unknown ruleset").waitFor();
    await end(opened);
  });

  test("a viewer can see and export rules, but not change them", { skip: onlyLong() }, async () => {
    const id = await makeRuleset("viewing", [{ ip: "192.0.2.1" }]);
    const viewer = await t.user("viewer");
    const opened = await t.open(`#/rulesets/${id}`, { user: viewer });
    const { page } = opened;
    await showsIps(page, "192.0.2.1");
    assert.deepEqual(await page.locator("main .button").allInnerTexts(), ["Shorten", "Export"]);
    assert.equal(await page.locator("main input[type=checkbox]").count(), 0);
    await page.getByRole("grid").focus();
    for (const key of ["ArrowDown", "Enter", "Space", "Delete"]) await page.keyboard.press(key);
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.goto(`${t.server.url}/#/rulesets/${id}/import`);
    await page.getByText("Only editors can open this page").waitFor();
    await page.goto(`${t.server.url}/#/rulesets/${id}/compact`);
    await page.getByText("Only editors can open this page").waitFor();
    await page.goto(`${t.server.url}/#/rulesets`);
    await page.getByRole("link", { name: "viewing" }).waitFor();
    assert.equal(await page.locator("main .button").count(), 0);
    await end(opened);
  });

  test(`${HOSTILE_TEXTS.length} malicious names stay text, wherever they are shown`, { skip: onlyLong() }, async () => {
    const rules = HOSTILE_TEXTS.map((name, at) => ({ ip: `192.0.2.${at}`, name }));
    const id = await makeRuleset(HOSTILE_TEXTS[0]!, rules);
    const opened = await openRuleset(id);
    const { page } = opened;
    const seen = new Map<number, string>();
    let top = 0;
    await until("every row has been in sight", async () => {
      await page.getByRole("grid").evaluate((grid, to) => void (grid.scrollTop = to), top);
      await page.waitForTimeout(60);
      for (const { index, name } of await shownRows(page)) seen.set(index, name);
      top = (top + 300) % 10_200;
      return seen.size >= rules.length;
    });
    assert.deepEqual(
      [...seen].sort(([a], [b]) => a - b).map(([, name]) => name),
      rules.map(({ name }) => name),
    );
    assert.equal(await page.locator("h1").innerText(), HOSTILE_TEXTS[0]);
    await page.getByLabel("Select all listed rules").click();
    await page.locator(".selection-bar").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: /^Delete \d+ rules/ }).waitFor();
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.goto(`${t.server.url}/#/rulesets/${id}/import`);
    await page
      .getByLabel("Rules, one per line")
      .fill([...HOSTILE_TEXTS, ...rules.map((rule) => JSON.stringify(rule))].join("\n"));
    await page.getByText(/lines cannot be parsed/).waitFor();
    await page.getByLabel("Format").selectOption("application/x-ndjson");
    await page.locator(".verdicts .field-error").first().waitFor();
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await page.goto(`${t.server.url}/#/rulesets`);
    await page.getByRole("link", { name: HOSTILE_TEXTS[0]! }).waitFor();
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    await end(opened);
  });

  /** One rule of every kind that looks different. */
  const makeLooks = (): Promise<string> =>
    makeRuleset("Looks", [
      { ip: "203.0.113.0/24", name: "Berlin office" },
      { ip: "203.0.113.64/26", name: "guests", expires_at: day(4) },
      {
        ip: "203.0.113.77",
        name: "a printer on the third floor, with a name that is longer than its column ".repeat(3).trim(),
        expires_at: day(-4),
      },
      { ip: "2001:db8:1234:5678:9abc:def0:1234:5678", expires_at: day(100) },
    ]);

  test(
    "what everybody is to be able to read: the table, in both colors, narrow and wide",
    { skip: onlyLong() },
    async () => {
      const id = await makeLooks();
      await checkLooks(
        t,
        "ruleset",
        `#/rulesets/${id}?ip=203.0.113.77`,
        editor,
        async (page) => void (await shownRows(page)),
      );
    },
  );

  test("what everybody is to be able to read: lists, a selection, dialogs, imports", { skip: onlyLong() }, async () => {
    const id = await makeLooks();
    await checkLooks(t, "rulesets", "#/rulesets", editor);
    await checkLooks(t, "ruleset-selected", `#/rulesets/${id}`, editor, async (page) => {
      await shownRows(page);
      await page.getByLabel("Select all listed rules").click();
      await page.getByText("4 rules selected").waitFor();
    });
    await checkLooks(t, "add-rule", `#/rulesets/${id}`, editor, async (page) => {
      await page.getByRole("button", { name: "Add rule" }).click();
      await page.getByLabel("Address or prefix").fill("203.0.113.64/26");
      await page.locator(".verdict.updated").waitFor();
      assert.equal(
        await page.getByRole("dialog").evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth),
        0,
        "the dialog is wider than the window",
      );
    });
    await checkLooks(t, "import", `#/rulesets/${id}/import`, editor, async (page) => {
      await page
        .getByLabel("Rules, one per line")
        .fill("203.0.113.64/26\n10.0.0.1/8\n192.0.2.4\nnonsense\n203.0.113.0/24");
      await page.getByText("2 lines cannot be parsed.").waitFor();
    });
    await checkLooks(t, "compact", `#/rulesets/${id}/compact`, editor, (page) =>
      page.getByText("4 rules now, 2 afterwards.").waitFor(),
    );
    const many = await makeRuleset(
      "Looks, many",
      Array.from({ length: 40 }, (_, i) => ({ ip: `192.0.2.${i}`, name: "a feed" })),
    );
    await checkLooks(t, "import-shrinking", `#/rulesets/${many}/import`, editor, async (page) => {
      await page.getByText("Replace all rules").click();
      await page.getByLabel("Rules, one per line").fill("192.0.2.1\n192.0.2.200");
      await page.getByRole("button", { name: "Replace the rules" }).click();
      await page.getByRole("dialog").getByLabel("Type the number of rules").fill("3");
    });
  });

  // `npm test` checks most of this in row-pages.test.ts and virtual-scroll.test.ts, without a browser.
  describe("a ruleset of a million rules", { skip: onlyLong() }, () => {
    let id: string;
    before(async () => {
      id = await makeRuleset("A million");
      await t.server.store.write({
        kind: "replace-rules",
        actor: "user:test",
        at: START,
        organisationId: t.organisationId,
        rulesetId: id,
        rules: [millionRules()],
      });
    });

    const apiRows = async (offset: number, limit: number): Promise<ShownRow[]> => {
      const { body } = await api("GET", `${id}/rows?offset=${offset}&limit=${limit}`);
      return body.items.map(({ ip, name, state }: { ip: string; name: string | null; state: string }, at: number) => ({
        index: offset + at,
        ip,
        name: name ?? "no name",
        state: state === "expiring" ? "expires soon" : state,
      }));
    };
    const holdsToApi = async (page: Page): Promise<readonly [first: number, last: number]> => {
      const rows = await shownRows(page);
      assert.ok(rows.length > 5, `${rows.length} rows`);
      assert.deepEqual(rows, await apiRows(rows[0]!.index, rows.length));
      return [rows[0]!.index, rows.at(-1)!.index];
    };
    const scrollTo = async (page: Page, part: number): Promise<void> => {
      await page
        .getByRole("grid")
        .evaluate((grid, to) => void (grid.scrollTop = to * (grid.scrollHeight - grid.clientHeight)), part);
      await page.waitForTimeout(300);
    };

    test("every scroll position shows the right rows", async () => {
      const opened = await openRuleset(id);
      const { page } = opened;
      await shownRows(page);
      const grid = page.getByRole("grid");
      assert.equal(await grid.getAttribute("aria-rowcount"), String(MANY + 1));
      assert.ok((await grid.evaluate(({ scrollHeight }) => scrollHeight)) < 17_000_000, "no browser lets it be higher");
      for (const part of [0.1, 0.333, 0.5, 0.77, 0.9999]) {
        await scrollTo(page, part);
        const [first] = await holdsToApi(page);
        assert.ok(Math.abs(first / MANY - part) < 0.001, `${first} at ${part}`);
      }
      await scrollTo(page, 1);
      assert.equal((await holdsToApi(page))[1], MANY - 1);
      await scrollTo(page, 0);
      assert.equal((await holdsToApi(page))[0], 0);
      await end(opened);
    });

    test("negative control: rows that are one position too high are detected", async () => {
      const opened = await openRuleset(id);
      const { page } = opened;
      await page.route(
        ({ href }) => href.includes("/rows?"),
        (route) =>
          route.continue({
            url: route
              .request()
              .url()
              .replace(/offset=(\d+)/, (_whole, offset) => `offset=${Number(offset) + 1}`),
          }),
      );
      await page.reload();
      await assert.rejects(holdsToApi(page), assert.AssertionError);
      await end(opened);
    });

    test("the wheel moves by rows; keys move by rows, by pages and to the ends", async () => {
      const opened = await openRuleset(id);
      const { page } = opened;
      await shownRows(page);
      await scrollTo(page, 0.5);
      const [before] = await holdsToApi(page);
      await page.getByRole("grid").hover();
      for (let turn = 0; turn < 5; turn++) {
        await page.mouse.wheel(0, 84);
        await page.waitForTimeout(250);
      }
      await until("the rows have moved", async () => (await shownRows(page))[0]!.index >= before + 16);
      const [moved] = await holdsToApi(page);
      assert.ok(moved - before >= 16 && moved - before <= 19, `${moved - before} rows for 420 pixels`);
      await page.getByRole("grid").focus();
      const active = async (): Promise<number> =>
        Number(await page.locator(".virtual-row.at").getAttribute("aria-rowindex")) - 2;
      await page.keyboard.press("End");
      await until("the last row is in sight", async () => (await shownRows(page)).at(-1)!.index === MANY - 1);
      await holdsToApi(page);
      assert.equal(await active(), MANY - 1);
      await page.keyboard.press("ArrowUp");
      assert.equal(await active(), MANY - 2);
      await page.keyboard.press("PageUp");
      const paged = await active();
      assert.ok(paged < MANY - 6 && paged > MANY - 40, String(paged));
      assert.equal(
        await page
          .locator(`[id="${await page.getByRole("grid").getAttribute("aria-activedescendant")}"]`)
          .getAttribute("aria-rowindex"),
        String(paged + 2),
      );
      await page.keyboard.press("Home");
      await until("the first row is in sight", async () => (await shownRows(page))[0]!.index === 0);
      await holdsToApi(page);
      await page.keyboard.press("PageDown");
      await holdsToApi(page);
      assert.deepEqual(await accessibilityErrors(page), []);
      await end(opened);
    });

    /**
     * Scrolls quickly through the list; returns the number of requests for rows that were answered, and the number of
     * all.
     */
    const rushPast = async (): Promise<{ answered: number; asked: number }> => {
      const opened = await openRuleset(id);
      const { page } = opened;
      await shownRows(page);
      const [asked, answered]: [string[], string[]] = [[], []];
      const isRows = (url: string): boolean => url.includes("/rows?");
      page.on("request", (request) => void (isRows(request.url()) && asked.push(request.url())));
      page.on("requestfinished", (request) => void (isRows(request.url()) && answered.push(request.url())));
      // Responses are held back until the scrolling is over.
      const rush = Promise.withResolvers<void>();
      await page.route(
        ({ href }) => isRows(href),
        async (route) => {
          await rush.promise;
          await route.continue().catch(() => {});
        },
      );
      await page.evaluate(`(async (grid) => {
        for (let step = 1; step <= 100; step++) {
          grid.scrollTop = (step / 100) * (grid.scrollHeight - grid.clientHeight) * 0.8;
          await new Promise(requestAnimationFrame);
        }
      })(document.querySelector("[role=grid]"))`);
      // None of the rows that were requested on the way is shown; placeholders are.
      assert.ok((await page.locator(".virtual .bone").count()) > 0);
      rush.resolve();
      const [first] = await holdsToApi(page);
      assert.ok(Math.abs(first / MANY - 0.8) < 0.001, String(first));
      await end(opened);
      return { answered: answered.length, asked: asked.length };
    };

    test("rows that are scrolled past quickly are not fetched", async () => {
      // On a machine that is too busy to draw a frame, the list may stand still on the way: then the test tries again.
      const runs: { readonly answered: number; readonly asked: number }[] = [];
      while (runs.length < 3 && !runs.some(({ answered }) => answered <= 2)) runs.push(await rushPast());
      assert.ok(runs.at(-1)!.answered <= 2, `answered for 100 places: ${JSON.stringify(runs)}`);
    });

    test("duration of interactions", async (context: TestContext) => {
      const opened = await openRuleset(id);
      const { page } = opened;
      await shownRows(page);
      // Each is measured from the event to the frame that shows its result.
      await page.evaluate(`
        window.durations = [];
        new PerformanceObserver((list) => durations.push(...list.getEntries().filter(({ name }) => name === "keydown" || name === "pointerup").map(({ duration }) => duration)))
          .observe({ type: "event", durationThreshold: 16 });
      `);
      await page.getByRole("grid").focus();
      for (let round = 0; round < 15; round++)
        for (const key of ["PageDown", "ArrowDown", "Space"]) await page.keyboard.press(key);
      for (const key of ["End", "Home", "End"]) await page.keyboard.press(key);
      for (const row of await page.locator(".rules .virtual-window input[type=checkbox]").all()) await row.click();
      await page.waitForTimeout(200);
      const durations = (await page.evaluate("durations")) as number[];
      const sorted = durations.toSorted((a, b) => a - b);
      context.diagnostic(
        `${sorted.length} interactions of more than 16 ms; the median of those ${sorted[sorted.length >> 1] ?? 0} ms, the longest ${sorted.at(-1) ?? 0} ms`,
      );
      await holdsToApi(page);
      await end(opened);
    });

    test("filters and searches", async () => {
      const opened = await openRuleset(id, "?state=expired");
      const { page } = opened;
      const rows = await shownRows(page);
      assert.ok(rows.every(({ state }) => state === "expired"));
      const { body } = await api("GET", `${id}/rows?state=expired&limit=${rows.length}`);
      assert.deepEqual(
        rows.map(({ ip }) => ip),
        body.items.map(({ ip }: { ip: string }) => ip),
      );
      assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), String(body.count + 1));
      await page.goto(`${t.server.url}/#/rulesets/${id}?name=feed 77`);
      await page.locator(".rules .name bdi").filter({ hasText: "feed 77" }).first().waitFor();
      assert.ok((await shownRows(page)).every(({ name }) => name.startsWith("feed 77")));
      await end(opened);
    });
  });
});

/** IPv4 prefixes in order; one in ten has a name of its own, some have expired and some are about to. */
function millionRules(): RuleColumns {
  const step = 3500;
  const at = <Value>(valueOf: (index: number) => Value): Value[] =>
    Array.from({ length: MANY }, (_, index) => valueOf(index));
  return {
    family: 4,
    words: Uint32Array.from(at((index) => 0x01000000 + index * step)),
    lengths: new Uint8Array(MANY).fill(32),
    names: at((index) => (index % 10 === 0 ? `feed ${index % 97}` : null)),
    expiresAt: Float64Array.from(
      at((index) => (index % 7 === 0 ? START + ((index % 1009) - 300) * 3_600_000 : Infinity)),
    ),
    createdAt: new Float64Array(MANY).fill(START),
    updatedAt: new Float64Array(MANY).fill(START),
  };
}
