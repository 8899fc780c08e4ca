/**
 * `node build/build-dashboard.ts`: packs the pages of the dashboard into dist/dashboard/, each file beside its
 * compressed forms, and prints their sizes.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const ROOT = join(import.meta.dirname, "..");
const OUTPUT = join(ROOT, "dist/dashboard");

rmSync(OUTPUT, { recursive: true, force: true });
await build({
  configFile: false,
  root: join(ROOT, "src/dashboard"),
  base: "./",
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // One file of code and one of styles: a page of its own needs a dozen small ones at its first load, and they are
  // larger together. What has `light-dark` and the like needs nothing in their place; and what is inlined, the pages'
  // policy would refuse.
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});

let total = 0;
for (const path of globSync("**/*.{html,js,css,svg}", { cwd: OUTPUT }).sort()) {
  const bytes = readFileSync(join(OUTPUT, path));
  const gzip = gzipSync(bytes, { level: 9 });
  writeFileSync(join(OUTPUT, `${path}.gz`), gzip);
  writeFileSync(
    join(OUTPUT, `${path}.br`),
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  );
  total += gzip.length;
  console.log(`dist/dashboard/${path}: ${bytes.length} bytes, ${gzip.length} compressed`);
}
console.log(`dist/dashboard: ${total} bytes compressed by gzip`);
