import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Tests that are about a room by way of others: those of the API, mostly. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  "batch/lines": ["test/batch/{reader-cases,log-formats,engine/field-scan,input/json-records}.test.ts"],
  "batch/pipeline": [
    "test/batch/{identify,times,address-counts,expiry,further-snapshots,with-typescript,reader-cases}.test.ts",
    "test/batch/{engine/{kernel-memory,long-rows},input/{compressed,standard-input},pool/*}.test.ts",
  ],
  rulesets: ["test/formats/{comments,formats,rules}.test.ts", "test/datasets/ruleset-files.test.ts"],
  "service/access": [
    "test/api/dashboard/{sessions,users,devices,keys}.test.ts",
    "test/api/{rate,shared}-limits.test.ts",
  ],
  "service/deployments": [
    "test/api/{deployments,feeds,timed-feeds,misp-feeds,fitted-lists,replaced-datasets,external-lists,explain}.test.ts",
    "test/service/{fields,usage/metrics}.test.ts",
  ],
  "service/lists": ["test/service/fields.test.ts", "test/api/external-lists.test.ts"],
  "service/status": ["test/api/status.test.ts"],
  "store/sql": ["test/store/*.test.ts"],
  "store/decide": ["test/store/*.test.ts"],
};

/**
 * The test files that may notice a fault of a room of `src/`: those about it, first those in its own folder,
 * then `FURTHER`, and those that import it or have its name in their path.
 */
export function testsOf(root: string, room: string): { own: readonly string[]; others: readonly string[] } {
  const named = new RegExp(`[/-]${room.slice(room.lastIndexOf("/") + 1)}[-./]`);
  const imports = (path: string) => readFileSync(join(root, path), "utf8").includes(`/src/${room}/`);
  const found = [`test/${room}/**/*.test.ts`, ...(FURTHER[room] ?? [])].map((each) => globSync(each, { cwd: root }));
  const own = [...new Set(found.flatMap((paths) => paths.toSorted()))];
  const all = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/output/**", "test/mutants/**"] }).toSorted();
  return { own, others: all.filter((path) => !own.includes(path) && (named.test(path) || imports(path))) };
}
