import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Folders whose tests are about a room by way of others, besides its own folder, test files that import it, and those
 * with its name in their path.
 */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  "service/access": ["test/api/dashboard/*.test.ts", "test/api/*key*.test.ts", "test/api/access/*.test.ts"],
  "service/deployments": ["test/api/deployments/*.test.ts"],
  "store/sql": ["test/store/*.test.ts"],
  "store/decide": ["test/store/*.test.ts"],
};

/** The test files that may notice a fault of a room of `src/`: those of its own folder first. */
export function testsOf(root: string, room: string): readonly string[] {
  const own = globSync(`test/${room}/**/*.test.ts`, { cwd: root }).toSorted();
  const name = room.slice(room.lastIndexOf("/") + 1);
  const others = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/output/**"] })
    .filter((path) => path.includes(name) || reaches(root, path, join(root, "src", room, "/")))
    .toSorted();
  const further = globSync([...(FURTHER[room] ?? [])], { cwd: root }).toSorted();
  return [...new Set([...own, ...others, ...further])].filter((path) => !path.startsWith("test/mutants/"));
}

/** Whether a test file, or a file of `test/` that it imports, imports a file of that folder. */
function reaches(root: string, path: string, folder: string, seen = new Set<string>()): boolean {
  const file = join(root, path);
  return importsOf(file).some((imported) => {
    if (imported.startsWith(folder)) return true;
    if (seen.has(imported) || !imported.startsWith(join(root, "test/"))) return false;
    seen.add(imported);
    return reaches(root, imported.slice(root.length + 1), folder, seen);
  });
}

const imports = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  let known = imports.get(file);
  if (known === undefined) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : ""; // a program in a text of a test may import others
    known = [...text.matchAll(/(?:from|import\(?) ?"(\.[^"]*\.tsx?)"/g)].map((match) => join(dirname(file), match[1]!));
    imports.set(file, known);
  }
  return known;
}
