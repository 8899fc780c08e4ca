import { workerData } from "node:worker_threads";
import { Snapshot } from "../snapshot/open-snapshot.ts";
import { ShardRunner } from "./_shard-runner.ts";
import type { ShardResult, WorkerSetup, WorkerTask } from "./messages.ts";


const setup = workerData as WorkerSetup;
/** Thread 0 is the main one. */
const thread = 1 + Atomics.add(new Int32Array(setup.turn), 0, 1);
const runner = ShardRunner.create(Snapshot.attach(setup.snapshot), setup.work, thread);

/** The pool calls this with each task. */
export default async function runTask(task: WorkerTask): Promise<ShardResult | null> {
  return task.kind === "greeting" ? (await runner, null) : (await runner).run(task);
}
