/*
 * npm run torture -- overload [--only pages|bulk lookups|lookups|shutdowns] [--shutdowns N] [--seconds N] [--seed N]
 *
 * R10. Five times as many requests as the server can handle, of three kinds, with load shedding and, as the negative
 * control, without; then SIGTERM under load, N times (100 by default), with SIGKILL as the negative control. Exit code
 * 1 if a promise is broken.
 */
import { parseArgs } from "node:util";
import { whyNoLimit } from "../api/harness/limit-processor.ts";
import { type Load, type OverloadOptions, type OverloadReport, runOverload } from "../api/harness/run-overload.ts";
import { runShutdowns } from "../api/harness/run-shutdowns.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";

/** MiB. A thousand bulk lookups wait, each with up to 64 KiB of its body; a longer run needs no more than that. */
const MAX_MEMORY: Readonly<Record<Load, number>> = { pages: 512, lookups: 512, "bulk lookups": 768 };
const MIN_GOODPUT = 0.8;

/**
 * Shares of one processor: the generator, on the other one, can then send several times as many lookups as the server
 * handles. With the smaller share, the last of its connections wait for longer than the permitted delay of the event
 * loop.
 */
const SHARES = [0.2, 0.1];

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    shutdowns: { type: "string", default: "100" },
    seconds: { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
  },
});
const [shutdowns, seconds, seed] = [Number(values.shutdowns), Number(values.seconds), Number(values.seed)];

/** Whether everything that is shed says when to retry, memory stays bounded, and enough requests are still answered. */
async function holdsUnderOverload(folder: string, of: "pages" | "bulk lookups"): Promise<boolean> {
  const options = { folder, milliseconds: seconds * 1000, of };
  const control = await runOverload({ ...options, sheds: false });
  console.log(`negative control, ${of} without shedding: ${described(control)}`);
  const report = await runOverload(options);
  console.log(`${of}: ${described(report)}`);
  return (
    control.p99 > report.p99 &&
    control.shed === 0 &&
    report.shed > 0 &&
    report.others === 0 &&
    report.mostMemory <= MAX_MEMORY[of] &&
    isEnough(report)
  );
}

/**
 * Whether enough requests are still answered from more connections than the event loop takes from the system at once.
 * Nothing has to be shed: waiting for several milliseconds is not an overload. Each connection waits for its response,
 * and both sides share the processors: so the result is compared with what the same server answers from as many
 * connections without any limit, and, with a small share of a processor for the server, with its peak from few
 * connections.
 */
async function holdsForLookups(folder: string): Promise<boolean> {
  const options = { folder, milliseconds: seconds * 1000, of: "lookups" } as const;
  const early = await runOverload({ ...options, shedsEarly: true });
  console.log(`negative control, lookups, 10 ms taken for overload: ${described(early)}`);
  const control = await runOverload({ ...options, sheds: false });
  console.log(`control, lookups without shedding: ${described(control)}`);
  const report = await runOverload(options);
  console.log(`lookups: ${described(report)}`);
  const limited = await runLimited(options);
  const isBounded = [report, ...limited].every(
    ({ others, mostMemory }) => others === 0 && mostMemory <= MAX_MEMORY.lookups,
  );
  const unlimited = control.goodput;
  return (
    isBounded &&
    report.goodput >= MIN_GOODPUT * unlimited &&
    limited.every(isEnough) &&
    early.goodput < MIN_GOODPUT * unlimited
  );
}

async function runLimited(options: OverloadOptions): Promise<OverloadReport[]> {
  const reason = whyNoLimit();
  if (reason !== false) {
    console.log(`lookups with a small share of a processor for the server: skipped, ${reason}`);
    return [];
  }
  const reports: OverloadReport[] = [];
  for (const processorShare of SHARES) {
    const report = await runOverload({ ...options, processorShare });
    console.log(`lookups, ${processorShare} of a processor for the server: ${described(report)}`);
    reports.push(report);
  }
  return reports;
}

function isEnough({ goodput, peak }: OverloadReport): boolean {
  return goodput >= MIN_GOODPUT * peak;
}

function described(report: OverloadReport): string {
  const { peak, wanted, offered, goodput, perProcessorSecond } = report;
  const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;
  return `${JSON.stringify(report)}; offered ${(offered / peak).toFixed(1)} times the peak of ${wanted} wanted; goodput ${percent(goodput, peak)} of the peak, ${percent(perProcessorSecond.over, perProcessorSecond.peak)} by the server's processor time`;
}

async function holdsAtShutdown(folder: string): Promise<boolean> {
  const control = await runShutdowns({ folder, seed, go: (done) => done < 3, signal: "SIGKILL" });
  console.log(`negative control, SIGKILL: ${JSON.stringify(control)}`);
  const report = await runShutdowns({ folder, seed: seed + 1, go: (done) => done < shutdowns });
  console.log(`SIGTERM: ${JSON.stringify(report)}`);
  return control.failed > 0 && report.failed === 0 && report.badExits.length === 0;
}

const PROMISES: Readonly<Record<string, (folder: string) => Promise<boolean>>> = {
  pages: (folder) => holdsUnderOverload(folder, "pages"),
  "bulk lookups": (folder) => holdsUnderOverload(folder, "bulk lookups"),
  lookups: holdsForLookups,
  shutdowns: holdsAtShutdown,
};

await inTemporaryFolder(async (folder) => {
  const broken: string[] = [];
  for (const [name, holds] of Object.entries(PROMISES)) {
    if (values.only !== undefined && values.only !== name) continue;
    if (!(await holds(folder))) broken.push(name);
  }
  console.log(broken.length === 0 ? "ok" : `FAILED: ${broken.join(", ")}`);
  if (broken.length > 0) process.exitCode = 1;
});
