import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { filesOf, filesOfRun, isLong, isShortIn, type Part, PARTS, processesFor } from "./parts.ts";
import { type FileTime, readTimes } from "./file-times.ts";

/**
 * `node test/run.ts [PART]`: runs the test files of a part (`test/parts.ts`); without one, that of TEST_PART, or all.
 * Beside the short forms, types and lint are checked. Fails if anything does.
 */
const ROOT = join(import.meta.dirname, "..");
const FOLDER = "test/output/processes";
/** What each file took, for `LONGEST` and `NIGHTLY`, and to find what is costly. */
const TIMES = "test/output/times.tsv";

/** Which files take their turn and which cases the short forms sample; another run has others. */
const seed = (process.env["TEST_SEED"] ??= String(Math.floor(Math.random() * 1000)));

const part = partNamed(process.argv[2] ?? process.env["TEST_PART"] ?? "all");
const files = filesOfRun(part);
const checks = isLong(part) ? undefined : start("build/side-by-side.ts", ["types", "lint"], "pipe");
const checked = checks && Promise.all([text(checks.stdout!), text(checks.stderr!), endOf(checks)]);
const tests = start("--test", argumentsOf(files), "inherit", {
  TEST_BUILT: "true",
  TEST_FILES: files.join("\n"),
  TEST_TIMES: join(ROOT, TIMES),
  ...(isLong(part) && { TEST_ROUNDS: "long" }),
});
let failed = (await endOf(tests)) !== 0;
if (!isLong(part)) {
  const count = `${files.length} of ${filesOf(part).length} test files`;
  console.error(`This run had ${count}, and of the short forms the cases, of TEST_SEED=${seed}.`);
}
for (const kind of ["processor", "clock"] as const) console.error(longest(readTimes(join(ROOT, TIMES)), kind));
if (checked !== undefined) {
  const [stdout, stderr, code] = await checked;
  process.stdout.write(stdout + stderr);
  failed ||= code !== 0;
}
if (failed) process.exitCode = 1;

function partNamed(name: string): Part {
  const part = PARTS.find((each) => each === name);
  if (part === undefined) throw new Error(`no part is called ${name}; the parts are: ${PARTS.join(", ")}`);
  return part;
}

function start(program: string, args: readonly string[], stdio: "inherit" | "pipe", env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    stdio: ["ignore", stdio, stdio],
    env: { ...process.env, ...env },
  });
}

function endOf(child: ReturnType<typeof start>): Promise<number | null> {
  return new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
}

/** Two cores have work for five processes, as many tests wait. */
function argumentsOf(files: readonly string[]): string[] {
  return [
    "--import=./test/preload.ts",
    "--import=./test/time-limit.ts",
    `--test-timeout=${isLong(part) ? 1_200_000 : 300_000}`,
    "--test-concurrency=5",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=./test/every-file-ran.ts",
    "--test-reporter-destination=stderr",
    ...processFiles(files),
  ];
}

function longest(times: readonly FileTime[], kind: "processor" | "clock"): string {
  const files = times.toSorted((a, b) => b[kind] - a[kind]).slice(0, 30);
  const all = Math.round(times.reduce((sum, time) => sum + time[kind], 0));
  const each = files.map((file) => `${file.path} ${file[kind].toFixed(1)}`);
  return `seconds ${kind === "processor" ? "of processor time" : "by the clock"}: ${all}; most: ${each.join(", ")}`;
}

/** Writes a file for each process, which runs the test files of it. The runner starts them in alphabetical order. */
function processFiles(files: readonly string[]): string[] {
  rmSync(join(ROOT, FOLDER), { recursive: true, force: true });
  mkdirSync(join(ROOT, FOLDER), { recursive: true });
  writeFileSync(join(ROOT, TIMES), "");
  const form = (path: string): "short" | "long" => (isLong(part) && !isShortIn(part, path) ? "long" : "short");
  const processes = (["short", "long"] as const).flatMap((each) =>
    processesFor(
      files.filter((path) => form(path) === each),
      each,
    ),
  );
  return processes.map((paths, index) => {
    const path = `${FOLDER}/${String(index + 1).padStart(3, "0")}.test.ts`;
    const list = JSON.stringify(paths, undefined, 2);
    const short = form(paths[0]!) === "short" ? `delete process.env["TEST_ROUNDS"];\n` : "";
    writeFileSync(
      join(ROOT, path),
      `import { runInOneProcess } from "../../one-process.ts";\n\n${short}await runInOneProcess(${list});\n`,
    );
    return path;
  });
}
