import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { NO_HOME, temporaryFolder } from "./cli/run-command.ts";

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
  "src",
  "data",
];

const folder = temporaryFolder();
const consumer = join(folder.path, "consumer");
let packed: string[] = [];
let unreachable: string | undefined;

function npm(cwd: string, ...args: string[]): { status: number | null; output: string } {
  // Without the settings that the npm around this test hands down.
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

/** Packs a copy of the tree with all scripts, as a publish would, and installs the result without any devDependency. */
before(() => {
  const tree = join(folder.path, "tree");
  for (const name of IN_THE_TREE) cpSync(join(root, name), join(tree, name), { recursive: true });
  for (const built of ["data/catalogue.ipsieve", "data/cti-sample.ipsieve", "data/sample.log"])
    writeFileSync(join(tree, built), "stale");
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const pack = npm(tree, "pack", "--pack-destination", folder.path);
  assert.equal(pack.status, 0, pack.output);
  const [tarball] = globSync("*.tgz", { cwd: folder.path });
  assert.ok(tarball !== undefined);

  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), `{ "name": "consumer", "private": true, "type": "module" }`);
  const install = npm(consumer, "install", "--omit=dev", "--no-audit", "--no-fund", `../${tarball}`);
  if (install.status !== 0 && npm(consumer, "ping").status !== 0) unreachable = "the npm registry cannot be reached";
  else assert.equal(install.status, 0, install.output);
  packed = globSync("**/*", { cwd: join(consumer, "node_modules/ipsieve"), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(consumer, "node_modules/ipsieve/").length));
});
after(() => folder.remove());

function packageTest(name: string, body: () => void): void {
  test(name, (t) => (unreachable === undefined ? body() : t.skip(unreachable)));
}

packageTest("the package holds what it needs, and nothing else", () => {
  const others = packed.filter((path) => !/^dist\/.*\.(js|d\.ts)$|^dist\/(dashboard|api-console)\//.test(path)).sort();
  assert.deepEqual(others, [
    "CHANGELOG.md",
    "LICENSE",
    "NOTICE",
    "README.md",
    "data/README.md",
    "data/catalogue.ipsieve",
    "data/cti-sample.ipsieve",
    "data/sample.log",
    "package.json",
  ]);
  const sources = globSync("**/*.ts", { cwd: join(root, "src"), exclude: ["kernel/assembly/**", "dashboard/**"] }).map(
    (path) => path.replace(/\.ts$/, ""),
  );
  const built = packed
    .filter((path) => path.endsWith(".js") && !/^dist\/(dashboard|api-console)\//.test(path))
    .map((path) => path.replace(/^dist\/|\.js$/g, ""));
  assert.deepEqual(built.sort(), [...sources, "datasets/_catalogue-renderer"].sort()); // packed once more, for the threads of the command
  const pages = packed.filter((path) =>
    /^dist\/(dashboard|api-console)\/((index\.html|assets\/[\w-]+\.(js|css|svg))(\.gz|\.br)?|LICENSES\.txt)$/.test(
      path,
    ),
  );
  assert.deepEqual(pages.sort(), packed.filter((path) => /^dist\/(dashboard|api-console)\//.test(path)).sort());
  assert.ok(pages.includes("dist/dashboard/index.html") && pages.includes("dist/api-console/index.html"));
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

packageTest("TypeScript finds its types, and they are right by themselves", () => {
  writeFileSync(
    join(consumer, "types.ts"),
    `import { AddressError, freeze, identifyLines, parseAddress, parsePrefix, PrefixTrie, type Address, type IdentifyResult } from "ipsieve";
     import { Client, type Rule } from "ipsieve/client";
     const rules: AsyncGenerator<Rule, void> = new Client({ baseUrl: "", key: "" }).rules("");
     const address: Address = parseAddress("2001:db8::1");
     const trie = new PrefixTrie();
     const added: boolean = trie.add(parsePrefix("2001:db8::/32"), 1);
     const match: number = freeze(trie).lookupAddress(address);
     export const run: (...args: Parameters<typeof identifyLines>) => Promise<IdentifyResult> = identifyLines;
     // @ts-expect-error -- a text is no prefix
     trie.insert("10.0.0.0/8", 1);
     export { added, match, rules, AddressError };`,
  );
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    strict: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
  const { status, stdout } = node(join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json");
  assert.deepEqual([status, stdout], [0, ""]);
});

packageTest("the command identifies a log with the bundled catalogue, on several threads", () => {
  const sample = join(consumer, "node_modules/ipsieve/data/sample.log");
  const command = join(consumer, "node_modules/.bin/ipsieve");
  const { status, stdout, stderr } = node(command, "identify", "--threads", "2", sample);
  // Long after a release, the catalogue says its age.
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
