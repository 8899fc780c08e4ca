/**
 * Runs the benchmarks: `node bench/run.ts [--only PART,...] [--quick]`. A full run writes a record under bench/record/
 * and brings the README's table up to date; a run of some parts writes a record marked as partial; --quick writes
 * nothing.
 */
import { existsSync } from "node:fs";
import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import { describeMachine, readInputs, readVersions, writeRecord } from "./record.ts";
import { measurementLines } from "./report.ts";
import { updateReadme } from "./readme.ts";
import type { PartReport } from "./part.ts";
import type { PartResult } from "./figures/part.ts";

const PARTS = [
  "lpm4",
  "lpm6",
  "nested4",
  "nested6",
  "blocklist",
  "hosts6",
  "sites6",
  "small",
  "memory",
  "freeze",
  "builds",
  "open",
  "churn",
  "rules",
  "pool",
  "clickhouse",
  "grepcidr",
  "log",
  "mid-lines",
];
/** Need the published lists or the blocklists beside them (IPSIEVE_LISTS); run when they are named. */
const OF_LISTS = ["catalogue", "blocklists"];

/** Each part in a process of its own, so that none inherits another's heap. */
function runPart(name: string): Promise<PartResult> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL("./part.ts", import.meta.url), [name], {
      execArgv: ["--expose-gc"],
      serialization: "advanced",
    });
    child.once("message", (report: PartReport) =>
      "result" in report ? resolve(report.result) : reject(new Error(report.error)),
    );
    child.once("exit", (code, signal) =>
      reject(new Error(`the part ${name} ended with ${code ?? signal} before it had a result`)),
    );
  });
}

function chosenParts(): string[] {
  const { values } = parseArgs({ options: { only: { type: "string" }, quick: { type: "boolean" } } });
  if (values.quick === true) return ["quick"];
  if (values.only === undefined) return PARTS;
  const names = values.only.split(",");
  const unknown = names.filter((name) => ![...PARTS, ...OF_LISTS].includes(name));
  if (unknown.length > 0)
    throw new Error(`no part is called ${unknown.join(", ")}; the parts are ${[...PARTS, ...OF_LISTS].join(", ")}`);
  return names;
}

/** Checked first: a run without the contenders would take minutes for a useless record. */
function requireContenders(): void {
  for (const name of Object.keys(readVersions())) {
    if (existsSync(new URL(`./node_modules/${name}`, import.meta.url)) || name.startsWith("@")) continue;
    throw new Error(`the contender ${name} is not installed; install the contenders with: npm run bench:setup`);
  }
}

const names = chosenParts();
if (names.some((name) => PARTS.includes(name))) requireContenders();
const startedAt = new Date().toISOString();
const start = performance.now();
const machine = names.includes("quick") ? undefined : describeMachine(); // before the run: it has the load of the minute before
const parts: Record<string, PartResult> = {};
const failures: Record<string, string> = {};
for (const name of names) {
  process.stderr.write(`${name}\n`);
  try {
    parts[name] = await runPart(name);
    process.stdout.write(measurementLines(name, parts[name]));
  } catch (error) {
    failures[name] = (error as Error).message;
    process.stderr.write(`${failures[name]}\n`);
  }
}
if (Object.keys(failures).length > 0) process.exitCode = 1;
if (machine !== undefined) {
  const full = names.length === PARTS.length && process.exitCode === undefined;
  const seconds = Math.round((performance.now() - start) / 1000);
  const path = writeRecord({
    format: 1,
    full,
    startedAt,
    seconds,
    machine,
    versions: readVersions(),
    inputs: readInputs(),
    parts,
    failures,
  });
  process.stderr.write(`${path}\n`);
  if (full) updateReadme();
}
