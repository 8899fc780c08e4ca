import { join } from "node:path";
import type { BuildOptions } from "esbuild";

/**
 * Options of all bundles for Node. Names are kept: those of functions occur in stack traces, those of errors in logs.
 */
export const NODE_BUNDLE = {
  absWorkingDir: join(import.meta.dirname, ".."),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22.18",
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: "warning",
} as const satisfies BuildOptions;
