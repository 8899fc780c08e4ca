/** Lists compared and combined at a browser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type TestUser, visit } from "../api/dashboard/browser.ts";
import { HOSTILE_TEXTS, WAS_OBEYED } from "../cases/hostile-texts.ts";
import { onlyLong } from "../rounds.ts";
import { until } from "../until.ts";
import { checkLooks, type Dashboard, missing, startDashboard } from "./browser.ts";

const NAME = HOSTILE_TEXTS[0]!;

describe("the page that compares lists", { skip: missing ?? false, timeout: 900_000 }, () => {
  let t: Dashboard;
  let editor: TestUser;
  before(async () => {
    t = await startDashboard();
    editor = await t.user("editor");
    const api = (method: string, path: string, body: unknown) =>
      visit(t, method, `/edl/ip-rulesets/${path}`, { token: editor.token, body });
    const { body } = await api("POST", "", { name: NAME, purpose: "blocklist" });
    const rules = [
      { ip: "20.0.0.0/24" },
      { ip: "2a00:1::/127" },
      { ip: "20.9.0.0/16", expires_at: "2020-01-01T00:00:00Z" },
    ];
    assert.equal((await api("PUT", `${body.id}/rules`, { rules })).status, 200);
  });
  after(() => t.close());

  const add = (page: Page): Locator => page.getByRole("group", { name: "Lists to compare" });
  async function addPrefixes(page: Page, text: string): Promise<void> {
    await add(page).getByLabel("Add", { exact: true }).selectOption("prefixes");
    await add(page).getByLabel("Addresses and prefixes", { exact: true }).fill(text);
    await add(page).getByRole("button", { name: "Add prefixes" }).click();
  }
  async function addRuleset(page: Page): Promise<void> {
    await add(page).getByLabel("Add", { exact: true }).selectOption("ruleset");
    await add(page).getByLabel("Ruleset", { exact: true }).selectOption({ label: NAME });
    await add(page).getByRole("button", { name: "Add ruleset" }).click();
  }
  /** Waits until the rows of a table have these texts. */
  const shows = (page: Page, region: string, rows: readonly string[]): Promise<void> =>
    until(`${region}: ${rows.join("; ")}`, async () => {
      const found = await page.getByRole("region", { name: region }).locator("tbody tr").allInnerTexts();
      return JSON.stringify(found.map((text) => text.replaceAll(/\s+/g, " ").trim())) === JSON.stringify(rows);
    });

  test("the shares of each pair, both ways, and which list adds nothing", async () => {
    const { page, errors } = await t.open("#/", { user: editor });
    await page.getByRole("link", { name: "Compare lists" }).click();
    await page.getByText("Nothing to compare yet").waitFor();
    await addRuleset(page);
    await addPrefixes(page, "# half of it\n20.0.0.0/25 # a comment, 10.0.0.1\n20.0.3.0/25");
    const MATRIX = "How much of each list the others have";
    await shows(page, MATRIX, [`1. Ruleset ${NAME} 256 128 50.0 %`, "2. 20.0.0.0/25 and 1 more prefix 256 128 50.0 %"]);
    await page.getByText("Each list has addresses that no other has.").waitFor();
    await addPrefixes(page, "20.0.0.7");
    await shows(page, MATRIX, [
      `1. Ruleset ${NAME} 256 128 50.0 % 0.3 %`,
      "2. 20.0.0.0/25 and 1 more prefix 256 128 50.0 % 0.3 %",
      "3. 20.0.0.7 1 0 100 % 100 %",
    ]);
    await shows(page, "Pairs", [
      `1. Ruleset ${NAME} overlaps 2. 20.0.0.0/25 and 1 more prefix 128 50.0 % 50.0 %`,
      `1. Ruleset ${NAME} contains 3. 20.0.0.7 1 0.3 % 100 %`,
      "2. 20.0.0.0/25 and 1 more prefix contains 3. 20.0.0.7 1 0.3 % 100 %",
    ]);
    const note = page.locator(".note").filter({ hasText: "A list adds nothing to the others:" });
    assert.match(await note.innerText(), /3\. 20\.0\.0\.7$/);
    await page.getByText("IPv6", { exact: true }).click();
    await shows(page, MATRIX, [
      `1. Ruleset ${NAME} 2 2 0 % 0 %`,
      "2. 20.0.0.0/25 and 1 more prefix 0 0 – –",
      "3. 20.0.0.7 0 0 – –",
    ]);
    await page.getByRole("button", { name: "Remove 20.0.0.7" }).click();
    await page.getByText("Each list has addresses that no other has.").waitFor();
    assert.equal(await page.evaluate(WAS_OBEYED), false);
    // More than the server accepts in one request; on one line, as fill() takes minutes for this many lines.
    const long = Array.from({ length: 6000 }, (_, at) => `20.${at >> 8}.${at & 255}.1`).join(" ");
    await add(page).getByLabel("Addresses and prefixes", { exact: true }).fill(long);
    await page.getByText("The list is too long to be added like this.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Add prefixes" }).isDisabled(), true);
    // Rejections are shown in the server's words, and what was there before stays.
    await addPrefixes(page, "20.0.0.1/24");
    await page.getByRole("alert").getByText("20.0.0.0/24").waitFor();
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  test("combined by each operation, downloaded, and made a ruleset", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/compare", { user: editor });
    await addRuleset(page);
    const operation = page.getByLabel("Combine them");
    assert.deepEqual(await operation.locator("option").allInnerTexts(), ["Union: addresses in any of the lists"]);
    await addPrefixes(page, "20.0.0.0/25 20.0.1.0/24");
    const result = page.getByRole("grid", { name: "Prefixes of the result" });
    const combine = async (...prefixes: string[]): Promise<void> => {
      await page.getByRole("button", { name: "Combine" }).click();
      await until(`the result is ${prefixes.join(", ")}`, async () => {
        const shown = await result.locator("code").allInnerTexts();
        return JSON.stringify(shown) === JSON.stringify(prefixes);
      });
    };
    await combine("20.0.0.0/23", "2a00:1::/127");
    await page.getByText("512 IPv4 and 2 IPv6 addresses").waitFor();
    await operation.selectOption("intersect");
    await combine("20.0.0.0/25");
    await operation.selectOption("symmetric");
    await combine("20.0.0.128/25", "20.0.1.0/24", "2a00:1::/127");
    await operation.selectOption("atleast");
    await page.getByLabel("How many of them").fill("2");
    await combine("20.0.0.0/25");
    await operation.selectOption("subtract");
    await combine("20.0.0.128/25", "2a00:1::/127");
    await page.getByLabel("Keep addresses of").selectOption("1");
    assert.equal(await result.count(), 0, "an outdated result is gone");
    await combine("20.0.1.0/24");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    assert.equal(readFileSync(await download.path(), "utf8"), "20.0.1.0/24\n");
    await page.getByRole("button", { name: "New ruleset" }).click();
    await page.locator("input[name=name]").fill("Combined");
    await page.getByRole("button", { name: "Create ruleset" }).click();
    await page.getByRole("heading", { name: "Import a list", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Import 1 rule" }).click();
    await page.getByRole("heading", { name: "Combined", level: 1 }).waitFor();
    await page.locator('.rules .ip code[title="20.0.1.0/24"]').waitFor();
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  test(
    "services and threat intelligence are compared too; a viewer makes no ruleset",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/compare", { user: await t.user("viewer") });
      await add(page).getByLabel("Add", { exact: true }).selectOption("cbs");
      await add(page).getByRole("combobox", { name: "Search the catalogue" }).fill("cloudflare");
      await add(page).getByRole("listbox").getByRole("option").first().click();
      await add(page).getByLabel("Add", { exact: true }).selectOption("cti");
      await add(page).getByRole("button", { name: "Add selection" }).click();
      await addPrefixes(page, "192.0.2.1");
      await page.getByText("shares nothing with").first().waitFor();
      await page.getByLabel("Combine them").selectOption("intersect");
      await page.getByRole("button", { name: "Combine" }).click();
      await page.getByText("No address is left.").waitFor();
      await page.getByLabel("Combine them").selectOption("union");
      await page.getByRole("button", { name: "Combine" }).click();
      await page.getByRole("button", { name: "Download" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "New ruleset" }).count(), 0);
      assert.deepEqual(errors, []);
      await page.context().close();
    },
  );

  test("in both colors, narrow and wide", { skip: onlyLong() }, async () => {
    await checkLooks(t, "compare-empty", "#/compare", editor);
    await checkLooks(t, "compare", "#/compare", editor, async (page) => {
      await addRuleset(page);
      await addPrefixes(page, "20.0.0.0/25 2a00:1::/64");
      await addPrefixes(page, "20.0.0.7");
      await addPrefixes(page, Array.from({ length: 100 }, (_, at) => `21.${at}.0.0/24`).join("\n"));
      // Faded until the comparison covers all four.
      await page.locator(".matrix tbody tr").nth(3).waitFor();
      await page.getByText("A list adds nothing to the others:").waitFor();
      await page.getByRole("button", { name: "Combine" }).click();
      await page.getByText("102 prefixes").waitFor();
    });
  });
});
