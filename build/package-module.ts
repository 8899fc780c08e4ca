/** Where the packages lie that the built package brings along. */
export const PACKAGES_FOLDER = "dist/packages";

/** The file of a package there: `@zxcvbn-ts/core` → `zxcvbn-ts-core.js`. */
export function packageModule(specifier: string): string {
  return `${specifier.replace(/^@/, "").replaceAll("/", "-")}.js`;
}

/** Packages of which another form is bundled than the one that Node would load, by its path: ECMAScript modules. */
export const BUNDLED_FORMS: Readonly<Record<string, string>> = {
  "csv-parse/sync": "./node_modules/csv-parse/lib/sync.js",
  "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
};
