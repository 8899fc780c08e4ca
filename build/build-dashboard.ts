/**
 * `node build/build-dashboard.ts`: bundles the pages of the dashboard into dist/dashboard/, and the API console into
 * dist/api-console/, writes each file's compressed forms next to it, and prints the sizes.
 */
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type Plugin } from "vite";

const ROOT = join(import.meta.dirname, "..");

/**
 * Replaces Vite's own, which also preloads files and styles that the pages have had since their first load: saves 700
 * bytes.
 */
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
// The console is kept in one form, as each takes 0.4 MB of the package, and few open it, once each.
for (const path of globSync("dist/api-console/**/*.{html,js,css,br}", { cwd: ROOT })) rmSync(join(ROOT, path));
// The notices of the packages inside it.
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
    // per page, a page needs a dozen small ones at its first load, and together they are larger. Browsers that have
    // `light-dark` and the like need no fallbacks; and the pages' policy would reject inlined files.
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

/** Writes the compressed forms of all files, and prints the size of each. */
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
