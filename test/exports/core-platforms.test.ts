import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { oldNode } from "../old-node.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { missing, program } from "../dashboard/browser.ts";
import { onlyLong } from "../rounds.ts";
import { exerciseCore } from "./exercise-core.js";

const root = join(import.meta.dirname, "../..");
const CATALOGUE = join(root, "data/catalogue.ipsieve");
const EXERCISE = join(import.meta.dirname, "exercise-core.js");

/** The result in Node, which every other platform must match. */
let expected: string;
before(async () => {
  expected = exerciseCore(await import("../../src/core.ts"), new Uint8Array(readFileSync(CATALOGUE)));
  const { found, again, failed, rule } = JSON.parse(expected);
  assert.ok(found[0] > 0 && found[1] === -1 && found[2] > 0 && found[3] === 0 && rule.name === "resolver", expected);
  assert.deepEqual([again, failed], [found, ["SnapshotError truncated", "SnapshotError not-a-snapshot"]]);
});

const PROGRAM = `import * as core from "/dist/core.js";
import { exerciseCore } from "/test/exports/exercise-core.js";
const run = async () => exerciseCore(core, new Uint8Array(await (await fetch("/data/catalogue.ipsieve")).arrayBuffer()));`;
const PAGES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/": ["text/html", "<!doctype html><title>core</title>"],
  "/page.js": ["text/javascript", `${PROGRAM}\nexport { run };`],
  "/worker.js": ["text/javascript", `${PROGRAM}\nrun().then(postMessage, (error) => postMessage(String(error)));`],
};

/** A site that serves the checkout; its pages may only share memory if they are isolated from other sites. */
async function startSite(isIsolated: boolean): Promise<Server> {
  const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
  const server = createServer(({ url = "/" }, response) => {
    const [type, body] = PAGES[url] ?? [
      extname(url) === ".js" ? "text/javascript" : "application/octet-stream",
      existsSync(join(root, url)) ? readFileSync(join(root, url)) : "",
    ];
    response.writeHead(200, { "Content-Type": type, ...(isIsolated ? isolation : {}) }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

for (const isIsolated of [false, true]) {
  const where = isIsolated ? "isolated from other origins" : "without SharedArrayBuffer";
  test(
    `Chromium, ${where}: a page and a worker return the same results as Node`,
    { skip: missing ?? onlyLong(), timeout: 60_000 },
    async (t) => {
      const site = await startSite(isIsolated);
      const browser = await chromium.launch({ executablePath: program! });
      t.after(async () => {
        await browser.close();
        site.closeAllConnections();
        site.close();
      });
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      assert.equal(await page.evaluate("typeof SharedArrayBuffer"), isIsolated ? "function" : "undefined");
      assert.equal(await page.evaluate(`import("/page.js").then(({ run }) => run())`), expected);
      const inWorker = `new Promise((resolve, reject) => {
      const worker = new Worker("/worker.js", { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    })`;
      assert.equal(await page.evaluate(inWorker), expected);
    },
  );
}

const folder = temporaryFolder();
after(() => folder.remove());

/** A program of `npm run tools:setup`. */
const tool = (pattern: string): string | undefined => globSync(join(root, "tools/node_modules", pattern))[0];

const PLATFORMS: Readonly<Record<string, readonly [program: string | undefined, args: readonly string[]]>> = {
  Bun: [tool("@oven/bun-*/bin/bun"), []],
  Deno: [tool("@deno/*/deno"), ["run", "--allow-read"]],
  "an old Node": [oldNode()?.program, []],
};

for (const [name, [found, args]] of Object.entries(PLATFORMS)) {
  const skip = found === undefined ? `${name} is not installed; npm run tools:setup installs Bun and Deno` : false;
  test(`${name} returns the same results as Node`, { skip }, () => {
    const file = join(folder.path, `${name}.mjs`);
    writeFileSync(
      file,
      `import { readFileSync } from "node:fs";
       import * as core from ${JSON.stringify(pathToFileURL(join(root, "dist/core.js")).href)};
       import { exerciseCore } from ${JSON.stringify(pathToFileURL(EXERCISE).href)};
       console.log(exerciseCore(core, new Uint8Array(readFileSync(${JSON.stringify(CATALOGUE)}))));`,
    );
    const { status, stdout, stderr } = spawnSync(found!, [...args, file], { encoding: "utf8", timeout: 60_000 });
    assert.deepEqual([status, stdout.trimEnd()], [0, expected], stderr);
  });
}
