/**
 * `npm run bench [-- NAME]` and `npm run torture -- NAME`, with the arguments of the program behind its name. Without
 * a name `npm run bench` measures what the README's table shows.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

const PROGRAMS: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  bench: new Map([
    ["table", "bench/run.ts"],
    ["readme", "bench/readme.ts"],
    ["compare", "bench/compare.ts"],
    ["native", "bench/native.ts"],
    ["spark", "bench/spark.ts"],
    ["tune", "bench/tune.ts"],
    ["expect", "bench/expect.ts"],
    ["deployments", "bench/deployments.ts"],
    ["feeds-beside", "bench/feeds-beside.ts"],
    ["api", "bench/api/run.ts"],
    ["dashboard", "bench/api/dashboard.ts"],
    ["followers", "bench/api/followers.ts"],
    ["replicas", "bench/api/replicas.ts"],
    ["processes", "bench/api/several-processes.ts"],
    ["neighbours", "bench/api/neighbours.ts"],
  ]),
  torture: new Map(readdirSync(join(ROOT, "test/torture")).map((file) => [file.slice(0, -3), `test/torture/${file}`])),
};

const [kind = "", ...rest] = process.argv.slice(2);
const programs = PROGRAMS[kind]!;
const named = rest[0]?.startsWith("-") === false ? rest[0] : undefined;
const program = programs.get(named ?? "table");
if (program === undefined) {
  console.error(`npm run ${kind} -- NAME, where NAME is one of: ${[...programs.keys()].join(", ")}`);
  process.exit(2);
}
const args = named === undefined ? rest : rest.slice(1);
process.exitCode = spawnSync(process.execPath, [join(ROOT, program), ...args], { stdio: "inherit" }).status ?? 1;
