/** The catalogue's tree, its search, and the prefixes of a node, as a person at a browser sees them. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { components } from "../../src/dashboard/_operations.ts";
import { type TestUser, visit } from "../api/dashboard/browser.ts";
import { addOrganisation } from "../api/start-server.ts";
import { HOSTILE_TEXTS, WAS_OBEYED } from "../cases/hostile-texts.ts";
import { checkLooks, type Dashboard, missing, settle, startDashboard } from "./browser.ts";
import { writeHostileCatalogue } from "./hostile-catalogue.ts";
import { onlyLong } from "../rounds.ts";

type Node = components["schemas"]["CbsNode"];

describe("the catalogue", { skip: missing ?? false }, () => {
  let t: Dashboard;
  let viewer: TestUser;
  before(async () => {
    t = await startDashboard();
    viewer = await t.user("viewer");
  });
  after(() => t.close());

  const ask = (path: string, accept?: string) =>
    visit(t, "GET", path, { token: viewer.token, ...(accept === undefined ? {} : { headers: { accept } }) });
  const node = async (id?: string): Promise<Node> =>
    (await ask(`/cbs/node${id === undefined ? "" : `?id=${encodeURIComponent(id)}`}`)).body;
  const item = (page: Page, name: string): Locator =>
    page.getByRole("treeitem").filter({
      has: page.locator(".tree-name", {
        hasText: new RegExp(`^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`),
      }),
    });
  const focused = (page: Page): Promise<string> =>
    page.evaluate("document.activeElement.querySelector('.tree-name')?.textContent ?? document.activeElement.tagName");
  const heading = (page: Page): Locator => page.locator(".catalogue .panel-head h2").first();
  const end = async (page: Page, errors: readonly string[]): Promise<void> => {
    assert.deepEqual(errors, []);
    await page.context().close();
  };

  test("looks: a type", () => checkLooks(t, "catalogue-type", "#/catalogue?id=/isp", viewer));

  test("looks: the whole of it, a provider, a search", { skip: onlyLong() }, async () => {
    await checkLooks(t, "catalogue", "#/catalogue", viewer);
    await checkLooks(t, "catalogue-node", "#/catalogue?id=/cloud/aws/by-region", viewer);
    await checkLooks(t, "catalogue-search", "#/catalogue?id=/cdn", viewer, async (page) => {
      await page.getByRole("combobox", { name: "Search the catalogue" }).fill("cloud");
      await page.getByRole("option").first().waitFor();
    });
  });

  test(
    "the ages of its sources, a warning for old ones, and the sources of a node's prefixes",
    { skip: onlyLong() },
    async () => {
      const layers = (await ask("/catalogue")).body.layers as {
        layer: string;
        sources: number;
        age_days: number;
        is_old: boolean;
        advice: string | null;
      }[];
      const nameOf = ({ layer, sources }: (typeof layers)[number]) =>
        layer === "as-numbers" ? "AS numbers" : `${sources} official list${sources === 1 ? "" : "s"}`;
      const { page, errors } = await t.open("#/catalogue", { user: viewer });
      for (const layer of layers) await page.locator("dt", { hasText: nameOf(layer) }).waitFor();
      assert.deepEqual(
        await page.locator(".note.warning p").allInnerTexts(),
        layers
          .filter(({ is_old }) => is_old)
          .map((layer) => `${nameOf(layer)}: ${layer.age_days} days old; ${layer.advice}.`),
      );
      await page.goto(page.url().replace(/#.*/, "#/catalogue?id=/cdn/cloudflare"));
      await page.locator("code", { hasText: "/cdn/cloudflare" }).first().waitFor();
      const { sources } = await node("/cdn/cloudflare");
      assert.deepEqual(
        sources.map(({ source }) => source),
        ["cloudflare", "asn"],
      );
      assert.deepEqual(
        await page.locator(".sources strong").allInnerTexts(),
        sources.map(({ name }) => name),
      );
      await end(page, errors);
    },
  );

  test("the tree by keyboard alone: opened on demand, closed, traversed, shown", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue", { user: viewer });
    const root = await node();
    assert.deepEqual(
      await page.locator(".tree-name").allInnerTexts(),
      root.children.map(({ name }) => name),
    );
    assert.deepEqual(
      await page
        .locator(".tree-count")
        .first()
        .innerText()
        .then((text) => text.replace(/[^\d,].*$/s, "")),
      (root.children[0]!.ipv4_count + root.children[0]!.ipv6_count).toLocaleString("en-GB"),
    );
    // Only one item is in the tab order.
    assert.equal(await page.locator("[role=treeitem][tabindex='0']").count(), 1);
    await page.getByRole("combobox", { name: "Search the catalogue" }).focus();
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), root.children[0]!.name);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "Cloud");
    const cloud = item(page, "Cloud");
    assert.equal(await cloud.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("ArrowRight");
    const below = (await node("/cloud")).children;
    await item(page, below[0]!.name).waitFor();
    assert.equal(await cloud.getAttribute("aria-expanded"), "true");
    assert.equal(await page.getByRole("treeitem").count(), root.children.length + below.length);
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(page), below[0]!.name);
    const first = item(page, below[0]!.name);
    assert.deepEqual(
      await Promise.all(
        ["aria-level", "aria-posinset", "aria-setsize", "aria-expanded"].map((name) => first.getAttribute(name)),
      ),
      ["2", "1", String(below.length), null],
    );
    // Found by its first letter.
    await page.keyboard.press("d");
    assert.equal(await focused(page), below.find(({ name }) => name.toLowerCase().startsWith("d"))!.name);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(page), "Cloud");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await cloud.getAttribute("aria-expanded"), "false");
    assert.equal(await page.getByRole("treeitem").count(), root.children.length);
    await page.keyboard.press("End");
    assert.equal(await focused(page), root.children.at(-1)!.name);
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), root.children.at(-1)!.name);
    await page.keyboard.press("Home");
    assert.equal(await focused(page), root.children[0]!.name);
    await page.keyboard.press("Enter");
    await page.locator("h2", { hasText: root.children[0]!.name }).waitFor();
    assert.match(page.url(), /#\/catalogue\?id=%2Fbot$/);
    assert.equal(await item(page, root.children[0]!.name).getAttribute("aria-selected"), "true");
    assert.equal(await focused(page), root.children[0]!.name);
    await end(page, errors);
  });

  test("children are fetched once, when they are first opened", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue", { user: viewer });
    const asked: string[] = [];
    page.on(
      "request",
      (request) => request.url().includes("/cbs/node") && asked.push(request.url().split("/cbs/node")[1]!),
    );
    const sign = item(page, "CDN").locator(".tree-sign");
    await sign.click();
    await item(page, "Cloudflare").waitFor();
    await sign.click();
    await item(page, "Cloudflare").waitFor({ state: "detached" });
    await sign.click();
    await item(page, "Cloudflare").waitFor();
    assert.deepEqual(asked, ["?id=%2Fcdn"]);
    // Expanding a node does not show its page.
    assert.match(page.url(), /#\/catalogue$/);
    await end(page, errors);
  });

  test("a link to a node opens the path to it", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue?id=/cloud/aws/by-region/cn-north-1", { user: viewer });
    const shown = page.locator("[role=treeitem][aria-selected=true]");
    await shown.waitFor();
    assert.equal(await shown.locator(".tree-name").innerText(), "China (Beijing)");
    assert.equal(await shown.getAttribute("aria-level"), "4");
    assert.deepEqual(await page.locator(".breadcrumb a").allInnerTexts(), [
      "Catalogue",
      "Cloud",
      "Amazon Web Services",
      "By region",
    ]);
    const {
      ipv4_count: ipv4,
      ipv4_addresses: addresses,
      ipv6_count: ipv6,
    } = await node("/cloud/aws/by-region/cn-north-1");
    const facts = await page.locator(".facts").first().innerText();
    assert.ok(
      facts.includes(`${ipv4} prefixes, ${addresses.toLocaleString("en-GB")} addresses`) &&
        facts.includes(`${ipv6} prefixes`),
      facts,
    );
    assert.match(facts, /Region\s+cn-north-1/);
    await page.locator(".breadcrumb a").last().click();
    await heading(page).filter({ hasText: "By region" }).waitFor();
    await page.goBack();
    await heading(page).filter({ hasText: "Beijing" }).waitFor();
    await end(page, errors);
  });

  test("an unknown node is reported as such", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue?id=/cloud/none", { user: viewer });
    assert.match(await page.getByRole("alert").innerText(), /The catalogue has no node "\/cloud\/none"/);
    await end(page, errors);
  });

  test("search while typing: after a pause, only the last text, by keyboard", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue", { user: viewer });
    const asked: string[] = [];
    // The response to the first text arrives after the response to the last one.
    await page.route("**/cbs/search?*", async (route) => {
      const q = new URL(route.request().url()).searchParams.get("q")!;
      asked.push(q);
      if (q === "fast") await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue().catch(() => {});
    });
    const box = page.getByRole("combobox", { name: "Search the catalogue" });
    // No pause between the keys, however slow the machine is.
    const type = (text: string) =>
      box.evaluate((element, typed) => {
        for (let end = 1; end <= typed.length; end++) {
          (element as unknown as { value: string }).value = typed.slice(0, end);
          element.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }, text);
    await box.focus();
    await Promise.all([page.waitForRequest(/q=fast/), type("fast")]);
    await type("cloudflare");
    const options = page.locator(".found [role=option]");
    await options.first().waitFor();
    const wanted = (await ask("/cbs/search?q=cloudflare&page_size=30")).body.items as { id: string; name: string }[];
    const names = () => page.locator(".found-name").allInnerTexts();
    assert.deepEqual(
      await names(),
      wanted.map(({ name }) => name),
    );
    assert.deepEqual(asked, ["fast", "cloudflare"]);
    await page.waitForTimeout(1600);
    assert.deepEqual(
      await names(),
      wanted.map(({ name }) => name),
    );
    assert.equal(await box.getAttribute("aria-expanded"), "true");
    const active = (): Promise<string> =>
      page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.querySelector('.found-name').textContent ?? ''",
      );
    assert.equal(await active(), wanted[0]!.name);
    await page.keyboard.press("ArrowUp");
    assert.equal(await active(), wanted.at(-1)!.name);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    assert.equal(await box.getAttribute("aria-expanded"), "false");
    await box.press("Enter");
    await heading(page).filter({ hasText: wanted[0]!.name }).waitFor();
    assert.ok(page.url().endsWith(`id=${encodeURIComponent(wanted[0]!.id)}`));
    await end(page, errors);
  });

  test("search also finds addresses, and says what it cannot find", async () => {
    const { page, errors } = await t.open("#/catalogue", { user: viewer });
    const box = page.getByRole("combobox", { name: "Search the catalogue" });
    await box.fill("1.1.1.1");
    await page.getByRole("option", { name: "Cloudflare" }).waitFor();
    await box.fill("zzzzqqqq");
    await page.getByText("No results").waitFor();
    await box.fill("stanford univ");
    await page.getByRole("option", { name: /Stanford University.*AS32/ }).click();
    await page.getByRole("heading", { name: "AS32 Stanford University" }).waitFor();
    assert.equal(new URL(page.url()).hash, "#/networks/32");
    await page.getByText("171.64.0.0/14").waitFor();
    await page.goBack();
    await box.fill("zzzzqqqq");
    await page.getByText("No results").waitFor();
    assert.equal(await page.locator(".found [role=option]").count(), 0);
    await end(page, errors);
  });

  test("prefixes: pages, family, aggregated; a prefix leads to its lookup", async () => {
    const { page, errors } = await t.open("#/catalogue?id=/cdn/cloudflare", { user: viewer });
    const shown = (): Promise<string[]> => page.locator("table td:first-child").allInnerTexts();
    const wanted = async (query: string): Promise<string[]> =>
      (await ask(`/cbs/ranges?id=/cdn/cloudflare&page_size=100&${query}`)).body.items.map(
        ({ cidr }: { cidr: string }) => cidr,
      );
    const settled = () => page.locator("[aria-busy=true]").waitFor({ state: "detached" });
    assert.deepEqual(await shown(), await wanted(""));
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText(/^101 to 200 of/).waitFor();
    await settled();
    assert.deepEqual(await shown(), await wanted("page=2"));
    await page.getByLabel("IPv6").check({ force: true });
    const all = (await ask("/cbs/ranges?id=/cdn/cloudflare&family=6")).body.count as number;
    await page.getByText(`1 to 100 of ${all.toLocaleString("en-GB")} prefixes`).waitFor();
    await settled();
    assert.deepEqual(await shown(), await wanted("family=6"));
    await page.getByLabel(/^Aggregate/).check();
    const { count } = (await ask("/cbs/ranges?id=/cdn/cloudflare&family=6&aggregate=true")).body;
    assert.ok(count < all && all > 100);
    await page.getByText(new RegExp(`of ${count} prefixes`)).waitFor();
    await settled();
    assert.deepEqual(await shown(), await wanted("family=6&aggregate=true"));
    const [first] = await shown();
    await page.getByRole("link", { name: first!, exact: true }).click();
    await page.locator("h1", { hasText: `Lookup of ${first}` }).waitFor();
    await page.context().close();
    assert.deepEqual(errors, []);
  });

  test(
    "any of many pages is reached by number; a number beyond the last page leads to the nearest",
    { skip: onlyLong() },
    async () => {
      const { page, errors } = await t.open("#/catalogue", { user: viewer });
      const number = page.getByRole("spinbutton", { name: "Page" });
      const pager = page.locator(".pager");
      const { count } = (await ask("/cbs/ranges?page_size=100")).body;
      const last = Math.ceil(count / 100);
      assert.ok(last > 1000, `${last} pages`);
      for (const [typed, shown] of [
        ["317", 317],
        [String(last), last],
        ["999999", last],
        ["-3", 1],
        ["", 1],
        ["2.4", 2],
      ] as const) {
        await number.fill(typed);
        await number.press("Enter");
        await pager.getByText(new RegExp(`^${((shown - 1) * 100 + 1).toLocaleString("en-GB")} to `)).waitFor();
        assert.equal(await number.inputValue(), String(shown), typed);
        const { items } = (await ask(`/cbs/ranges?page_size=100&page=${shown}`)).body;
        await page.locator("td a.mono", { hasText: items[0].cidr }).first().waitFor();
      }
      await end(page, errors);
    },
  );

  test("prefixes are copied and saved as files, all that match the filter", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue?id=/cdn/cloudflare", { user: viewer });
    const path = "/cbs/ranges?id=/cdn/cloudflare&family=4";
    await page.getByLabel("IPv4").check({ force: true });
    const count = (await ask(path)).body.count as number;
    await page.getByText(`of ${count.toLocaleString("en-GB")} prefixes`).waitFor();
    await page.getByRole("button", { name: "Copy all" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const text = (await ask(path, "text/plain")).text;
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), text);
    assert.equal(text.split("\n").length, count + 1);
    for (const [label, type, name] of [
      ["Text", "text/plain", "cdn-cloudflare-ipv4.txt"],
      ["CSV", "text/csv", "cdn-cloudflare-ipv4.csv"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: label, exact: true }).click(),
      ]);
      assert.equal(download.suggestedFilename(), name);
      assert.equal(readFileSync((await download.path())!, "utf8"), (await ask(path, type)).text);
    }
    await page.getByRole("button", { name: "Other formats" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Format", { exact: true }).selectOption("ipset");
    await dialog.getByLabel("Name in the file").fill("cloudflare");
    const exported =
      "/cbs/ranges:export?id=%2Fcdn%2Fcloudflare&family=4&format=ipset&purpose=blocklist&set_name=cloudflare";
    assert.equal(await dialog.locator("code").innerText(), `${t.server.url}/v1${exported}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: "Download" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "cdn-cloudflare-ipv4.ipset");
    const file = readFileSync((await download.path())!, "utf8");
    assert.equal(file, (await ask(exported, "*/*")).text);
    assert.match(file, /cloudflare_4/);
    await end(page, errors);
  });

  test("providers as cards, the largest first, with their source and its age", { skip: onlyLong() }, async () => {
    const { page, errors } = await t.open("#/catalogue?id=/cdn", { user: viewer });
    const { children } = await node("/cdn");
    const bySize = children
      .toSorted((a, b) => b.ipv4_addresses - a.ipv4_addresses || b.ipv6_count - a.ipv6_count)
      .map(({ name }) => name);
    assert.deepEqual(await page.locator(".card-name").allInnerTexts(), bySize);
    await page.locator(".card-source").first().waitFor();
    assert.match(
      await page.locator(".card", { hasText: "Akamai" }).innerText(),
      /12,792,016 IPv4 addresses\s+6,559 IPv4 and 4,375 IPv6 prefixes\s+@ip-location-db\/asn\s+5 months ago/,
    );
    // Each card names the sources that its own page names, however many the type has.
    for (const { id, name } of children) {
      const [first, ...others] = (await node(id)).sources;
      const wanted = first!.name + (others.length === 0 ? "" : ` and ${others.length} more`);
      const card = page.locator(".card").filter({ has: page.getByText(name, { exact: true }) });
      assert.equal(await card.locator(".card-source span").first().innerText(), wanted, name);
    }
    const facts = await page.locator(".facts").first().innerText();
    assert.match(
      facts,
      /@ip-location-db\/asn[^]*https:\/\/github\.com\/sapics\/ip-location-db[^]*published 5 months ago · CC-BY-4\.0/,
    );
    await page.locator(".card", { hasText: "Akamai" }).click();
    await heading(page).filter({ hasText: "Akamai" }).waitFor();
    await page.goto(`${t.server.url}/#/catalogue?id=/isp`);
    await page.getByRole("button", { name: "Show all 229" }).click();
    assert.equal(await page.locator(".card").count(), 229);
    await end(page, errors);
  });

  test("an organisation without the plan sees that it has none", { skip: onlyLong() }, async () => {
    const without = await t.user("viewer", await addOrganisation(t, "Without", ["edl"]));
    const { page, errors } = await t.open("#/catalogue", { user: without });
    assert.match(
      await page.locator(".note.warning").innerText(),
      /Without has no active plan for the catalogue of services \(cbs\)/,
    );
    assert.equal(await page.getByRole("tree").count(), 0);
    await end(page, errors);
  });
});

describe("a malicious catalogue", { skip: missing ?? false }, () => {
  test("all of its texts stay text, without links", { skip: onlyLong() }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ipsieve-hostile-"));
    const t = await startDashboard({}, await writeHostileCatalogue(folder));
    try {
      const user = await t.user("viewer");
      const { page, errors } = await t.open("#/catalogue?id=/cloud", { user });
      page.on("dialog", () => errors.push("a dialog was opened"));
      await page
        .locator(".sources li")
        .nth(HOSTILE_TEXTS.length - 1)
        .waitFor();
      const sorted = HOSTILE_TEXTS.toSorted();
      await page.getByRole("treeitem", { name: "Cloud" }).click();
      await page.getByRole("treeitem").nth(HOSTILE_TEXTS.length).waitFor();
      assert.deepEqual(
        (await page.locator(".tree-name").allTextContents()).filter((text) => text !== "Cloud").toSorted(),
        sorted,
      );
      await page.getByRole("button", { name: "Show all 50" }).click();
      assert.deepEqual((await page.locator(".card-name").allTextContents()).toSorted(), sorted);
      assert.deepEqual(await page.locator(".sources strong").allTextContents(), HOSTILE_TEXTS);
      // None of their addresses is a web address.
      assert.equal(await page.locator(".sources a").count(), 0);
      await page.getByRole("combobox", { name: "Search the catalogue" }).fill("hostile");
      await page.getByRole("option").first().waitFor();
      assert.equal(await page.locator(".found [role=option]").count(), 30);
      assert.equal(await page.evaluate(WAS_OBEYED), false);
      for (const at of [0, 20, 47]) {
        await page.goto(`${t.server.url}/#/catalogue?id=/cloud/${at}`);
        await page.locator(".panel-head code", { hasText: `/cloud/${at}` }).waitFor();
        assert.equal(
          (await page.locator(".catalogue .panel-head h2").first().textContent())!.endsWith(HOSTILE_TEXTS[at]!),
          true,
        );
      }
      await settle(page);
      assert.equal(await page.evaluate(WAS_OBEYED), false);
      assert.deepEqual(errors, []);
      // Negative control: text that is interpreted as HTML is noticed.
      await page.evaluate(
        `document.querySelector("main").insertAdjacentHTML("beforeend", ${JSON.stringify(HOSTILE_TEXTS[10])})`,
      );
      assert.equal(await page.evaluate(WAS_OBEYED), true);
    } finally {
      await t.close();
      rmSync(folder, { recursive: true });
    }
  });
});
