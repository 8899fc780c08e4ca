import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";

/** A command that a server runs as a separate process, so that its event loop stays free. */
export interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export interface ChildResult {
  /** The exit code; null if a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
}

/** The environment variable with the id of the parent process: the command ends when that process does. */
export const PARENT_VARIABLE = "IPSIEVE_PARENT";

/** Milliseconds that a process has to end after SIGTERM before it is killed. */
const KILL_AFTER = 3000;
/** Characters of standard output; a report has some 20,000. */
const MAX_OUTPUT = 8 << 20;

/**
 * A running command. `ended` rejects if it cannot be started.
 *
 * The command gets the id of this process and ends by itself once this process is gone: nothing it published later
 * would be in an audit log.
 */
export class RunningChild {
  readonly ended: Promise<ChildResult>;
  readonly #process: ChildProcess;
  #timer: NodeJS.Timeout | undefined;

  /** `onLine` is called with each line of standard error. */
  constructor({ program, args, environment }: ChildCommand, onLine: (line: string) => void) {
    const child = spawn(program, args, {
      env: { ...environment, [PARENT_VARIABLE]: String(process.pid) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (stdout.length < MAX_OUTPUT) stdout += text;
    });
    createInterface(child.stderr).on("line", onLine);
    this.ended = new Promise((resolve, reject) => {
      child.on("error", reject).on("close", (code, signal) => {
        clearTimeout(this.#timer);
        resolve({ code, signal, stdout });
      });
    });
    yieldToRequests(child);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Sends SIGTERM to the process, and kills it if it does not end in time. */
  end(): void {
    this.#process.kill("SIGTERM");
    this.#timer ??= setTimeout(() => this.kill(), KILL_AFTER);
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

/** Requests have priority if there are few processors. */
function yieldToRequests({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has already ended.
  }
}
