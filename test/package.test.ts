import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { NO_HOME, temporaryFolder } from "./cli/run-command.ts";
import { onlyLong, sampled } from "./rounds.ts";

const root = join(import.meta.dirname, "..");
const IN_THE_TREE = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "NOTICE",
  "build",
  "docs",
  "src",
  "data",
];

const folder = temporaryFolder();
const consumer = join(folder.path, "consumer");
let packed: string[] = [];
/** The size of the archive. */
let packedBytes = 0;
let unreachable: string | undefined;

function npm(cwd: string, ...args: string[]): { status: number | null; output: string } {
  // Without the settings inherited from the npm that runs this test.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_TEST_CONTEXT)/.test(name)),
  );
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, env, encoding: "utf8" });
  return { status, output: `${stdout}\n${stderr}` };
}

function node(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, {
    cwd: consumer,
    encoding: "utf8",
    env: { ...process.env, IPSIEVE_HOME: NO_HOME },
  });
}

/**
 * Packs a copy of the tree, and installs the result without devDependencies. The long form packs with all scripts, as
 * publishing would, which build everything again, and npm installs it; the short one packs what `npm test` has just
 * built, and unpacks it.
 */
before(() => {
  const tree = join(folder.path, "tree");
  const isBuilt = onlyLong() !== false;
  for (const name of [...IN_THE_TREE, ...(isBuilt ? ["dist"] : [])])
    cpSync(join(root, name), join(tree, name), { recursive: true });
  if (!isBuilt)
    for (const built of [
      "data/catalogue.ipsieve",
      "data/cti-sample.ipsieve",
      "data/networks.ipsieve",
      "data/sample.log",
    ])
      writeFileSync(join(tree, built), "stale");
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const pack = npm(tree, "pack", "--pack-destination", folder.path, ...(isBuilt ? ["--ignore-scripts"] : []));
  assert.equal(pack.status, 0, pack.output);
  const [tarball] = globSync("*.tgz", { cwd: folder.path });
  assert.ok(tarball !== undefined);
  packedBytes = statSync(join(folder.path, tarball)).size;

  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), `{ "name": "consumer", "private": true, "type": "module" }`);
  if (isBuilt) return unpack(tarball);
  const install = npm(consumer, "install", "--omit=dev", "--no-audit", "--no-fund", `../${tarball}`);
  if (install.status !== 0 && npm(consumer, "ping").status !== 0) unreachable = "the npm registry cannot be reached";
  else assert.equal(install.status, 0, install.output);
  listPacked();
});
after(() => folder.remove());

/** What `npm install` does with a package that needs no other one, in a fraction of the time. */
function unpack(tarball: string): void {
  const modules = join(consumer, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  const { status, stderr } = spawnSync("tar", ["-xzf", join(folder.path, tarball), "-C", modules], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  renameSync(join(modules, "package"), join(modules, "ipsieve"));
  const { bin, dependencies } = JSON.parse(readFileSync(join(modules, "ipsieve/package.json"), "utf8"));
  assert.equal(dependencies, undefined);
  chmodSync(join(modules, "ipsieve", bin.ipsieve), 0o755);
  symlinkSync(join("../ipsieve", bin.ipsieve), join(modules, ".bin/ipsieve"));
  listPacked();
}

function listPacked(): void {
  packed = globSync("**/*", { cwd: join(consumer, "node_modules/ipsieve"), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(consumer, "node_modules/ipsieve/").length));
}

function packageTest(name: string, body: () => void | Promise<void>, skip: string | false = false): void {
  test(name, { skip }, (t) => (unreachable === undefined ? body() : t.skip(unreachable)));
}

packageTest("the package holds what it needs, and nothing else", () => {
  const others = packed
    .filter((path) => !/^dist\/.*\.(c?js|d\.ts)$|^(dist\/(dashboard|api-console|packages)|site)\//.test(path))
    .sort();
  assert.deepEqual(others, [
    "CHANGELOG.md",
    "LICENSE",
    "NOTICE",
    "README.md",
    "data/README.md",
    "data/catalogue.ipsieve",
    "data/cti-sample.ipsieve",
    "data/networks.ipsieve",
    "data/sample.log",
    "dist/api/openapi/examples.json",
    "package.json",
  ]);
  const sources = globSync("**/*.ts", { cwd: join(root, "src"), exclude: ["kernel/assembly/**", "dashboard/**"] }).map(
    (path) => path.replace(/\.ts$/, ""),
  );
  const built = packed
    .filter((path) => path.endsWith(".js") && !/^(dist\/(dashboard|api-console|packages|server)|site)\//.test(path))
    .map((path) => path.replace(/^dist\/|\.js$/g, ""));
  // Bundled again, for the threads of the command.
  assert.deepEqual(built.sort(), [...sources, "datasets/_catalogue-renderer", "datasets/_column-renderer"].sort());
  // What the command's first file runs.
  const scripts = packed.filter((path) => path.endsWith(".cjs"));
  assert.deepEqual(
    scripts.sort(),
    ["command-line", "start-identify", "start-lookup"].map((name) => `dist/cli/${name}.cjs`),
  );
  // The server, bundled again for the command.
  const server = packed.filter((path) => /^dist\/server\/(?!shared-[A-Z0-9]{8}\.js$)/.test(path));
  assert.deepEqual(
    server.sort(),
    ["loading-store", "open-store", "restore", "serve", "supervise", "worker"].map((name) => `dist/server/${name}.js`),
  );
  const pages = packed.filter((path) =>
    /^dist\/(dashboard|api-console)\/((index\.html|assets\/[\w-]+\.(js|css|svg))(\.gz|\.br)?|LICENSES\.txt)$/.test(
      path,
    ),
  );
  assert.deepEqual(pages.sort(), packed.filter((path) => /^dist\/(dashboard|api-console)\//.test(path)).sort());
  assert.ok(pages.includes("dist/dashboard/index.html") && pages.includes("dist/api-console/index.html.gz"));
});

packageTest("catalogue and networks are small enough to download", () => {
  assert.ok(packedBytes <= 12e6, `${packedBytes} bytes`);
});

packageTest("it installs nothing else, and brings the licenses of the packages within", () => {
  const installed = globSync("node_modules/{*,@*/*}/package.json", { cwd: consumer });
  assert.deepEqual(installed, ["node_modules/ipsieve/package.json"]);
  const licenses = readFileSync(join(consumer, "node_modules/ipsieve/dist/packages/LICENSES.txt"), "utf8");
  for (const name of ["avvio", "fastify", "kysely", "pg", "pino", "undici"])
    assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, `, "m"));
  assert.doesNotMatch(licenses, /, undefined$/m);
});

packageTest("CommonJS requires every entry, and they share their classes", () => {
  writeFileSync(
    join(consumer, "main.cjs"),
    `const { freeze, identifyText, openCatalogue, PrefixTable, PrefixTrie } = require("ipsieve");
     const core = require("ipsieve/core");
     const { Client } = require("ipsieve/client");
     console.log(core.PrefixTable === PrefixTable, typeof Client, typeof require("ipsieve/express").guard, typeof require("ipsieve/fastify").guard);
     openCatalogue().then((catalogue) => console.log(identifyText(catalogue, "1.1.1.1").cbs_ids.join()));`,
  );
  const { status, stdout, stderr } = node("main.cjs");
  assert.deepEqual([status, stdout, stderr], [0, "true function function function\n/cdn/cloudflare\n", ""]);
});

packageTest("the server starts from it, answers, and ends", async () => {
  const command = join(consumer, "node_modules/ipsieve/dist/cli/main.js");
  const home = mkdtempSync(join(folder.path, "home-"));
  const server = spawn(process.execPath, [command, "serve", "--quick-start", "--port", "0"], {
    cwd: consumer,
    env: { ...process.env, IPSIEVE_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  try {
    let output = "";
    for await (const chunk of server.stdout.setEncoding("utf8")) {
      output += chunk;
      if (/ips_[\w-]{20,}/.test(output)) break;
    }
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? assert.fail(output);
    const [key] = /ips_[\w-]{20,}/.exec(output)!;
    const response = await fetch(`${url}/v1/cbs/lookup?ip=1.1.1.1`, { headers: { "X-API-Key": key } });
    assert.deepEqual(
      [response.status, ((await response.json()) as { cbs_ids: string[] }).cbs_ids],
      [200, ["/cdn/cloudflare"]],
    );
  } finally {
    server.kill("SIGTERM");
    await ended;
  }
});

packageTest("a module imports it", () => {
  writeFileSync(
    join(consumer, "main.js"),
    `import { identifyText, openCatalogue, parsePrefix, PrefixTrie } from "ipsieve";
     const trie = new PrefixTrie();
     trie.insert(parsePrefix("10.0.0.0/8"), 7);
     console.log(trie.get(parsePrefix("10.0.0.0/8")), identifyText(await openCatalogue(), "1.1.1.1").cbs_ids.join());`,
  );
  const { status, stdout, stderr } = node("main.js");
  assert.deepEqual([status, stdout, stderr], [0, "7 /cdn/cloudflare\n", ""]);
});

packageTest("a module imports the client, and nothing of the library comes along", () => {
  writeFileSync(
    join(consumer, "client.js"),
    `import { Client, ProblemError } from "ipsieve/client"; console.log(typeof new Client({ baseUrl: "http://localhost", key: "k" }).rules, ProblemError.name);`,
  );
  const { status, stdout, stderr } = node("client.js");
  assert.deepEqual([status, stdout, stderr], [0, "function ProblemError\n", ""]);
});

/** How programs resolve modules: as Node does, from ECMAScript modules and from CommonJS, and as bundlers do. */
const RESOLUTIONS: readonly (readonly [module: string, moduleResolution: string, file: string])[] = [
  ["nodenext", "nodenext", "types.mts"],
  ["nodenext", "nodenext", "types.cts"],
  ["esnext", "bundler", "types.ts"],
];

for (const [module, moduleResolution, file] of sampled(RESOLUTIONS, 3)) {
  packageTest(`TypeScript finds its types, and they are right by themselves: ${moduleResolution}, ${file}`, () => {
    writeFileSync(
      join(consumer, file),
      `import { AddressError, freeze, identifyLines, parseAddress, parsePrefix, PrefixTrie, type Address, type IdentifyResult } from "ipsieve";
       import { catalogueFromBytes, type Catalogue, type PrefixTable } from "ipsieve/core";
       import { Client, type Rule } from "ipsieve/client";
       import { guard, type Visit } from "ipsieve/express";
       const rules: AsyncGenerator<Rule, void> = new Client({ baseUrl: "", key: "" }).rules("");
       const address: Address = parseAddress("2001:db8::1");
       const trie = new PrefixTrie();
       const added: boolean = trie.add(parsePrefix("2001:db8::/32"), 1);
       const table: PrefixTable = freeze(trie);
       const match: number = table.lookupAddress(address);
       const catalogue: Catalogue = catalogueFromBytes(new Uint8Array());
       export const run: (...args: Parameters<typeof identifyLines>) => Promise<IdentifyResult> = identifyLines;
       export const services = (visit: Visit): readonly string[] => visit.services?.cbs_ids ?? [];
       export const guarded = guard({ catalogue });
       // @ts-expect-error -- a text is no prefix
       trie.insert("10.0.0.0/8", 1);
       // @ts-expect-error -- no such option
       guard({ denny: [] });
       export { added, match, rules, AddressError };`,
    );
    const compilerOptions = {
      module,
      moduleResolution,
      target: "es2024",
      lib: ["es2024", "dom", "esnext.iterator", "esnext.disposable"],
      strict: true,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    };
    writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const { status, stdout } = node(join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json");
    assert.deepEqual([status, stdout], [0, ""]);
  });
}

packageTest(
  "ipsieve/core needs no types of Node",
  () => {
    writeFileSync(
      join(consumer, "core.ts"),
      `import { identifyText, catalogueFromBytes, Matcher, Ruleset } from "ipsieve/core";
     const catalogue = catalogueFromBytes(new Uint8Array());
     export const labels: readonly string[] = identifyText(catalogue, "1.1.1.1").labels;
     export { Matcher, Ruleset };`,
    );
    const compilerOptions = {
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2024",
      lib: ["es2024", "esnext.iterator", "esnext.disposable"],
      strict: true,
      noEmit: true,
      types: [],
    };
    writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["core.ts"] }));
    const { status, stdout } = node(join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json");
    assert.deepEqual([status, stdout], [0, ""]);
  },
  onlyLong(),
);

packageTest("the command identifies a log with the bundled catalogue, on several threads", () => {
  const sample = join(consumer, "node_modules/ipsieve/data/sample.log");
  const command = join(consumer, "node_modules/.bin/ipsieve");
  const { status, stdout, stderr } = node(command, "identify", "--threads", "2", sample);
  // Long after a release, the catalogue reports its age.
  assert.deepEqual([status, stderr.replace(/^ipsieve: the bundled catalogue is \d+ days old .*\n$/, "")], [0, ""]);
  const rows = stdout.trimEnd().split("\n");
  assert.equal(rows.length, readFileSync(sample, "utf8").trimEnd().split("\n").length);
  assert.ok(rows.filter((row) => row.includes("\t/cloud/")).length > 100);
  const version = spawnSync(command, ["--version"], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}` },
  });
  assert.match(version.stdout, /^ipsieve \d+\.\d+\.\d+\n$/);
  assert.equal(basename(command), "ipsieve");
});
