/** Signing in and out, keys, users, the audit log, usage and the overview, as somebody at a browser sees them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Page } from "playwright-core";
import { PLAIN_NAME } from "../../src/api/session-cookie.ts";
import type { TestUser } from "../api/dashboard/browser.ts";
import { accessibilityFaults, checkLooks, type Dashboard, missing, overflow, settle, startDashboard } from "./browser.ts";

const PASSWORD = "several words of a test";

describe("pages of accounts", { skip: missing ?? false }, () => {
  let t: Dashboard;
  let admin: TestUser;
  before(async () => {
    t = await startDashboard();
  });
  after(() => t.close());

  const heading = (page: Page): Promise<string> => page.locator("h1").innerText();
  /** What every test ends with. */
  const end = async (page: Page, faults: readonly string[]): Promise<void> => {
    assert.deepEqual(faults, []);
    await page.context().close();
  };

  test("the first user is made by the link that the server prints", async () => {
    await checkLooks(t, "set-up", `#/setup?token=${t.server.setupToken}`);
    const { page, faults } = await t.open(`#/setup?token=${t.server.setupToken}`);
    await page.getByLabel("Organisation").fill("Example Networks");
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByLabel("The same again").fill("other");
    await page.getByRole("button", { name: "Set up" }).click();
    assert.equal(await page.locator(".fault").innerText(), "this is not the same password");
    await page.locator("input[name=repeated]:focus").waitFor();
    await page.getByLabel("The same again").fill(PASSWORD);
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.match(await page.locator(".who").innerText(), /ada\s+Example Networks\s+admin/);
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie!.name, cookie!.httpOnly, cookie!.sameSite], [PLAIN_NAME, true, "Strict"]);
    await end(page, faults);
    admin = await t.user("admin");
  });

  test("who has not signed in is asked to, and then sees the page that was asked for", async () => {
    await checkLooks(t, "sign-in", "#/keys");
    const { page, faults } = await t.open("#/account");
    assert.equal(await heading(page), "Sign in");
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Password").fill("wrong");
    await page.keyboard.press("Enter");
    assert.match(await page.getByRole("alert").innerText(), /the name or the password is wrong/);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal((await page.context().cookies()).length, 0);
    await end(page, faults);
  });

  test("a session that ends meanwhile: sign in again, on the same page", async () => {
    const { page, faults } = await t.open("#/", { user: admin });
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Usage" }).click();
    assert.match(await page.locator(".note").innerText(), /Your session has ended/);
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await end(page, faults);
  });

  test("changing the password: the old one no longer counts", async () => {
    await checkLooks(t, "account", "#/account", admin);
    const { page, faults } = await t.open("#/account");
    const signIn = async (password: string): Promise<void> => {
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await signIn(PASSWORD);
    const change = async (old: string): Promise<void> => {
      await page.getByLabel("The password that you have").fill(old);
      await page.getByLabel("New password").fill(`${PASSWORD} 2`);
      await page.getByLabel("The same again").fill(`${PASSWORD} 2`);
      await page.getByRole("button", { name: "Change the password" }).click();
    };
    await change("wrong");
    assert.match(await page.getByRole("alert").innerText(), /the password is not the present one/);
    await change(PASSWORD);
    await page.getByText("Your password is changed.").waitFor();
    assert.equal(await page.getByLabel("New password").inputValue(), "");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(PASSWORD);
    assert.match(await page.getByRole("alert").innerText(), /wrong/);
    await signIn(`${PASSWORD} 2`);
    await page.getByRole("heading", { name: "Your account" }).waitFor();
    await end(page, faults);
  });

  test("by keyboard alone: past the navigation, through it, and into the page", async () => {
    const { page, faults } = await t.open("#/account", { user: admin });
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.tagName"), "MAIN");
    await page.getByRole("link", { name: "Keys", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Keys" }).waitFor();
    await page.locator("h1:focus").waitFor();
    assert.equal(await page.title(), "Keys - ipsieve");
    await page.goBack();
    await page.locator("h1", { hasText: "Your account" }).waitFor();
    await end(page, faults);
  });

  test("the colors that are chosen stay", async () => {
    const { page, faults } = await t.open("#/account", { user: admin });
    const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const light = await ground();
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await settle(page);
    assert.equal(await ground(), dark);
    await end(page, faults);
  });

  test("a page that is not there, and one that is not for everybody", async () => {
    const viewer = await t.user("viewer");
    const { page, faults } = await t.open("#/none", { user: viewer });
    assert.equal(await heading(page), "Not found");
    assert.deepEqual(await page.locator("nav a").allInnerTexts().then((texts) => texts.filter((text) => /Users|Audit/.test(text))), []);
    await page.goto(`${t.server.url}/#/users`);
    await page.getByText("Only administrators see this page").waitFor();
    await end(page, faults);
  });

  test("negative controls: the checks of every page notice what they are for", async () => {
    const { page, faults } = await t.open("#/account", { user: admin });
    await page.evaluate(`document.body.insertAdjacentHTML("beforeend", '<img src="https://example.org/a.png" alt=""><style>p { color: red }</style>')`);
    await page.waitForTimeout(100);
    assert.equal(faults.filter((fault) => fault.includes("Content Security Policy")).length, 2, faults.join("\n"));
    await page.evaluate(`document.querySelector("main").insertAdjacentHTML("beforeend", '<input><div class="wide">&nbsp;</div>'); document.querySelector(".wide").style.width = "5000px"`);
    assert.ok((await accessibilityFaults(page)).some((fault) => fault.startsWith("label: <input>")));
    assert.ok((await overflow(page)) > 0);
    await page.context().close();
  });
});
