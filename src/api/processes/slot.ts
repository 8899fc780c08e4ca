import type { Worker } from "node:cluster";
import type { ProcessEnd } from "./fork-process.ts";
import type { ToProcess } from "./messages.ts";

/** Has a number, from 1, and a process, which another one replaces when it ends. */
export class Slot {
  readonly number: number;
  worker: Worker | undefined;
  /** Resolves when the process has ended. */
  ended: Promise<ProcessEnd> | undefined;
  isReady = false;
  /** Whether a process here has ever been ready. */
  hasServed = false;
  startedAt = 0;
  /** How often in a row a process here that is starting was looked at without a message since the time before. */
  silences = 0;
  /** How often in a row a process here has ended soon after its start. */
  failures = 0;
  restart: NodeJS.Timeout | undefined;
  #isHinting = false;
  #isHintDue = false;

  constructor(number: number) {
    this.number = number;
  }

  /** `sent` is also called if the process has ended. */
  send(message: ToProcess, sent = (): void => {}): void {
    if (this.worker?.isConnected() === true) this.worker.send(message, sent);
    else sent();
  }

  /**
   * Says that there are changes; of all that come before the message has been sent, once more. So messages to a process
   * that is stopped do not fill the memory of this one.
   */
  hintChange(): void {
    if (this.#isHinting) return void (this.#isHintDue = true);
    this.#isHinting = true;
    this.#isHintDue = false;
    this.send({ kind: "changed" }, () => {
      this.#isHinting = false;
      if (this.#isHintDue) this.hintChange();
    });
  }
}
