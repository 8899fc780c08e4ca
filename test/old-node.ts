import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { nodeVersionError } from "../src/runtime/node-version.ts";

/** A Node from the PATH that is older than the package requires. */
export function oldNode(): { readonly program: string; readonly version: string } | undefined {
  const programs = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .filter(existsSync);
  const all = programs.map((program) => ({
    program,
    version: spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1),
  }));
  return all.find(({ version }) => nodeVersionError(version) !== undefined);
}
