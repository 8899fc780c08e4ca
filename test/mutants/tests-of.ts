import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Tests that are about a room by way of others: those of the API, mostly. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  "batch/pipeline": ["test/batch/{*,engine/**/*,input/*,pool/*}.test.ts"],
  "service/access": [
    "test/api/dashboard/{sessions,users,devices,keys}.test.ts",
    "test/api/{rate,shared}-limits.test.ts",
  ],
  "service/deployments": [
    "test/api/{deployments,feeds,timed-feeds,misp-feeds,fitted-lists,replaced-datasets,external-lists,explain}.test.ts",
  ],
  "store/sql": ["test/store/*.test.ts"],
  "store/decide": ["test/store/*.test.ts"],
};

/**
 * The test files that may notice a fault of a room of `src/`: those of its own folder, those that import it, those with
 * its name in their path, and `FURTHER`.
 */
export function testsOf(root: string, room: string): readonly string[] {
  const named = new RegExp(`[/-]${room.slice(room.lastIndexOf("/") + 1)}[-./]`);
  const imports = (path: string) => readFileSync(join(root, path), "utf8").includes(`/src/${room}/`);
  const others = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/output/**"] });
  const patterns = [`test/${room}/**/*.test.ts`, ...(FURTHER[room] ?? [])];
  const found = [...globSync(patterns, { cwd: root }), ...others.filter((path) => named.test(path) || imports(path))];
  return [...new Set(found)].filter((path) => !path.startsWith("test/mutants/")).toSorted();
}
