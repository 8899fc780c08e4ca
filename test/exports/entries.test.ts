import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { onlyLong } from "../rounds.ts";
import { moduleGraph } from "./module-graph.ts";

const root = join(import.meta.dirname, "../..");
const dist = join(root, "dist");

/** The rooms and packages of the server and the command: no entry of the library loads a file of them. */
const SERVER = /^(api|cli|dashboard|service|store|update)\//;

const bundledIn = (entry: string): string[] =>
  [...moduleGraph(dist, entry).files].filter((file) => file.startsWith("packages/")).sort();

test("ipsieve/core, and everything that it loads, imports no node: module and no package", () => {
  const { files, outside } = moduleGraph(dist, "core.js");
  assert.deepEqual([...outside], []);
  assert.deepEqual(bundledIn("core.js"), ["packages/jsonc-parser.js"]);
  assert.ok(files.size > 100 && files.has("snapshot/snapshot.js"), `${files.size} files`);
});

test("the library loads four small bundled packages, and nothing of the server", () => {
  const { files, outside } = moduleGraph(dist, "index.js");
  assert.deepEqual(
    [...outside.keys()].filter((specifier) => !specifier.startsWith("node:")),
    INSTALLED,
  );
  const own = bundledIn("index.js").filter((file) => !file.startsWith("packages/shared-"));
  assert.deepEqual(own, [
    "packages/csv-parse-sync.js",
    "packages/jsonc-parser.js",
    "packages/msgpackr-pack.js",
    "packages/piscina.js",
  ]);
  assert.deepEqual(
    [...files].filter((file) => SERVER.test(file)),
    [],
  );
});

for (const entry of ["express.js", "fastify.js", "client/client.js"]) {
  test(`${entry} loads no package that has to be installed, and nothing of the server`, () => {
    const { files, outside } = moduleGraph(dist, entry);
    assert.deepEqual([...outside.keys()], []);
    assert.deepEqual(
      [...files].filter((file) => SERVER.test(file)),
      [],
    );
  });
}

/** Packages that users install with this one because they cannot be bundled. */
const INSTALLED: readonly string[] = [];

test("the package depends only on packages that cannot be bundled; its peers are optional", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(manifest.dependencies ?? {}), INSTALLED);
  assert.deepEqual(Object.keys(manifest.peerDependencies), ["express", "fastify"]);
  for (const name of Object.keys(manifest.peerDependencies))
    assert.equal(manifest.peerDependenciesMeta[name].optional, true);
});

test("the command starts without loading a package: each is loaded when it is needed", () => {
  for (const file of [
    "cli/main.js",
    "cli/command-line.cjs",
    "cli/start-identify.cjs",
    "cli/start-lookup.cjs",
    "batch/pool/pool-worker.js",
    "datasets/_catalogue-renderer.js",
  ])
    assert.deepEqual(staticImports(join(dist, file)), [], file);
  // Negative control: the module before it was bundled.
  assert.ok(staticImports(join(dist, "api/app.js")).some((name) => name.includes("packages/fastify")));
});

/** What a module imports when it is loaded, found by the parts that only a static import has at the start of a line. */
function staticImports(path: string): string[] {
  const found = readFileSync(path, "utf8").matchAll(/(?:^|[;}])import\s*(?:[\w${}*,\s]+?\s*from)?\s*"([^"]+)"/gm);
  return Array.from(found, ([, name]) => name!);
}

test("every entry of the exports map exists, with its types", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const [name, target] of Object.entries<Record<string, string> | string>(exports))
    for (const path of typeof target === "string" ? [target] : Object.values(target))
      assert.ok(readFileSync(join(root, path)).length > 0, name);
});

test("ipsieve/core is bundled for browsers; the negative control: ipsieve is not", async () => {
  const bundle = (entry: string): Promise<unknown> =>
    build({
      entryPoints: [join(dist, entry)],
      bundle: true,
      platform: "browser",
      format: "esm",
      write: false,
      logLevel: "silent",
    });
  await bundle("core.js");
  await assert.rejects(bundle("index.js"), /Could not resolve "node:/);
});

test("negative control: the walk finds node: modules and rooms of the server", { skip: onlyLong() }, () => {
  const { files, outside } = moduleGraph(dist, "cli/commands/serve.js");
  assert.ok(outside.has("node:fs") || outside.has("node:path"), [...outside.keys()].join());
  assert.ok([...files].some((file) => SERVER.test(file)) && files.has("packages/fastify.js"));
});
