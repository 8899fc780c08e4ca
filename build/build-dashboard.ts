/**
 * `node build/build-dashboard.ts`: packs the pages of the dashboard into dist/dashboard/, and the API console into
 * dist/api-console/, each file beside its compressed forms, and prints their sizes.
 */
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type Plugin } from "vite";

const ROOT = join(import.meta.dirname, "..");

/** In place of Vite's, which also preloads files and styles that the pages have at their first load: 700 bytes. */
const preload: Plugin = {
  name: "import of a script",
  enforce: "pre",
  resolveId: (id) => (isPreload(id) ? id : undefined),
  load: (id) => (isPreload(id) ? "export const __vitePreload = (load) => load();" : undefined),
};

function isPreload(id: string): boolean {
  return id.endsWith("vite/preload-helper.js");
}

await packPages("src/dashboard", "dist/dashboard");
await packPages("src/dashboard/api-console", "dist/api-console");
// Of the packages inside of it.
const notices = createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt");
copyFileSync(notices, join(ROOT, "dist/api-console/LICENSES.txt"));

async function packPages(source: string, output: string): Promise<void> {
  const folder = join(ROOT, output);
  rmSync(folder, { recursive: true, force: true });
  await build({
    configFile: false,
    root: join(ROOT, source),
    base: "./",
    publicDir: false,
    logLevel: "warn",
    plugins: [preload],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    // One file of code for what most people open, one for each import() in routes.ts, and one of styles: with a file
    // per page, a page needs a dozen small ones at its first load, and they are larger together. What has `light-dark` and the like needs nothing in their place; and what is inlined, the pages'
    // policy would reject.
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: ["chrome123", "firefox121", "safari17.5"],
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 2000,
      cssCodeSplit: false,
      modulePreload: false,
    },
  });
  compressFiles(output);
}

/** Writes the compressed forms of all files, and prints what each weighs. */
function compressFiles(output: string): void {
  const folder = join(ROOT, output);
  let total = 0;
  for (const path of globSync("**/*.{html,js,css,svg}", { cwd: folder }).sort()) {
    const bytes = readFileSync(join(folder, path));
    const gzip = gzipSync(bytes, { level: 9 });
    writeFileSync(join(folder, `${path}.gz`), gzip);
    writeFileSync(
      join(folder, `${path}.br`),
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      }),
    );
    total += gzip.length;
    console.log(`${output}/${path}: ${bytes.length} bytes, ${gzip.length} compressed`);
  }
  console.log(`${output}: ${total} bytes compressed by gzip`);
}
