import { readFileSync } from "node:fs";

/** Where the packages lie that the built package brings along. */
export const PACKAGES_FOLDER = "dist/packages";

/**
 * Whether users install a package with ours: what stands in `dependencies` is not bundled. For packages that load files of
 * their own at run time, such as a worker.
 */
export function isInstalled(specifier: string): boolean {
  return INSTALLED.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

const { dependencies = {} } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const INSTALLED = Object.keys(dependencies);

/** The file of a package there: `@zxcvbn-ts/core` → `zxcvbn-ts-core.js`. */
export function packageModule(specifier: string): string {
  return `${specifier.replace(/^@/, "").replaceAll("/", "-")}.js`;
}

/** Packages of which another form is bundled than the one that Node would load, by its path: ECMAScript modules. */
export const BUNDLED_FORMS: Readonly<Record<string, string>> = {
  "csv-parse/sync": "./node_modules/csv-parse/lib/sync.js",
  "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
};
