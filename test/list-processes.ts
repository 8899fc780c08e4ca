import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isEarly, processesFor } from "./shared-processes.ts";

// `node test/list-processes.ts`: prints the files that `npm test` starts a process for: test files, and for those that
// share a process, or begin early, a file that runs them, which this writes. The runner starts all of them in
// alphabetical order.
const ROOT = join(import.meta.dirname, "..");
const FOLDER = "test/output/processes";

rmSync(join(ROOT, FOLDER), { recursive: true, force: true });
mkdirSync(join(ROOT, FOLDER), { recursive: true });
const files = globSync("test/**/*.test.ts", { cwd: ROOT });
for (const [index, each] of processesFor(files).entries())
  console.log(each.length === 1 && !isEarly(each) ? each[0] : write(index, each));

/** Writes a file that runs those files, and gives its path. */
function write(index: number, paths: readonly string[]): string {
  const path = `${FOLDER}/${String(index + 1).padStart(2, "0")}.test.ts`;
  const list = JSON.stringify(paths, undefined, 2);
  writeFileSync(
    join(ROOT, path),
    `import { runInOneProcess } from "../../one-process.ts";\n\nawait runInOneProcess(${list});\n`,
  );
  return path;
}
