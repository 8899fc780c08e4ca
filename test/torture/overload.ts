/*
 * npm run torture:overload -- [--shutdowns N] [--seconds N] [--seed N]
 * R10. Five times as many requests as the server can take, of two kinds, with shedding and, as the negative control, without; then SIGTERM under load, N
 * times (100 unless given), with SIGKILL as the negative control. Exit code 1 where a promise does not hold.
 */
import { parseArgs } from "node:util";
import { runOverload } from "../api/harness/run-overload.ts";
import { runShutdowns } from "../api/harness/run-shutdowns.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";

const MOST_MEMORY = 512;
const LEAST_GOODPUT = 0.8;

const { values } = parseArgs({ options: { shutdowns: { type: "string", default: "100" }, seconds: { type: "string", default: "15" }, seed: { type: "string", default: "1" } } });
const [shutdowns, seconds, seed] = [Number(values.shutdowns), Number(values.seconds), Number(values.seed)];

/** Whether all that is shed says when to try again, memory stays bounded, and enough is still answered. */
async function holdsUnderOverload(folder: string, of: "pages" | "bulk lookups"): Promise<boolean> {
  const options = { folder, milliseconds: seconds * 1000, of };
  const control = await runOverload({ ...options, sheds: false });
  console.log(`negative control, ${of} without shedding: ${JSON.stringify(control)}`);
  const report = await runOverload(options);
  console.log(`${of}: ${JSON.stringify(report)}; goodput ${Math.round((100 * report.goodput) / report.peak)} % of the peak`);
  return control.p99 > report.p99 && control.shed === 0 && report.shed > 0 && report.others === 0 && report.mostMemory <= MOST_MEMORY && report.goodput >= LEAST_GOODPUT * report.peak;
}

async function holdsAtShutdown(folder: string): Promise<boolean> {
  const control = await runShutdowns({ folder, seed, go: (done) => done < 3, signal: "SIGKILL" });
  console.log(`negative control, SIGKILL: ${JSON.stringify(control)}`);
  const report = await runShutdowns({ folder, seed: seed + 1, go: (done) => done < shutdowns });
  console.log(`SIGTERM: ${JSON.stringify(report)}`);
  return control.failed > 0 && report.failed === 0 && report.badExits.length === 0;
}

await inTemporaryFolder(async (folder) => {
  const held = [await holdsUnderOverload(folder, "pages"), await holdsUnderOverload(folder, "bulk lookups"), await holdsAtShutdown(folder)];
  console.log(held.every(Boolean) ? "ok" : `FAILED: pages ${held[0]}, bulk lookups ${held[1]}, shutdowns ${held[2]}`);
  if (!held.every(Boolean)) process.exitCode = 1;
});
