/** What `identify` and `lookup` load at their start, which takes time in every run: not what only some runs need. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** Files of a room other than these are loaded only by an `import()`. */
const FEW_OF_ROOM: Readonly<Record<string, readonly string[]>> = {
  api: [],
  client: [],
  collateral: [],
  cti: ["cti-error.ts", "cti-kind.ts"],
  deployments: [],
  formats: [],
  rulesets: ["ruleset-error.ts", "ruleset-kind.ts"],
  service: [],
  store: [],
  trie: [],
  update: ["list-generations.ts"],
};
/** What builds an index, and reads Arrow. */
const NEVER = /^(batch\/arrow\/|cbs\/catalogue-builder|table\/(freeze|_choose-index|_node-builder))/;

/** The sources that a source loads by its imports, those of their imports, and so on, below src/. */
async function loadedWith(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    metafile: true,
  });
  const files = new Set([entry]);
  for (const file of files)
    for (const { kind, path, external } of metafile.inputs[file]!.imports)
      if (kind === "import-statement" && external !== true) files.add(path);
  return [...files].map((file) => file.replace(/^src\//, ""));
}

function isTooMuch(file: string): boolean {
  const [room = "", ...below] = file.split("/");
  return NEVER.test(file) || (Object.hasOwn(FEW_OF_ROOM, room) && !FEW_OF_ROOM[room]!.includes(below.join("/")));
}

for (const name of ["identify", "lookup"]) {
  test(`${name} starts without what only some of its runs need`, async () => {
    const files = await loadedWith(`src/cli/start-${name}.ts`);
    assert.deepEqual(files.filter(isTooMuch), []);
    assert.ok(files.includes("snapshot/open-snapshot.ts"), "the sources are followed");
  });
}

test("negative control: build loads what they do not", async () => {
  const tooMuch = (await loadedWith("src/cli/commands/build.ts")).filter(isTooMuch);
  for (const file of ["cbs/catalogue-builder.ts", "table/freeze.ts", "trie/prefix-trie.ts"])
    assert.ok(tooMuch.includes(file), file);
});
