/** A real browser in front of a real server, for the tests of the pages. */
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
import { rounds } from "../rounds.ts";
import { addUser, type TestUser } from "../api/dashboard/browser.ts";
import { addOrganisation, BUNDLED, startServer, type TestServer } from "../api/start-server.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));
const OUTPUT = join(import.meta.dirname, "../output/dashboard");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/** The browser; undefined where there is none. */
export const program =
  process.env["IPSIEVE_CHROMIUM"] ??
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

/** Why tests of pages are skipped; undefined where there is a browser. */
export const missing =
  program === undefined
    ? `there is no Chromium here: none of ${NAMES.join(", ")} in PATH, nor in IPSIEVE_CHROMIUM`
    : undefined;

/** Each width and each color scheme once, and then the two that are left. */
const LOOKS = [
  [380, "light"],
  [1600, "dark"],
  [380, "dark"],
  [1600, "light"],
] as const;
/** How many of them axe examines, at a second of processor time each: in the short form the first and the second in turns. */
const EXAMINED = rounds({ short: 1, long: LOOKS.length });
/** How many pages have been checked. */
let checked = 0;
/** A picture of a page takes most of a second of processor time. */
const KEEPS_PICTURES = EXAMINED === LOOKS.length;

interface PageOptions {
  /** Who has signed in; no one unless given. */
  readonly user?: TestUser;
  readonly width?: number;
  readonly timeZone?: string;
  /** Leaves the browser's clock running; by default it stands at the server's time. */
  readonly clockRuns?: boolean;
}

/** A page, and what went wrong in it: errors of scripts, and what its policy did not let in. */
export interface OpenPage {
  readonly page: Page;
  readonly errors: string[];
}

export interface Dashboard extends TestServer {
  readonly organisationId: string;
  /** A user of the organisation, or of another one. */
  user(role: Role, organisationId?: string): Promise<TestUser>;
  /** Opens an address such as `#/keys` in a browser of its own, and waits until the page is there. */
  open(hash: string, options?: PageOptions): Promise<OpenPage>;
}

/**
 * The server with the bundled catalogue, or that of another path, and the sample of threat intelligence, an
 * organisation with all plans, and no user yet.
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
  );
  const organisationId = await addOrganisation(server, "Example Networks");
  // It takes more than a second of processor time: where no page is opened, it is not started.
  let browser: Promise<Browser> | undefined;
  const started = () =>
    (browser ??= chromium.launch({ executablePath: program!, args: ["--force-color-profile=srgb"] }));
  let users = 0;
  return {
    ...server,
    // The server itself changes when it is started again.
    get server() {
      return server.server;
    },
    organisationId,
    user: (role, own = organisationId) => addUser(server, own, role, `${role} ${++users}`),
    open: async (hash, options = {}) => open(await started(), server, hash, options),
    close: async () => {
      await (await browser)?.close();
      await server.close();
    },
  };
}

async function open(
  browser: Browser,
  { server, clock }: TestServer,
  hash: string,
  { user, width = 1280, timeZone = "Europe/Berlin", clockRuns = false }: PageOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 800 : 900 },
    timezoneId: timeZone,
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  // Much longer than anything takes, on a busy machine, too.
  context.setDefaultTimeout(120_000);
  // As on a page over https; the browser asks no one.
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
  // That a request was rejected is told there too, and is no fault.
  context.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !message.text().startsWith("Failed to load resource") &&
      errors.push(message.text()),
  );
  return errors;
}

/** Waits until nothing is being fetched: a heading is there, and no line stands for a text to come. */
export async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".skeleton, .spinner").first().waitFor({ state: "detached" });
}

/** What axe finds of serious or critical impact, a line each. */
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

/** Pixels by which the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
}

/** Keeps what a page looks like under test/output/dashboard/. */
async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`), fullPage: true });
}

/**
 * Holds what a page shows to what every page keeps, in both colors, narrow and wide: no serious fault of accessibility,
 * nothing wider than the window, nothing rejected by the policy. The long form, which `npm run test:programs` runs, has
 * axe examine all four looks and keeps a picture of each.
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
