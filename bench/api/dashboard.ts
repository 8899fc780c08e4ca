/**
 * `npm run bench -- dashboard [--rounds N]`: the dashboard in Chromium in front of the service with a ruleset of
 * 1,000,000 rules: the first load of its page, without anything in the browser's cache, until rows are shown, and the
 * time of keys and clicks until the frame that shows their effect. In alternation with a minimal page, which shows the
 * browser's share of a first load on this machine. Writes a record under bench/record/.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { PLAIN_NAME } from "../../src/api/access/session-cookie.ts";
import { openStore } from "../../src/store/open-store.ts";
import { cachePath } from "../data/cache.ts";
import { Random } from "../data/random.ts";
import { describeMachine } from "../record.ts";
import { addUser, fillStore } from "./fill-store.ts";
import { type Measurement, measurement, medianOf } from "./measure.ts";
import { startService } from "./processes.ts";

const RULES = 1_000_000;
const RECORDS = fileURLToPath(new URL("../record/", import.meta.url));
const PROGRAM = process.env["IPSIEVE_CHROMIUM"] ?? "/usr/bin/chromium";

/**
 * Records in the page when the first row is shown, in milliseconds since the request of the page, and the time of each
 * interaction.
 */
const WATCH = `
  window.durations = [];
  new PerformanceObserver((list) => durations.push(...list.getEntries().filter(({ name }) => name === "keydown" || name === "pointerup").map(({ duration }) => duration)))
    .observe({ type: "event", durationThreshold: 16 });
  (function look() {
    if (document.querySelector(".virtual-window input[type=checkbox]") === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => (window.shownAt = performance.now()));
  })();`;

/** A user's session in the store that the service will use. */
async function signIn(file: string, organisationId: string): Promise<string> {
  const store = await openStore({ file }, {});
  try {
    return (await addUser(store, organisationId, "bench")).session;
  } finally {
    await store.close();
  }
}

/** A page with only a row, from a server that does nothing else. */
async function startLeast(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((_request, response) => {
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><div class=virtual-window><input type=checkbox></div>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}

async function openPage(browser: Browser, url: string, token: string, hash: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([{ name: PLAIN_NAME, value: token, url, httpOnly: true, sameSite: "Strict" }]);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  await page.goto(`${url}/${hash}`);
  await page.locator(".virtual-window input[type=checkbox]").first().waitFor();
  await page.waitForTimeout(200);
  return page;
}

async function measurePage(
  browser: Browser,
  url: string,
  token: string,
  hash: string,
  rounds: number,
): Promise<Measurement[]> {
  const [least, loads, medians, longest]: [number[], number[], number[], number[]] = [[], [], [], []];
  const floor = await startLeast();
  for (let round = 0; round <= rounds; round++) {
    const empty = await openPage(browser, floor.url, token, "");
    const begun = (await empty.evaluate("shownAt")) as number;
    await empty.context().close();
    const page = await openPage(browser, url, token, hash);
    const shown = (await page.evaluate("shownAt")) as number;
    const durations = await interact(page);
    await page.context().close();
    if (round === 0) continue;
    least.push(begun);
    loads.push(shown);
    medians.push(medianOf(durations));
    longest.push(Math.max(...durations));
  }
  floor.stop();
  return [
    measurement("first load of a page that is one row", "ms", least),
    measurement("first load of the page of 1,000,000 rules, until rows stand there", "ms", loads),
    measurement("interaction on its table, median of those of 16 ms and more", "ms", medians),
    measurement("interaction on its table, the longest", "ms", longest),
  ];
}

/**
 * Keys that move and select, and clicks on rows; returns the times of those that took 16 ms or more; the resolution of
 * the browser is 8 ms.
 */
async function interact(page: Page): Promise<number[]> {
  await page.getByRole("grid").focus();
  for (let round = 0; round < 15; round++)
    for (const key of ["PageDown", "ArrowDown", "Space"]) await page.keyboard.press(key, { delay: 20 });
  for (const key of ["End", "Home", "End"]) await page.keyboard.press(key, { delay: 20 });
  for (const row of await page.locator(".virtual-window input[type=checkbox]").all()) await row.click();
  await page.waitForTimeout(300);
  return (await page.evaluate("durations")) as number[];
}

const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const startedAt = new Date().toISOString();
const machine = describeMachine();
const folder = mkdtempSync(cachePath("dashboard-"));
const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
try {
  const file = join(folder, "store.db");
  const { organisationId, rulesetId } = await fillStore(file, RULES, new Random(1));
  const token = await signIn(file, organisationId);
  const service = await startService(["--db", file, "--rules-per-ruleset", String(3 * RULES), "--log-level", "error"]);
  try {
    const measurements = await measurePage(
      browser,
      `http://127.0.0.1:${service.port}`,
      token,
      `#/rulesets/${rulesetId}`,
      Number(values.rounds),
    );
    const path = join(RECORDS, `${startedAt.slice(0, 16).replace(":", "")}-dashboard.json`);
    writeFileSync(
      path,
      `${JSON.stringify({ format: 1, startedAt, machine, rules: RULES, browser: browser.version(), measurements }, null, 1)}\n`,
      { flag: "wx" },
    );
    for (const { subject, median, samples } of measurements)
      console.log(`${subject}: ${median.toFixed(0)} ms (${samples.map((each) => each.toFixed(0)).join(", ")})`);
  } finally {
    await service.stop();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
