import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

// If npm writes a lock file where a package for another platform is unavailable, it leaves that package out, and `npm
// ci` rejects the file elsewhere. So everything that a package depends on must have an entry, optional or not.

interface Package {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}
type Packages = Record<string, Package>;

const root = join(import.meta.dirname, "..");
const LOCK_FILES = ["", "bench", "tools", "examples/duckdb", "examples/kafka"];

const packagesOf = (folder: string): Packages =>
  (JSON.parse(readFileSync(join(root, folder, "package-lock.json"), "utf8")) as { packages: Packages }).packages;

/** Whether `name` can be resolved from `from` as Node does it: in the `node_modules` of that folder or of one above. */
const isFound = (packages: Packages, from: string, name: string): boolean => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    if (`${folder}${folder === "" ? "" : "/"}node_modules/${name}` in packages) return true;
    if (folder === "") return false;
  }
};

const missingFrom = (packages: Packages): string[] =>
  Object.entries(packages).flatMap(([from, asked]) =>
    Object.keys({ ...asked.dependencies, ...asked.devDependencies, ...asked.optionalDependencies })
      .filter((name) => !isFound(packages, from, name))
      .map((name) => `${from}: ${name}`),
  );

for (const folder of LOCK_FILES) {
  test(`${join(folder, "package-lock.json")} has every required package, for every platform`, () => {
    assert.deepEqual(missingFrom(packagesOf(folder)), []);
  });
}

test("negative control: a package without its entry is detected", () => {
  const packages = packagesOf("examples/duckdb");
  delete packages["node_modules/@duckdb/node-bindings-darwin-arm64"];
  assert.deepEqual(missingFrom(packages), ["node_modules/@duckdb/node-bindings: @duckdb/node-bindings-darwin-arm64"]);
});
