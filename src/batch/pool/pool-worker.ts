import type { MessagePort } from "node:worker_threads";
import type { WorkerSetup } from "../engine/messages.ts";
import { ShardService } from "../pipeline/run-shards.ts";
import { help as helpWith, type Help } from "./_help.ts";
import type { HelpTask } from "./messages.ts";
import { attachedSnapshot, forgetSnapshot } from "../threads/share-snapshot.ts";
import { failureOf, type ThreadFailure } from "../threads/thread-failure.ts";

// The tasks of a worker of the pool (`TaskName`). piscina calls these by name, one at a time.

/** Does nothing: the worker is running. */
export function warmUp(): void {}

/** A worker's part of a run over logs. */
export function runShards({ port, setup }: { port: MessagePort; setup: WorkerSetup }): Promise<void> {
  return new ShardService(port, () => attachedSnapshot(setup.snapshot), setup).untilEnd();
}

/** A worker's part of a lookup. Errors are returned: if they were thrown, they would lose their class. */
export function help(task: HelpTask): Help | { readonly failure: ThreadFailure } {
  try {
    return helpWith(task);
  } catch (cause) {
    return { failure: failureOf(cause) };
  }
}

/** Releases a snapshot. */
export function forget(number: number): void {
  forgetSnapshot(number);
}
