import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { test } from "node:test";
import { checkLayers, checkReferences, type Layers } from "./layers/check-layers.ts";
import { fileCycles } from "./layers/file-cycles.ts";
import { readReferences, type SourceReferences } from "./layers/read-references.ts";

const root = join(import.meta.dirname, "..");
const layers: Layers = JSON.parse(readFileSync(join(root, "layers.json"), "utf8"));

function readSources(): Record<string, string> {
  const paths = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  return Object.fromEntries(
    paths.map((path) => [path.split(sep).join("/"), readFileSync(join(root, "src", path), "utf8")]),
  );
}

/** The files of `src/`, with the references in each. */
const references = readReferences(readSources());

test("src/ follows the rooms of layers.json", (t) => {
  t.diagnostic(`${references.size} files`);
  assert.ok(references.size > 2);
  assert.deepEqual(checkReferences(layers, references), []);
});

test("every room's imports are above it in the table, so there is no cycle", () => {
  const seen = new Set<string>();
  for (const [name, room] of Object.entries(layers.rooms)) {
    for (const imported of room.imports)
      assert.ok(seen.has(imported), `${name} imports ${imported}, which is not below it`);
    seen.add(name);
  }
});

test("no files import each other in a cycle, not even within rooms", () =>
  assert.deepEqual(fileCycles(references), []));

test("the negative control: cycles of every kind of import are found, and nothing else", () => {
  const sources = {
    "a/x.ts": `import { y } from "./y.ts";`,
    "a/y.ts": `import type { X } from "./x.ts";`,
    "a/self.ts": `export const self = () => import("./self.ts");`,
    "b/one.ts": `export { two } from "./two.ts";`,
    "b/two.ts": `type Three = typeof import("../c/three.ts");`,
    "c/three.ts": `export const one = () => import("../b/one.ts");`,
    "c/above.ts": `import "./three.ts";\nimport "../a/x.ts";`,
    "c/starts.ts": `new URL("./worker.ts", import.meta.url);`,
    "c/worker.ts": `import "./starts.ts";`,
  };
  assert.deepEqual(fileCycles(readReferences(sources)), [
    ["a/x.ts", "a/y.ts"],
    ["a/self.ts"],
    ["b/one.ts", "b/two.ts", "c/three.ts"],
  ]);
});

/** The permissions of a table that no file needs: removing them, one at a time, causes no violation. */
function unusedPermissions(table: Layers, read: ReadonlyMap<string, SourceReferences>): string[] {
  const unused: string[] = [];
  for (const [name, room] of Object.entries(table.rooms)) {
    const own = [...read].filter(([file]) => file.startsWith(`${name}/`));
    const isNeeded = (less: Partial<Layers["rooms"][string]>): boolean =>
      checkReferences({ ...table, rooms: { ...table.rooms, [name]: { ...room, ...less } } }, own).length > 0;
    for (const kind of ["imports", "outside", "globals", "reads"] as const) {
      const permitted = room[kind] ?? [];
      for (const one of permitted)
        if (!isNeeded({ [kind]: permitted.filter((other) => other !== one) })) unused.push(`${name}: ${kind}: ${one}`);
    }
    for (const folder of room.folders ?? [])
      if (folder !== "." && !own.some(([file]) => `${file}/`.startsWith(`${name}/${folder}/`)))
        unused.push(`${name}: folders: ${folder}`);
    if (room.plugs === true && !isNeeded({ plugs: false })) unused.push(`${name}: plugs`);
  }
  return unused;
}

test("no room has a permission that it does not use", () =>
  assert.deepEqual(unusedPermissions(layers, references), []));

test("the negative control: unused permissions of every kind are found", () => {
  const { address, batch } = layers.rooms;
  const more = {
    ...address!,
    imports: ["trie"],
    outside: ["node:fs"],
    globals: ["fetch"],
    reads: ["data"],
    folders: [".", "none"],
    plugs: true,
  };
  const loose: Layers = {
    ...layers,
    rooms: { ...layers.rooms, address: more, batch: { ...batch!, imports: [...batch!.imports, "cbs"] } },
  };
  assert.deepEqual(unusedPermissions(loose, references), [
    "address: imports: trie",
    "address: outside: node:fs",
    "address: globals: fetch",
    "address: reads: data",
    "address: folders: none",
    "address: plugs",
    "batch: imports: cbs",
  ]);
});

const allowed: Record<string, [file: string, text: string]> = {
  "an import of a room below": ["table/a.ts", `import { freeze } from "../trie/x.ts";`],
  "a private file of the same room": ["table/a.ts", `import { a } from "./_b.ts";`],
  "a folder below, in a room whose folders are in order": [
    "service/lists/a.ts",
    `import { a } from "../deployments/b.ts";\nimport { c } from "../c.ts";`,
  ],
  "a listed package": ["snapshot/a.ts", `import { pack } from "msgpackr/pack";`],
  "a worker file of the own room": ["batch/a.ts", `new URL("./worker.ts", import.meta.url);`],
  "a worker file in a folder above, which is not imported": [
    "batch/threads/a.ts",
    `new URL("../pool/worker.ts", import.meta.url);`,
  ],
  "a worker file whose extension is computed": ["batch/a.ts", "new URL(`./worker${extension}`, import.meta.url);"],
  "a data file where the room reads data": ["cli/a.ts", `new URL("../../data/catalogue.ipsieve", import.meta.url);`],
  "a computed import where the room has plugs": ["batch/a.ts", `await import(address);`],
  "an import inside a comment": ["address/a.ts", `// import "node:fs";\n/* import "node:fs"; */ export const a = 1;`],
  "an import inside a template": ["address/a.ts", "export const a = `import 'node:fs'`;"],
  "a member named like a global": ["address/a.ts", `export const a = (x: { process: number }) => x.process;`],
  "a global that the room is allowed": ["memory/a.ts", `export const a = WebAssembly;`],
  "assembly that imports assembly": ["kernel/assembly/a.ts", `import { b } from "./b.ts";`],
  "assembly that imports the table's layout": [
    "kernel/assembly/a.ts",
    `import { KIND_SHIFT } from "../../table/layout.ts";`,
  ],
  "the entry file's re-exports": ["index.ts", `export { a } from "./trie/_a.ts";`],
};

/** A file of a folder, or the one that is named by itself. */
function fileIn(room: string, folder: string): string {
  if (folder.endsWith(".ts")) return `${room}/${folder}`;
  return folder === "." ? `${room}/a.ts` : `${room}/${folder}/a.ts`;
}

for (const [room, { folders = [] }] of Object.entries(layers.rooms))
  for (const [index, below] of folders.slice(0, -1).entries()) {
    const above = folders[index + 1]!;
    test(`the negative control: in ${room}, ${below} may not import ${above}`, () => {
      const [from, to] = [fileIn(room, below), fileIn(room, above)];
      const path = posix.relative(posix.dirname(from), to);
      const text = `import type { A } from "${path.startsWith(".") ? path : `./${path}`}";`;
      assert.deepEqual(checkLayers(layers, { [from]: text }), [
        `src/${from}:1: import of src/${to}: ${below} may not import ${above}, which stands above it`,
      ]);
    });
  }

for (const [name, [file, text]] of Object.entries(allowed)) {
  test(`allowed: ${name}`, () => assert.deepEqual(checkLayers(layers, { [file]: text }), []));
}

// The negative control: one seeded violation of every kind, each with the line where it must be found.
const seeded: Record<string, [file: string, text: string, violation: string]> = {
  "an import of the command": [
    "service/a.ts",
    `import type { A } from "../cli/a.ts";`,
    "src/service/a.ts:1: import of src/cli/a.ts: service may not import cli",
  ],
  "a folder above": [
    "service/rules/a.ts",
    `import type { A } from "../deployments/a.ts";`,
    "src/service/rules/a.ts:1: import of src/service/deployments/a.ts: rules may not import deployments, which stands above it",
  ],
  "a file that is named by itself, above": [
    "service/webhooks/a.ts",
    `import type { A } from "../services.ts";`,
    "src/service/webhooks/a.ts:1: import of src/service/services.ts: webhooks may not import services.ts, which stands above it",
  ],
  "a folder that its room does not name": [
    "service/others/a.ts",
    `import type { A } from "../rules/a.ts";`,
    "src/service/others/a.ts:1: the folder others is not among the folders of its room",
  ],
  "a re-export of the command's by the entry file": [
    "index.ts",
    `export { a } from "./cli/a.ts";`,
    "src/index.ts:1: re-export of src/cli/a.ts: the entry may not import cli",
  ],
  "a static import": [
    "trie/a.ts",
    `import { freeze } from "../table/freeze.ts";`,
    "src/trie/a.ts:1: import of src/table/freeze.ts: trie may not import table",
  ],
  "a re-export of a room that an entry excludes": [
    "core.ts",
    `export { a } from "./files/publish-file.ts";`,
    "src/core.ts:1: re-export of src/files/publish-file.ts: the entry may not import files",
  ],
  "an import over several lines": [
    "trie/a.ts",
    `\nimport {\n  freeze,\n} from\n  "../table/freeze.ts";`,
    "src/trie/a.ts:2: import of src/table/freeze.ts: trie may not import table",
  ],
  "a side-effect import": [
    "trie/a.ts",
    `import "../table/freeze.ts";`,
    "src/trie/a.ts:1: import of src/table/freeze.ts: trie may not import table",
  ],
  "a dynamic import": [
    "trie/a.ts",
    `const a = () => import(\n"../table/freeze.ts");`,
    "src/trie/a.ts:1: dynamic import of src/table/freeze.ts: trie may not import table",
  ],
  "a dynamic import with a template": [
    "trie/a.ts",
    "import(`../table/freeze.ts`);",
    "src/trie/a.ts:1: dynamic import of src/table/freeze.ts: trie may not import table",
  ],
  "a type-only import": [
    "batch/a.ts",
    `import type { Catalogue } from "../cbs/catalogue.ts";`,
    "src/batch/a.ts:1: import of src/cbs/catalogue.ts: batch may not import cbs",
  ],
  "an import type": [
    "batch/a.ts",
    `type C = import("../cbs/catalogue.ts").Catalogue;`,
    "src/batch/a.ts:1: import type of src/cbs/catalogue.ts: batch may not import cbs",
  ],
  "a typeof import": [
    "batch/a.ts",
    `type C = typeof import("../cbs/catalogue.ts");`,
    "src/batch/a.ts:1: import type of src/cbs/catalogue.ts: batch may not import cbs",
  ],
  "a named re-export": [
    "trie/a.ts",
    `const b = 1;\nexport { freeze } from "../table/freeze.ts";`,
    "src/trie/a.ts:2: re-export of src/table/freeze.ts: trie may not import table",
  ],
  "a star re-export": [
    "trie/a.ts",
    `const b = 1;\nexport * from "../table/freeze.ts";`,
    "src/trie/a.ts:2: re-export of src/table/freeze.ts: trie may not import table",
  ],
  "an import through the entry": [
    "trie/a.ts",
    `import { a } from "../index.ts";`,
    "src/trie/a.ts:1: import of src/index.ts: trie may not import it",
  ],
  "an import out of src": [
    "cli/a.ts",
    `import { a } from "../../test/oracle/a.ts";`,
    "src/cli/a.ts:1: import of test/oracle/a.ts, which the room cli may not read",
  ],
  "a package in a pure room": [
    "address/a.ts",
    `import { IPv4 } from "ip-num";`,
    "src/address/a.ts:1: import of ip-num, which the room address may not use",
  ],
  "a package not on the room's list": [
    "snapshot/a.ts",
    `import { Piscina } from "piscina";`,
    "src/snapshot/a.ts:1: import of piscina, which the room snapshot may not use",
  ],
  "a node: module in a pure room": [
    "cbs/a.ts",
    `import { readFileSync } from "node:fs";`,
    "src/cbs/a.ts:1: import of node:fs, which the room cbs may not use",
  ],
  "the package by its own name": [
    "cbs/a.ts",
    `import { PrefixTrie } from "ipsieve";`,
    "src/cbs/a.ts:1: import of ipsieve, which the room cbs may not use",
  ],
  "a private file of another room": [
    "table/a.ts",
    `import { A } from "../trie/_arena.ts";`,
    "src/table/a.ts:1: import of src/trie/_arena.ts, which is private to trie",
  ],
  "a worker file of another room": [
    "cli/a.ts",
    `new URL("../batch/worker.ts", import.meta.url);`,
    "src/cli/a.ts:1: addresses src/batch/worker.ts: worker files live in the room that spawns them",
  ],
  "a worker file of another room, its extension computed": [
    "cli/a.ts",
    "new URL(`../batch/worker${extension}`, import.meta.url);",
    "src/cli/a.ts:1: addresses src/batch/worker: worker files live in the room that spawns them",
  ],
  "a computed address": [
    "cli/a.ts",
    "new URL(`./${name}`, import.meta.url);",
    "src/cli/a.ts:1: url of a computed address",
  ],
  "a resolved address in another room": [
    "cli/a.ts",
    `import.meta.resolve("../batch/worker.ts");`,
    "src/cli/a.ts:1: addresses src/batch/worker.ts: worker files live in the room that spawns them",
  ],
  "a data file where the room reads none": [
    "batch/a.ts",
    `new URL("../../data/a.ipsieve", import.meta.url);`,
    "src/batch/a.ts:1: url of data/a.ipsieve, which the room batch may not read",
  ],
  "a computed import": ["cli/a.ts", `import(address);`, "src/cli/a.ts:1: dynamic import of a computed address"],
  require: [
    "cli/a.ts",
    `require("node:child_process");`,
    "src/cli/a.ts:1: require of node:child_process, which the room cli may not use",
  ],
  "a built-in module without an import": [
    "cli/a.ts",
    `process.getBuiltinModule("node:child_process");`,
    "src/cli/a.ts:1: require of node:child_process, which the room cli may not use",
  ],
  "import = require": [
    "cli/a.ts",
    `import fs = require("node:child_process");`,
    "src/cli/a.ts:1: require of node:child_process, which the room cli may not use",
  ],
  "a reference comment": [
    "trie/a.ts",
    `/// <reference path="../table/freeze.ts" />\nexport const a = 1;`,
    "src/trie/a.ts:1: reference comment of src/table/freeze.ts: trie may not import table",
  ],
  "a world global in a pure room": [
    "cbs/a.ts",
    `export const a = process.env;`,
    "src/cbs/a.ts:1: the pure room cbs reaches the outside world through process",
  ],
  "a world global by way of globalThis": [
    "cbs/a.ts",
    `globalThis.fetch("http://localhost");`,
    "src/cbs/a.ts:1: the pure room cbs reaches the outside world through fetch",
  ],
  "a world global by way of a cast globalThis": [
    "cbs/a.ts",
    `(globalThis as { fetch: Function }).fetch("http://localhost");`,
    "src/cbs/a.ts:1: the pure room cbs reaches the outside world through fetch",
  ],
  "another global than the room is allowed": [
    "kernel/a.ts",
    `export const a = process.env;`,
    "src/kernel/a.ts:1: the pure room kernel reaches the outside world through process",
  ],
  "the room's global in its assembly": [
    "kernel/assembly/a.ts",
    `export const a = Buffer;`,
    "src/kernel/assembly/a.ts:1: the pure room kernel reaches the outside world through Buffer",
  ],
  "assembly that imports another file of its room": [
    "kernel/assembly/a.ts",
    `import { a } from "../kernel.ts";`,
    "src/kernel/assembly/a.ts:1: import of src/kernel/kernel.ts in kernel/assembly",
  ],
  "assembly that imports another file of a room below": [
    "kernel/assembly/a.ts",
    `import { freeze } from "../../table/freeze.ts";`,
    "src/kernel/assembly/a.ts:1: import of src/table/freeze.ts in kernel/assembly",
  ],
  "assembly that imports a package": [
    "kernel/assembly/a.ts",
    `import { a } from "msgpackr";`,
    "src/kernel/assembly/a.ts:1: import of msgpackr in kernel/assembly",
  ],
  "assembly that re-exports": [
    "kernel/assembly/a.ts",
    `const b = 1;\nexport { a } from "./b.ts";`,
    "src/kernel/assembly/a.ts:2: re-export of src/kernel/assembly/b.ts in kernel/assembly",
  ],
  "an import of assembly": [
    "kernel/a.ts",
    `import { a } from "./assembly/a.ts";`,
    "src/kernel/a.ts:1: import of src/kernel/assembly/a.ts, which is in another language",
  ],
  "an import of assembly from another room": [
    "batch/a.ts",
    `import { a } from "../kernel/assembly/a.ts";`,
    "src/batch/a.ts:1: import of src/kernel/assembly/a.ts, which is in another language",
  ],
  "a barrel": [
    "cbs/all.ts",
    `export { a } from "./a.ts";\nexport * from "./b.ts";`,
    "src/cbs/all.ts:1: is a barrel; import from the files that hold the things",
  ],
  "a room that the table does not name": [
    "misc/a.ts",
    `export const a = 1;`,
    "src/misc/a.ts:1: belongs to no room of layers.json",
  ],
  "a file beside the rooms": ["a.ts", `export const a = 1;`, "src/a.ts:1: belongs to no room of layers.json"],
};

for (const [name, [file, text, violation]] of Object.entries(seeded)) {
  test(`rejected: ${name}`, () => assert.deepEqual(checkLayers(layers, { [file]: text }), [violation]));
}
