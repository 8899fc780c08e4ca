/** A real browser on a real server, for the tests of the pages. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { ChildCommand } from "../../src/service/datasets/child-command.ts";
import type { FeedTarget } from "../../src/service/datasets/feed-imports.ts";
import { PLAIN_NAME } from "../../src/api/access/session-cookie.ts";
import type { Role } from "../../src/store/state.ts";
import { endWithProcess } from "../one-process.ts";
import { rounds } from "../rounds.ts";
import { addUser, type TestUser } from "../api/dashboard/browser.ts";
import { addOrganisation, BUNDLED, startServer, type TestServer } from "../api/start-server.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));
const OUTPUT = join(import.meta.dirname, "../output/dashboard");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/** The browser; undefined if none is installed. */
export const program =
  process.env["IPSIEVE_CHROMIUM"] ??
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

/** Why tests of pages are skipped; undefined if there is a browser. */
export const missing =
  program === undefined
    ? `there is no Chromium here: none of ${NAMES.join(", ")} in PATH, nor in IPSIEVE_CHROMIUM`
    : undefined;

/** First each width and each colour scheme once, then the two remaining combinations. */
const LOOKS = [
  [380, "light"],
  [1600, "dark"],
  [380, "dark"],
  [1600, "light"],
] as const;
/**
 * How many of them axe examines, at a second of processor time each: the short form alternates between the first and
 * the second.
 */
const EXAMINED = rounds({ short: 1, long: LOOKS.length });
/** How many pages have been checked. */
let checked = 0;
/** Taking a picture of a page costs most of a second of processor time. */
const KEEPS_PICTURES = EXAMINED === LOOKS.length;

interface PageOptions {
  /** The user who has signed in; by default none. */
  readonly user?: TestUser;
  readonly width?: number;
  readonly timeZone?: string;
  /** Lets the browser's clock run; by default it stands still at the server's time. */
  readonly clockRuns?: boolean;
}

/** A page, and what went wrong in it: script errors, and what its policy blocked. */
export interface OpenPage {
  readonly page: Page;
  readonly errors: string[];
}

export interface Dashboard extends TestServer {
  readonly organisationId: string;
  /** A user of the organisation, or of another one. */
  user(role: Role, organisationId?: string): Promise<TestUser>;
  /** Opens an address such as `#/keys` in a new browser context, and waits until the page has loaded. */
  open(hash: string, options?: PageOptions): Promise<OpenPage>;
}

const NETWORKS = fileURLToPath(new URL("../../data/networks.ipsieve", import.meta.url));

/**
 * The server with the bundled networks and catalogue, or with the catalogue at another path, and the threat intelligence sample, with an
 * organisation that has all plans, and no users yet.
 */
export async function startDashboard(
  settings: Parameters<typeof startServer>[0] = {},
  catalogue: string | readonly string[] = BUNDLED,
  updateCommand?: ChildCommand,
  feedTarget?: FeedTarget,
): Promise<Dashboard> {
  const server = await startServer(
    { perMinute: 1e6, failuresPerMinute: 1e6, logLevel: "silent", ...settings },
    catalogue,
    feedTarget === undefined ? THREATS : [feedTarget.output, THREATS],
    updateCommand,
    feedTarget,
    [NETWORKS],
  );
  const organisationId = await addOrganisation(server, "Example Networks");
  const contexts: BrowserContext[] = [];
  let users = 0;
  dashboards++;
  return {
    ...server,
    // A restart replaces the server itself.
    get server() {
      return server.server;
    },
    organisationId,
    user: (role, own = organisationId) => addUser(server, own, role, `${role} ${++users}`),
    open: async (hash, options = {}) => {
      const context = await openContext(options);
      contexts.push(context);
      return open(context, server, hash, options);
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      if (--dashboards === 0 && !isKept) await closeBrowser();
      await server.close();
    },
  };
}

/** The browser of all dashboards, once a page has been opened: starting one takes over a second of processor time. */
let browser: Promise<Browser> | undefined;
/** How many use it; if several test files run in this process, it is kept for the next one. */
let dashboards = 0;
const isKept = endWithProcess(closeBrowser);

async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

async function openContext({ width = 1280, timeZone = "Europe/Berlin" }: PageOptions): Promise<BrowserContext> {
  browser ??= chromium.launch({ executablePath: program!, args: ["--force-color-profile=srgb"] });
  return (await browser).newContext({
    viewport: { width, height: width < 500 ? 800 : 900 },
    timezoneId: timeZone,
    locale: "en-GB",
    reducedMotion: "reduce",
  });
}

async function open(
  context: BrowserContext,
  { server, clock }: TestServer,
  hash: string,
  { user, clockRuns = false }: PageOptions,
): Promise<OpenPage> {
  // Much longer than anything takes, even on a busy machine.
  context.setDefaultTimeout(120_000);
  // As on a page over https; the browser does not prompt for it.
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  if (user !== undefined)
    await context.addCookies([
      { name: PLAIN_NAME, value: user.token, url: server.url, httpOnly: true, sameSite: "Strict" },
    ]);
  const errors = await watch(context);
  const page = await context.newPage();
  if (!clockRuns) await page.clock.setFixedTime(clock.now);
  await page.goto(`${server.url}/${hash}`);
  await settle(page);
  return { page, errors };
}

async function watch(context: BrowserContext): Promise<string[]> {
  const errors: string[] = [];
  context.on("weberror", (error) => void errors.push(String(error.error())));
  // The console also reports rejected requests, which are not errors of the page.
  context.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !message.text().startsWith("Failed to load resource") &&
      errors.push(message.text()),
  );
  return errors;
}

/** Waits until nothing is being fetched: there is a heading, and no placeholder is left. */
export async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".skeleton, .spinner").first().waitFor({ state: "detached" });
}

/** What axe finds of serious or critical impact, one line each. */
export async function accessibilityErrors(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  const serious = (
    violations as { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  ).filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary.replaceAll(/\s+/g, " ")}`),
  );
}

/** By how many pixels the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
}

/** Saves a picture of the page under test/output/dashboard/. */
async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`), fullPage: true });
}

/**
 * Checks what every page must satisfy, in both colour schemes, narrow and wide: no serious accessibility error, nothing
 * wider than the window, nothing blocked by the policy. The long form, which `npm run test:programs` runs, has axe
 * examine all four looks and keeps a picture of each.
 */
export async function checkLooks(
  dashboard: Dashboard,
  name: string,
  hash: string,
  user?: TestUser,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const examined = LOOKS.slice(KEEPS_PICTURES ? 0 : checked++ % 2).slice(0, EXAMINED);
  const { page, errors } = await dashboard.open(hash, user === undefined ? {} : { user });
  await prepare(page);
  for (const look of LOOKS) {
    const [width, colorScheme] = look;
    await page.setViewportSize({ width, height: width < 500 ? 800 : 900 });
    await page.emulateMedia({ colorScheme });
    if (KEEPS_PICTURES) await keepPicture(page, `${name}-${width}-${colorScheme}`);
    const where = `${name} ${width} ${colorScheme}`;
    if (examined.includes(look)) assert.deepEqual(await accessibilityErrors(page), [], where);
    assert.ok((await overflow(page)) <= 0, `${where} is wider than its window`);
    assert.deepEqual(errors, [], where);
  }
  await page.context().close();
}
