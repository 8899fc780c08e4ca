import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { brokenLinks, buildDocs } from "../../build/build-docs.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { missing, program } from "../dashboard/browser.ts";

const folder = temporaryFolder();
const page = (path: string): string => readFileSync(join(folder.path, "site", path), "utf8");
let problems: readonly string[] = [];

before(async () => {
  problems = await buildDocs(join(folder.path, "site"));
});

after(() => folder.remove());

test("every type in a signature is exported, and every link has a target", () => {
  assert.deepEqual(problems, []);
});

test("negative control: links to a page and to a heading that are not there", () => {
  const site = join(folder.path, "broken");
  mkdirSync(join(site, "more"), { recursive: true });
  writeFileSync(
    join(site, "index.html"),
    `<a class="x" href="more/a.html#one">1</a> <a href="https://example.org">2</a>`,
  );
  writeFileSync(join(site, "more/a.html"), `<h2 id="one">1</h2> <a href="#two">2</a> <img alt="" src="b.png">`);
  assert.deepEqual(brokenLinks(site), ["more/a.html: #two", "more/a.html: b.png"]);
});

test("the reference has what programs import, by what it is about; aliases say what they stand for", () => {
  for (const entry of ["ipsieve", "ipsieve/core", "ipsieve/client", "ipsieve/express", "ipsieve/fastify"])
    assert.ok(page(`modules/${entry.replace("/", "_")}.html`).includes(`>${entry}<`), entry);
  assert.match(page("modules/ipsieve.html"), /id="addresses"[^]*parseAddress[^]*id="rulesets"[^]*ipsieve\.Ruleset\./);
  assert.doesNotMatch(page("modules/ipsieve.html"), /id="other"/);
  assert.match(page("types/ipsieve.SetOperation.html"), /union[^]*intersection/);
  assert.match(page("documents/The_library.html"), /<h2[^>]*id="rulesets"/);
});

test("a word is found in the reference and in the guides", { skip: missing, timeout: 60_000 }, async (t) => {
  const browser = await chromium.launch({ executablePath: program! });
  t.after(() => browser.close());
  const view = await browser.newPage();
  await view.goto(pathToFileURL(join(folder.path, "site/index.html")).href);
  for (const [word, path] of [
    ["decideInto", "classes/ipsieve.Ruleset.html"],
    ["syslog", "documents/The_command.html"],
  ] as const) {
    await view.locator("#tsd-search-trigger").click();
    await view.locator("#tsd-search-input").fill(word);
    await view.locator(`#tsd-search-results a[href*="${path}"]`).first().click();
    await view.waitForURL(`**/${path}*`);
  }
});
