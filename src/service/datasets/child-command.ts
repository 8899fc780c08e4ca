import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";

/** A command that a server runs as a process of its own, so that its event loop goes on. */
export interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export interface ChildResult {
  /** The exit code; null where a signal has ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
}

/** Names the process that a command ends with. */
export const PARENT_VARIABLE = "IPSIEVE_PARENT";

/** Milliseconds after which a process that was asked to end is ended. */
const KILL_AFTER = 3000;
/** Characters of standard output, of which a report has some 20,000. */
const MAX_OUTPUT = 8 << 20;

/**
 * A command under way. `ended` rejects where it cannot be started.
 *
 * The command is told the id of this process, and ends by itself when it is gone: what it published then would be in no
 * audit log.
 */
export class RunningChild {
  readonly ended: Promise<ChildResult>;
  readonly #process: ChildProcess;
  #timer: NodeJS.Timeout | undefined;

  /** `onLine` is given each line of standard error. */
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

  /** Asks it to end, and ends it if it does not. */
  end(): void {
    this.#process.kill("SIGTERM");
    this.#timer ??= setTimeout(() => this.kill(), KILL_AFTER);
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

/** Requests come first where there are few processors. */
function yieldToRequests({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
