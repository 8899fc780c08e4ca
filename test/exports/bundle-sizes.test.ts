/** What a page loads that imports one thing of the package: a bundler leaves out what is not used. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { build, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
const SKIP = existsSync(join(ROOT, "dist/core.js")) ? false : "the package is not built; npm run build builds it";

/** Bytes, minified, of what is loaded at once; what is imported on demand is not. */
async function bundled(code: string, plugins: Plugin[] = []): Promise<number> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    write: false,
    outdir: "out",
    metafile: true,
    plugins,
  });
  const { outputs } = metafile;
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: next } of outputs[path]!.imports) if (kind === "import-statement") load(next);
  };
  load(Object.keys(outputs).find((path) => outputs[path]!.entryPoint !== undefined)!);
  return [...loaded].reduce((sum, path) => sum + outputs[path]!.bytes, 0);
}

const TRIE = 'import { PrefixTrie } from "ipsieve/core"; globalThis.kept = new PrefixTrie();';

describe("bundles", { skip: SKIP }, () => {
  test("a trie, sets of addresses, a table, and the client", async (t) => {
    const { sideEffects } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    assert.deepEqual(sideEffects, ["./dist/cli/**", "./src/dashboard/**", "**/require-node.*"]);
    const rows: readonly (readonly [code: string, most: number])[] = [
      [TRIE, 10_000],
      ['import { AddressSet } from "ipsieve/core"; globalThis.kept = AddressSet;', 25_000],
      ['import { PrefixTrie, freeze } from "ipsieve/core"; globalThis.kept = [PrefixTrie, freeze];', 64_000],
      ['import { Client } from "ipsieve/client"; globalThis.kept = Client;', 10_000],
    ];
    for (const [code, most] of rows) {
      const size = await bundled(code);
      t.diagnostic(`${size} bytes: ${code}`);
      assert.ok(size > 1000 && size <= most, `${size} > ${most}: ${code}`);
    }
  });

  test("negative control: without sideEffects, all of the core is loaded", async () => {
    const withEffects: Plugin = {
      name: "with side effects",
      setup: ({ onResolve, resolve }) =>
        onResolve({ filter: /./ }, async ({ path, pluginData, ...rest }) =>
          pluginData === "seen"
            ? undefined
            : { ...(await resolve(path, { ...rest, pluginData: "seen" })), sideEffects: true },
        ),
    };
    assert.ok((await bundled(TRIE, [withEffects])) > 100_000);
  });
});
