import { readFileSync } from "node:fs";

/** The folder of the packages that the built package includes. */
export const PACKAGES_FOLDER = "dist/packages";

/**
 * Whether a package is installed together with this one: what is in `dependencies` is not bundled. Meant for packages
 * that load files of their own at run time, such as a worker.
 */
export function isInstalled(specifier: string): boolean {
  return INSTALLED.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

const { dependencies = {} } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const INSTALLED = Object.keys(dependencies);

/** The file of a package in that folder: `@zxcvbn-ts/core` → `zxcvbn-ts-core.js`. */
export function packageModule(specifier: string): string {
  return `${specifier.replace(/^@/, "").replaceAll("/", "-")}.js`;
}

/** Packages for which another form is bundled than the one that Node would load, by its path: ECMAScript modules. */
export const BUNDLED_FORMS: Readonly<Record<string, string>> = {
  "csv-parse/sync": "./node_modules/csv-parse/lib/sync.js",
  "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
};
