/**
 * Compares this checkout with another commit: `npm run bench -- compare REF [--only PART,...] [--rounds N]`. REF is
 * built in a git worktree of its own, with the packages that it names. Every measurement is a fresh process (of short
 * ones, several), the two sides alternate, and what is printed is the median of the ratios. What counts is processor
 * time in user and system mode, on Linux: work beside it changes that far less than the time by the clock. Writes no
 * record.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { alternate, comparisonLine, type Runner } from "./compare/alternate.ts";
import { processorTimeOf } from "./compare/processor-time.ts";
import { ensureDataset } from "./data/dataset.ts";
import { accessLog, factsOf, wholeList } from "./data/files.ts";
import { ensureFile } from "./data/generated-file.ts";
import { run } from "./figures/whole-command.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 11;
/** A start takes only a few ticks of the clock of processor time. */
const STARTS = 10;
const PARTS = ["start", "count", "tsv", "lookups", "freeze"] as const;
type PartName = (typeof PARTS)[number];

function options(): { ref: string; parts: readonly PartName[]; rounds: number } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: "string" }, rounds: { type: "string", default: String(ROUNDS) } },
  });
  const [ref, ...others] = positionals;
  if (ref === undefined || others.length > 0) throw new Error("name one commit: npm run bench -- compare REF");
  const parts = values.only?.split(",") ?? PARTS;
  const unknown = parts.filter((name) => !PARTS.includes(name as PartName));
  if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(", ")}; the parts are ${PARTS.join(", ")}`);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a whole number from 1 on");
  return { ref, parts: parts as readonly PartName[], rounds };
}

function shell(program: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ["ignore", 2, 2] });
  if (error !== undefined || status !== 0)
    throw new Error(`${program} ${args.join(" ")} in ${cwd} ended with ${error ?? status}`);
}

function ipsieve(checkout: string, args: readonly string[], wanted: "stdout" | "nothing") {
  return run(process.execPath, [join(checkout, "dist/cli/main.js"), ...args], wanted);
}

/** Each side writes its own catalogue: the format of snapshots may have changed in between. */
function identifyOf(checkout: string, list: string, catalogue: string): readonly string[] {
  ipsieve(checkout, ["build", "--strict", list, "-o", catalogue], "nothing");
  return ["identify", "--snapshot", catalogue];
}

/** `identify -c` of one line, with the bundled catalogue: nearly all of it is the start of the command. */
function startRunners(checkouts: readonly [string, string]): [Runner, Runner] {
  const log = join(folder, "one-line.log");
  writeFileSync(log, "8.8.8.8\n");
  const runner = (checkout: string) => () => {
    const { stdout } = ipsieve(checkout, ["identify", "-c", log], "stdout");
    if (stdout.trim() !== "1") throw new Error(`identify -c of one line printed ${stdout}`);
  };
  return [processorTimeOf(runner(checkouts[0]), STARTS), processorTimeOf(runner(checkouts[1]), STARTS)];
}

const ARGUMENTS = { count: ["-c"], tsv: ["--format", "tsv"] };

/** Whole commands over an access log. */
async function commandRunners(
  part: keyof typeof ARGUMENTS,
  checkouts: readonly [string, string],
): Promise<[Runner, Runner]> {
  const log = await ensureFile(accessLog, factsOf(accessLog));
  const list = await ensureFile(wholeList.labelled, factsOf(wholeList.labelled));
  const [before, after] = checkouts.map((checkout, side) => {
    const identify = identifyOf(checkout, list, join(folder, `${side}.ipsieve`));
    return {
      count: ipsieve(checkout, [...identify, "-c", log], "stdout").stdout,
      run: processorTimeOf(() => void ipsieve(checkout, [...identify, ...ARGUMENTS[part], log], "nothing")),
    };
  });
  // A side that identifies less would be the faster one.
  if (before!.count !== after!.count)
    throw new Error(`identify -c printed ${before!.count} before, and ${after!.count} after`);
  return [before!.run, after!.run];
}

/** The library, in a process that prints how long it took. */
function libraryRunners(part: "lookups" | "freeze", checkouts: readonly [string, string]): [Runner, Runner] {
  const program = fileURLToPath(new URL("./compare/measure-once.ts", import.meta.url));
  const runner = (checkout: string) => () =>
    Number(run(process.execPath, ["--expose-gc", program, checkout, part], "stdout").stdout);
  return [runner(checkouts[0]), runner(checkouts[1])];
}

async function runners(part: PartName, checkouts: readonly [string, string]): Promise<[Runner, Runner]> {
  if (part === "start") return startRunners(checkouts);
  return part === "count" || part === "tsv" ? commandRunners(part, checkouts) : libraryRunners(part, checkouts);
}

const { ref, parts, rounds } = options();
const folder = mkdtempSync(join(tmpdir(), "ipsieve-compare-"));
const other = join(folder, "checkout");
try {
  shell("git", ["worktree", "add", "--quiet", "--detach", other, ref], ROOT);
  shell("npm", ["ci"], other); // which builds it, too
  shell("npm", ["run", "build"], ROOT);
  if (parts.includes("lookups") || parts.includes("freeze")) await ensureDataset("routed4");
  process.stdout.write(`this checkout against ${ref}: below 1, this checkout is faster\n`);
  for (const part of parts) {
    const [before, after] = await runners(part, [other, ROOT]);
    process.stdout.write(comparisonLine(part, alternate(before, after, rounds)));
  }
} finally {
  spawnSync("git", ["worktree", "remove", "--force", other], { cwd: ROOT });
  rmSync(folder, { recursive: true, force: true });
}
