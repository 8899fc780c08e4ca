import { fork } from "node:child_process";
import { ask } from "./ask.ts";
import type { ChildProcess } from "node:child_process";
import type { Assignment, MeasureRequest, Measured, Ready } from "./messages.ts";
import type { Failed } from "./ask.ts";

/** A contender that may be measured: its process has built the table and answered every query rightly. */
export interface Member {
  readonly ready: Ready;
  measure(request: MeasureRequest): Promise<Measured>;
}

/** Why a contender is not quoted. */
export interface Rejection {
  readonly contender: string;
  readonly reason: string;
}

export interface Fleet extends Disposable {
  readonly members: readonly Member[];
  readonly refusals: readonly Rejection[];
}

/**
 * Starts a process per contender, one after the other. Those that cannot be loaded, throw, or answer one query wrongly
 * are rejected and end at once; the others wait for requests.
 */
export async function startFleet(assignments: readonly Assignment[]): Promise<Fleet> {
  const members: Member[] = [];
  const refusals: Rejection[] = [];
  const children: ChildProcess[] = [];
  const stopAll = (): void => children.forEach((child) => child.kill());
  for (const assignment of assignments) {
    const child = fork(new URL("./child.ts", import.meta.url), { serialization: "advanced" });
    children.push(child);
    const ready = await ask<Ready>(child, assignment);
    process.stderr.write(`  ${assignment.dataset} ${contenderFile(assignment.module)}: ${outcome(ready)}\n`);
    if (ready.type === "failed") refusals.push({ contender: contenderFile(assignment.module), reason: ready.message });
    else if (ready.refused !== null) refusals.push({ contender: ready.name, reason: ready.refused });
    else {
      members.push({ ready, measure: (request) => askMeasured(child, ready.name, request) });
      continue;
    }
    child.kill();
  }
  return { members, refusals, [Symbol.dispose]: stopAll };
}

function outcome(ready: Ready | Failed): string {
  if (ready.type === "failed") return `refused: ${ready.message}`;
  if (ready.refused !== null) return `refused: ${ready.refused}`;
  return `built in ${(ready.buildMilliseconds / 1000).toFixed(1)} s, all answers right`;
}

export function contenderFile(module: string): string {
  return module.slice(module.lastIndexOf("/") + 1).replace(/\.ts$/, "");
}

async function askMeasured(child: ChildProcess, name: string, request: MeasureRequest): Promise<Measured> {
  const report = await ask<Measured>(child, request);
  if (report.type === "failed") throw new Error(`${name}: ${report.message}`);
  return report;
}
