import { join } from "node:path";
import type { BuildOptions } from "esbuild";

/** What all bundles for Node have in common. Names stay: those of functions stand in stacks, those of errors in logs. */
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
